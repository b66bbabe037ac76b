import type { Client } from "pg";
import { checkMade } from "./check-made.ts";
import { checkOrders } from "./check-orders.ts";
import { checkRuns } from "./check-runs.ts";
import type { JournalEntry } from "./journal.ts";
import type { Observation } from "./run-watcher.ts";
import { findIllegalTransitions } from "./run-watcher.ts";

export type Reader = Pick<Client, "query">;

/** Each list must be empty. */
export type Findings = {
  /** Acknowledged, and not there. */
  lost: string[];
  /** Done more than once. */
  doubled: string[];
  illegalTransitions: string[];
  /** Everything else that cannot be: unfinished runs, results that do not fit, versions with gaps, a broken chain. */
  broken: string[];
};

/** Holds the journal against the database, never asking the hub. */
export async function check(
  db: Reader,
  journal: JournalEntry[],
  observations: readonly Observation[],
): Promise<Findings> {
  const findings: Findings = {
    lost: [],
    doubled: [],
    illegalTransitions: findIllegalTransitions(observations),
    broken: [],
  };
  await checkRuns(db, journal, findings);
  await checkOrders(db, journal, findings);
  await checkMade(db, journal, findings);
  return findings;
}
