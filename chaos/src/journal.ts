import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Summary = { total: number; succeeded: number; failed: number; skipped: number; no_change: number };

/** `made`: the orders that its steps are said to have made. */
type ToldRun = { key: string; runId: string; status: string; summary: Summary; made?: string[] };

/** What the hub has said it did. */
type Acknowledgement =
  /** `units`: what is in each of them, where it is counted. */
  | { type: "orders"; ids: string[]; units?: Record<string, number> }
  | (ToldRun & { type: "run"; orderIds: string[]; noteText: string })
  | (ToldRun & { type: "retry" | "undo"; of: string })
  | { type: "cancel"; runId: string }
  | { type: "patch"; orderId: string; field: string; value: string }
  | { type: "values"; setId: string; values: string[] };

/** What the hub has said it did not and will not do. */
type Refusal = { type: "refused"; of: "run" | "retry" | "undo"; key: string; runId?: string; code: string };

export type JournalEntry = Acknowledgement | Refusal;

export type Journal = {
  append(entry: JournalEntry): void;
  /** How many of each type. */
  counts(): Record<string, number>;
  close(): void;
};

/** An entry counts from when it is on the disk: the journal must not forget what it holds against the hub. */
export function openJournal(file: string): Journal {
  const descriptor = openSync(file, "a");
  const counts: Record<string, number> = {};
  return {
    append(entry) {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`);
      fdatasyncSync(descriptor);
      counts[entry.type] = (counts[entry.type] ?? 0) + 1;
    },
    counts: () => counts,
    close: () => closeSync(descriptor),
  };
}

export function readJournal(file: string): JournalEntry[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}
