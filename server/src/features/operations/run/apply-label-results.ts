import type { Ctx, World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { hintProgress } from "../../../watch.ts";
import type { StepLabel } from "../../labels/labels.ts";
import { hasLabelsOfRunsAcrossOrgs, priceWarning, takeEndedOfRunsAcrossOrgs } from "../../labels/labels.ts";
import { markLastRun } from "../../orders/orders.ts";
import type { StepResult } from "../evaluate.ts";
import { endData, hintFinish, recordEndEvent } from "./finish-run.ts";
import { contextOf, toCause } from "./run-work.ts";
import type { StoredResult } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runCounts from "./run-counts.store.ts";
import * as runs from "./runs.store.ts";

const labelsPerTransaction = 500;

/**
 * Updates the steps that requested labels or voids with the carrier's response. A rejected request fails its order: the run counts
 * it, and a retry repeats it. Each response is applied once, in the transaction that takes it. The last one ends the run.
 */
export async function applyLabelResults(world: World, stopping: AbortSignal): Promise<void> {
  if (!(await hasLabelsOfRunsAcrossOrgs(world.db))) return;
  for (;;) {
    const mayBeMore = await world.db.transaction(async (tx) => {
      const ended = await takeEndedOfRunsAcrossOrgs(tx, labelsPerTransaction);
      for (const labels of Map.groupBy(ended.labels, ({ runId }) => runId).values()) await updateRun(tx, world, labels);
      return ended.mayBeMore;
    });
    if (!mayBeMore || stopping.aborted) return;
  }
}

async function updateRun(tx: Tx, world: World, labels: StepLabel[]): Promise<void> {
  const { orgId, runId } = labels[0]!;
  const ctx = systemContext(world, orgId, "operation run");
  const run = await runs.lockRun(tx, orgId, runId);
  // Deleted by retention meanwhile.
  if (!run) return;
  const byOrder = Map.groupBy(labels, ({ orderId }) => orderId);
  const before = await results.lockResults(
    tx,
    runId,
    [...byOrder.keys()].filter((id) => id !== null),
  );
  const after = before.map((result) => withOutcome(result, outcomeOf(run, byOrder.get(result.order_id)!)));
  await results.updateResults(tx, runId, after);
  const failed = after.filter(({ status }, i) => status === "failed" && before[i]!.status === "succeeded");
  if (failed.length > 0) await countFailed(tx, ctx, run, failed);
  // A run that was cancelled, or ended before runs waited for carriers, has ended already.
  const finished =
    run.finished_at === null ? await runCounts.finishRun(tx, orgId, runId, world.clock.now()) : undefined;
  if (finished) await recordEndEvent(tx, contextOf(world, run), finished);
  tx.afterCommit(() => (finished ? hintFinish(ctx, finished) : hintProgress(ctx, runId)));
}

async function countFailed(
  tx: Tx,
  ctx: Ctx,
  { id: runId, org_id: orgId, cause }: RunRow,
  failed: StoredResult[],
): Promise<void> {
  markLastRun(tx, orgId, { failed: failed.map(({ order_id }) => order_id), succeeded: [] });
  const counted = await runCounts.addFailures(tx, orgId, runId, failed.length);
  const data = { ...(await endData(tx, ctx, counted)), rejected: failed.length };
  recordEvent(tx, { ...ctx, cause: toCause(cause) }, { type: "operation_run.carrier_rejected", objectId: runId, data });
}

type StepOutcome = Pick<StepResult, "error" | "warning"> & { index: number };

/** All labels of one step of one order. The carrier's own words can name the recipient, so they stay with the label. */
function outcomeOf(run: RunRow, labels: StepLabel[]): StepOutcome {
  const index = labels[0]!.runStep;
  const isVoid = run.actions[index]?.type === "void_label";
  const rejected = labels.find(({ status }) => status === (isVoid ? "purchased" : "failed"));
  if (rejected) {
    const { id, failure } = rejected;
    const message = `The carrier rejected the ${isVoid ? "void" : "label"} request.`;
    const error = { code: failure?.code ?? "carrier_failed", message, fix: `See GET /shipments/labels/${id}.` };
    return { index, error };
  }
  // Purchased, but with a problem that needs attention.
  const problem = isVoid ? undefined : labels.find(({ failure }) => failure !== null)?.failure;
  const warning = problem ?? (isVoid ? refundWarning(labels) : labels.map(priceWarning).find((one) => one !== null));
  return warning ? { index, warning } : { index };
}

/** The void succeeded; whether the money comes back is decided later. */
function refundWarning(labels: StepLabel[]): StepOutcome["warning"] {
  const pending = labels.find(({ refund }) => refund?.state === "submitted");
  if (!pending) return undefined;
  const message = `The label is void; the carrier decides about the refund later. See GET /shipments/labels/${pending.id}.`;
  return { code: "refund_pending", message };
}

function withOutcome(result: StoredResult, { index, error, warning }: StepOutcome): StoredResult {
  const steps = result.steps.map((step): StepResult => {
    if (step.index !== index) return step;
    const { warning: _pending, ...ended } = step;
    return { ...ended, ...(warning && { warning }), ...(error && { error, status: "failed" }) };
  });
  if (!error) return { ...result, steps };
  return {
    ...result,
    steps,
    status: "failed",
    todo: result.todo | (1 << index),
    error_code: result.error_code ?? error.code,
    error: result.error ?? error,
  };
}
