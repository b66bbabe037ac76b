import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { hintProgress } from "../../../watch.ts";
import type { StepLabel } from "../../labels/labels.ts";
import { hasLabelsOfRunsAcrossOrgs, takeEndedOfRunsAcrossOrgs } from "../../labels/labels.ts";
import { markLastRun } from "../../orders/orders.ts";
import type { StepEnd } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";

const labelsAtOnce = 500;

/**
 * Steps that asked carriers for something learn how it ended: what a carrier refused has failed, the run counts it, and a
 * retry does it again. Each answer is told once, in the transaction in which it is taken.
 */
export async function tellRuns(world: World, stopping: AbortSignal): Promise<void> {
  if (!(await hasLabelsOfRunsAcrossOrgs(world.db))) return;
  for (;;) {
    const mayBeMore = await world.db.transaction(async (tx) => {
      const ended = await takeEndedOfRunsAcrossOrgs(tx, labelsAtOnce);
      for (const labels of Map.groupBy(ended.labels, ({ runId }) => runId).values()) await tellRun(tx, world, labels);
      return ended.mayBeMore;
    });
    if (!mayBeMore || stopping.aborted) return;
  }
}

async function tellRun(tx: Tx, world: World, labels: StepLabel[]): Promise<void> {
  const { orgId, runId } = labels[0]!;
  const ctx = systemContext(world, orgId, "operation run");
  const run = await runs.lockRun(tx, orgId, runId);
  // It may have grown too old meanwhile.
  if (!run) return;
  const ends = [...Map.groupBy(labels, ({ orderId }) => orderId)].map(([orderId, own]) => endOf(run, orderId, own));
  const failed = await results.endSteps(tx, runId, ends);
  tx.afterCommit(() => hintProgress(ctx, runId));
  if (failed.length === 0) return;
  markLastRun(tx, orgId, { failed, succeeded: [] });
  const {
    succeeded,
    failed: all,
    skipped,
    no_change,
    order_count: total,
  } = await runs.addFailures(tx, orgId, runId, failed.length);
  const { retry_of, undo_of } = run;
  const counts = { total, succeeded, failed: all, skipped, no_change };
  recordEvent(tx, ctx, {
    type: "operation_run.carrier_rejected",
    objectId: runId,
    data: { ...counts, rejected: failed.length, retry_of, undo_of },
  });
}

/** All labels of one step of one order. In a carrier's own words is who gets the parcel: they stay with the label. */
function endOf(run: RunRow, orderId: string, labels: StepLabel[]): StepEnd {
  const step = labels[0]!.runStep;
  const isVoid = run.actions[step]?.type === "void_label";
  const refused = labels.find(({ status }) => status === (isVoid ? "purchased" : "failed"));
  if (refused) {
    const { id, failure } = refused;
    const what = isVoid ? "did not take the label back" : "did not sell the label";
    const message = `The carrier ${what}.`;
    const error = { code: failure?.code ?? "carrier_failed", message, fix: `GET /shipments/labels/${id} says why.` };
    return { orderId, step, error, warning: null };
  }
  // Bought, and something about it needs a look.
  const doubt = isVoid ? undefined : labels.find(({ failure }) => failure !== null)?.failure;
  return { orderId, step, error: null, warning: doubt ?? null };
}
