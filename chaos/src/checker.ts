import { checkCreated } from "./check-created.ts";
import { checkOrders } from "./check-orders.ts";
import { checkRuns } from "./check-runs.ts";
import type { Findings, Reader } from "./findings.ts";
import type { JournalEntry } from "./journal.ts";
import type { Observation } from "./run-watcher.ts";
import { findIllegalTransitions } from "./run-watcher.ts";

/** Compares the journal with the database, without using the hub. */
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
  await checkCreated(db, journal, findings);
  return findings;
}
