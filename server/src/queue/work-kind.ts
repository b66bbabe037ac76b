import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import type { Signals, Topic } from "../db/signals.ts";
import type { LeasedRow, Leases } from "./leases.ts";

/** The parts of a World that a worker needs. */
export type WorkerContext = {
  db: Database;
  signals: Signals;
  clock: { now(): Date };
  log: Pick<Logger, "info" | "warn" | "error">;
};

/** A kind of background work: rows of one table, claimed under a lease and processed by any hub process. */
export type WorkKind<W extends WorkerContext, Row extends LeasedRow> = {
  /** Name used in logs and metrics. */
  name: string;
  leases: Leases<Row>;
  /** Signals that announce due rows. */
  wakeOn: Topic[];
  /** Poll interval. Wake-up signals can be lost and workers can die, so the table is also polled. */
  pollIntervalMs: number;
  /** Attempts without progress before `giveUp` runs. A process that dies while holding the lease counts as an attempt. */
  maxAttempts: number;
  /** Whether a claim could find a row, for kinds whose poll does more than look for due rows. */
  poll?(world: W): Promise<boolean>;
  /** Values for `onClaim` of the leases. */
  claimValues?(world: W): unknown[];
  /**
   * Processes one row. Return "done" when the last transaction has released the lease (and set the next due time, if any),
   * or "yield" when more work remains and other organizations should be served first. A thrown error is retried with backoff.
   */
  run(world: W, row: Row, slice: TimeSlice): Promise<"done" | "yield">;
  /** Ends the row in a way its users can see. */
  giveUp(world: W, row: Row, error: unknown): Promise<void>;
};

/** The time a worker gives to one row before it serves another one. */
export type TimeSlice = {
  /** Owner of the lease, different for each claim of the row. */
  owner: string;
  /** Aborted when the lease was lost, the row was cancelled or the process stops: nothing more may be started. */
  signal: AbortSignal;
  /** The lease was renewed recently enough to be held for certain. */
  isFresh(): boolean;
  /** Frees the slot for the next row while this one only waits for its outcome to be written. */
  releaseSlot(): void;
  /** The time slice is used up and other rows may be waiting: return "yield" at the next opportunity. */
  shouldYield(): boolean;
};
