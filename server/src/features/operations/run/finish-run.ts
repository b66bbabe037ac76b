import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { hintEnd } from "../../../watch.ts";
import { describeRun } from "../describe-run.ts";
import type { LeasedRun } from "./leased-run.ts";
import * as runs from "./runs.store.ts";

/** Returns false when another process still has a batch of the run, or has ended it. */
export async function finishRun(tx: Tx, leased: LeasedRun): Promise<boolean> {
  return await recordEnd(tx, leased, await endRun(tx, leased));
}

export const endRun = (tx: Tx, { ctx, run }: LeasedRun) => runs.finishRun(tx, ctx.orgId, run.id, ctx.clock.now());

/** Records the end of the run, and the response of the request that waits for it. */
export async function recordEnd(
  tx: Tx,
  leased: LeasedRun,
  ended: Awaited<ReturnType<typeof endRun>>,
): Promise<boolean> {
  if (!ended) return false;
  const { ctx, run, request } = leased;
  const { succeeded, failed, skipped, no_change, order_count } = ended;
  recordEvent(tx, ctx, {
    type: `operation_run.${ended.status}`,
    objectId: run.id,
    data: { total: order_count, succeeded, failed, skipped, no_change, undo_of: run.undo_of, retry_of: run.retry_of },
  });
  if (!request) {
    tx.afterCommit(() => hintEnd(ctx, run.id));
    return true;
  }
  const response = await describeRun(request, tx, ended);
  // A repeated request with the same Idempotency-Key gets this response.
  await request.keepAnswer?.(tx, response);
  // Only after COMMIT: if it fails, the run has not ended.
  tx.afterCommit(() => void (leased.response = response));
  return true;
}
