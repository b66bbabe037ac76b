import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";

export type Summary = { total: number; succeeded: number; failed: number; skipped: number; no_change: number };

/** `made`: orders that its steps reported as created. */
type AcknowledgedRun = { key: string; runId: string; status: string; summary: Summary; made?: string[] };

/** A change that the hub acknowledged. */
type Acknowledgement =
  /** `units`: number of units per order, where counted. */
  | { type: "orders"; ids: string[]; units?: Record<string, number> }
  | (AcknowledgedRun & { type: "run"; orderIds: string[]; noteText: string })
  | (AcknowledgedRun & { type: "retry" | "undo"; of: string })
  | { type: "cancel"; runId: string }
  | { type: "patch"; orderId: string; field: string; value: string }
  | { type: "values"; setId: string; values: string[] };

/** A request that the hub rejected for good. */
type Refusal = { type: "refused"; of: "run" | "retry" | "undo"; key: string; runId?: string; code: string };

export type JournalEntry = Acknowledgement | Refusal;

export type Journal = {
  append(entry: JournalEntry): void;
  /** Entries by type. */
  counts(): Record<string, number>;
  close(): void;
};

/** Entries are synced to disk, so that the journal itself loses nothing. */
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
