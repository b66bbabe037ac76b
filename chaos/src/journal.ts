import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Summary = { total: number; succeeded: number; failed: number; skipped: number; no_change: number };

/** What the hub has said it did. */
export type Acknowledgement =
  | { type: "orders"; ids: string[] }
  | { type: "run"; key: string; runId: string; orderIds: string[]; noteText: string; status: string; summary: Summary }
  | { type: "retry" | "undo"; key: string; runId: string; of: string; status: string; summary: Summary }
  | { type: "cancel"; runId: string }
  | { type: "patch"; orderId: string; field: string; value: string }
  | { type: "values"; setId: string; values: string[] };

/** What the hub has said it did not and will not do. */
export type Refusal = { type: "refused"; of: "run" | "retry" | "undo"; key: string; runId?: string; code: string };

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
