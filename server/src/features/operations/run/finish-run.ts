import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { hintEnd, hintProgress } from "../../../watch.ts";
import { describeRun } from "../describe-run.ts";
import { countRunLabels } from "../run-labels.ts";
import type { LeasedRun } from "./leased-run.ts";
import type { RunRow } from "./runs.store.ts";
import * as runCounts from "./run-counts.store.ts";

/** Returns false when another process still has a batch of the run, or has ended it. */
export async function finishRun(tx: Tx, leased: LeasedRun): Promise<boolean> {
  return await recordEnd(tx, leased, await endRun(tx, leased));
}

export const endRun = (tx: Tx, { ctx, run }: LeasedRun) => runCounts.finishRun(tx, ctx.orgId, run.id, ctx.clock.now());

type Finished = Awaited<ReturnType<typeof endRun>>;

/** Records the end of the run, and the response of the request that waits for it. */
export async function recordEnd(tx: Tx, leased: LeasedRun, finished: Finished): Promise<boolean> {
  if (!finished) return false;
  const { ctx, request } = leased;
  await recordEndEvent(tx, ctx, finished);
  if (!request) {
    tx.afterCommit(() => hintFinish(ctx, finished));
    return true;
  }
  const response = await describeRun(request, tx, finished);
  // A repeated request with the same Idempotency-Key gets this response.
  await request.keepAnswer?.(tx, response);
  // Only after COMMIT: if it fails, the run has not ended.
  tx.afterCommit(() => void (leased.response = response));
  return true;
}

/** Called by the process that ends the run: with its last batch, or with the last response of a carrier. */
export async function recordEndEvent(tx: Tx, ctx: Ctx, finished: NonNullable<Finished>): Promise<void> {
  if (finished.status === "running") return;
  recordEvent(tx, ctx, {
    type: `operation_run.${finished.status}`,
    objectId: finished.id,
    data: await endData(tx, ctx, finished),
  });
}

/** Wakes the streams that watch the run. */
export function hintFinish(ctx: Ctx, { id, status }: RunRow): void {
  if (status === "running") hintProgress(ctx, id);
  else hintEnd(ctx, id);
}

/** What the events about the end of a run say. */
export async function endData(tx: Tx, ctx: Ctx, run: RunRow) {
  const { order_count: total, succeeded, failed, skipped, no_change, undo_of, retry_of } = run;
  const { requested, bought, failed: notBought } = await countRunLabels(ctx, tx, run);
  const labels = { requested, bought, failed: notBought };
  return { total, succeeded, failed, skipped, no_change, undo_of, retry_of, labels };
}
