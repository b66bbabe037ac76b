import type { Tx } from "../../../db/database.ts";
import type { RunStatus } from "../run.schemas.ts";
import { skippedCodes } from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import { leaseEnd } from "./runs.store.ts";

export type Counts = { succeeded: number; failed: number; skipped: number; noChange: number; partiallyUndone: number };

/** Marks the batch as done, adds its counts and renews the lease. Returns true for the last batch. */
export async function finishBatch(
  tx: Tx,
  orgId: string,
  id: string,
  position: number,
  counts: Counts,
): Promise<boolean> {
  const [row] = await tx.query<{ isLast: boolean }>(
    `with batch as (update operation_run_batches set is_done = true where run_id = $2 and position = $3)
     update operation_runs set succeeded = succeeded + $4, failed = failed + $5, skipped = skipped + $6,
       no_change = no_change + $7, partially_undone = partially_undone + $8, lease_until = ${leaseEnd} where org_id = $1 and id = $2
     returning succeeded + failed + skipped = order_count as "isLast"`,
    [orgId, id, position, counts.succeeded, counts.failed, counts.skipped, counts.noChange, counts.partiallyUndone],
  );
  return row!.isLast;
}

type EndedRun = RunRow & { status: Exclude<RunStatus, "queued" | "running">; finished_at: Date };
/** All orders are processed, and carriers have not responded to all label requests yet. No worker has to do anything. */
type WaitingRun = RunRow & { status: "running"; finished_at: null };

/**
 * Ends the run, or leaves it running until its label requests are settled; the status follows from its counters. Undefined when a batch
 * is left or the run has already ended. The subqueries stop at the first row, by operation_results_failed, shipment_labels_of_runs and the
 * primary key of the batches. A cancelled run does not wait: it does not claim that anything succeeded.
 */
export async function finishRun(
  tx: Tx,
  orgId: string,
  id: string,
  at: Date,
): Promise<EndedRun | WaitingRun | undefined> {
  const [row] = await tx.query<EndedRun | WaitingRun>(
    `update operation_runs
        set due_at = null, lease_owner = null, lease_until = null, filter = null, condition = null,
            finished_at = case when not now.is_waiting then $3::timestamptz end,
       status = case when now.is_waiting then 'running'
                     when now.is_cancelled then 'cancelled'
                     when failed = 0 and (skipped = 0 or not exists (
                       select 1 from operation_results o where o.run_id = $2 and o.status = 'skipped'
                          and o.error_code <> all($4))) then 'succeeded'
                     when succeeded = 0 then 'failed' else 'partially_failed' end
       from (select run.is_cancelled, not run.is_cancelled and run.has_labels as is_waiting
               from (select exists (select 1 from operation_results o where o.run_id = $2 and o.status = 'cancelled') as is_cancelled,
                            exists (select 1 from shipment_labels label where label.run_id = $2) as has_labels) run) now
      where org_id = $1 and id = $2 and finished_at is null
        and not exists (select 1 from operation_run_batches c where c.run_id = $2 and not c.is_done)
      returning operation_runs.*`,
    [orgId, id, at, skippedCodes],
  );
  return row;
}

/** Counts succeeded orders as failed; the status of an ended run is updated. */
export async function addFailures(tx: Tx, orgId: string, id: string, count: number): Promise<RunRow> {
  const [row] = await tx.query<RunRow>(
    `update operation_runs set succeeded = succeeded - $3, failed = failed + $3,
       status = case when status not in ('succeeded', 'partially_failed') then status
                     when succeeded = $3 then 'failed' else 'partially_failed' end
      where org_id = $1 and id = $2 returning *`,
    [orgId, id, count],
  );
  return row!;
}
