import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { hintProgress } from "../../../watch.ts";
import type { StepLabel } from "../../labels/labels.ts";
import { hasLabelsOfRunsAcrossOrgs, takeEndedOfRunsAcrossOrgs } from "../../labels/labels.ts";
import { markLastRun } from "../../orders/orders.ts";
import type { StepResult } from "../evaluate.ts";
import type { StoredResult } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";

const labelsPerTransaction = 500;

/**
 * Updates the steps that requested labels or voids with the carrier's response. A rejected request fails its order: the run counts
 * it, and a retry repeats it. Each response is applied once, in the transaction that takes it.
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
  const before = await results.lockResults(tx, runId, [...byOrder.keys()]);
  const after = before.map((result) => withOutcome(result, outcomeOf(run, byOrder.get(result.order_id)!)));
  await results.updateResults(tx, runId, after);
  tx.afterCommit(() => hintProgress(ctx, runId));
  const failed = after.filter(({ status }, i) => status === "failed" && before[i]!.status === "succeeded");
  if (failed.length === 0) return;
  markLastRun(tx, orgId, { failed: failed.map(({ order_id }) => order_id), succeeded: [] });
  const counted = await runs.addFailures(tx, orgId, runId, failed.length);
  recordEvent(tx, ctx, {
    type: "operation_run.carrier_rejected",
    objectId: runId,
    data: {
      total: counted.order_count,
      succeeded: counted.succeeded,
      failed: counted.failed,
      skipped: counted.skipped,
      no_change: counted.no_change,
      rejected: failed.length,
      retry_of: run.retry_of,
      undo_of: run.undo_of,
    },
  });
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
  return problem ? { index, warning: problem } : { index };
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
