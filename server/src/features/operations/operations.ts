import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Live, Streamed } from "../../route.ts";
import { watchRecord } from "../../watch.ts";
import { recordEvent } from "../../events/record-event.ts";
import { requireAgentPreflight } from "./agent-limits.ts";
import { asksForOverride, compilePipeline, listSteps, refuseWithoutOverride } from "./compile-pipeline.ts";
import type { Pipeline } from "./evaluate.ts";
import { executeNewRun, finishIfIdle, requestOwner } from "./run/run-work.ts";
import type { RunPlan } from "./run/create-run.ts";
import { insertRun } from "./run/create-run.ts";
import type { RunBody } from "./operations.schemas.ts";
import type { ResultQuery, RetryRequest, RunDetail, RunQuery, RunRecord, RunResult } from "./run.schemas.ts";
import { exportResults } from "./run/export-results.ts";
import type { Effects } from "./run/run-effects.ts";
import { listUndoable, mapWithEffects } from "./run/run-effects.ts";
import { presentRun, presentWithoutResults } from "./present-run.ts";
import { withSavedPipeline } from "./saved-pipelines.ts";
import { preflightUndoOf } from "./undo-preflight.ts";
import { completeResults, describeRun } from "./describe-run.ts";
import { countLabels, countLabelsOfFailed, countRunLabels, noLabels } from "./run-labels.ts";
import type { PlannedOrders } from "./run/plan-run.ts";
import { planOrders } from "./run/plan-run.ts";
import { findUnknown } from "./run/run-orders.ts";
import { findIdByRef } from "../orders/orders.ts";
import type { Unfinished } from "./run/run-results.store.ts";
import * as results from "./run/run-results.store.ts";
import { listGroups } from "./run/result-groups.store.ts";
import type { RunRow, SelectedOrders } from "./run/runs.store.ts";
import * as runs from "./run/runs.store.ts";

/** Larger runs are queued instead of being processed within the request. */
const maxOrdersInRequest = 1_000;

export { actionCatalog } from "./action-catalog.ts";
export { requireAgentTaskLimit } from "./agent-limits.ts";
export { listActions } from "./list-actions.ts";
export { readFacts } from "./order-conditions.ts";
export { preflightOrders } from "./preflight.ts";
export { presentCondition } from "./present-run.ts";
export { createPipeline, findPipelineDigests, openActions, openCondition, openPipeline } from "./saved-pipelines.ts";
export type { Pipeline } from "./evaluate.ts";
export type { RunCause } from "./run.schemas.ts";
export type { OpenPipeline } from "./saved-pipelines.ts";
export { removeExpiredSelections, selectOrders } from "./selections.ts";
export { queueRun } from "./run/create-run.ts";
export { runWork } from "./run/run-work.ts";
export { applyLabelResults } from "./run/apply-label-results.ts";
export { deleteOldRunsAcrossOrgs } from "./run/old-runs.store.ts";
export { unpackChanges } from "./run/operation-values.store.ts";

export async function startRun(ctx: Ctx, body: RunBody, isAsync: boolean): Promise<RunDetail> {
  const request = requireAgentPreflight(ctx, await withSavedPipeline(ctx, body));
  const { actions, on_error = "skip_order", atomic: is_atomic = false, note = null } = request;
  const pipeline = await compilePipeline(ctx, actions, { onError: on_error, isAtomic: is_atomic });
  const { orders, about } = await planOrders(ctx, request, pipeline);
  const named = { pipeline_id: request.pipeline_id ?? null };
  return await begin(ctx, pipeline, orders, isAsync, { actions, on_error, is_atomic, note, ...named, ...about });
}

/** A new run of the orders that still fail, each from its first step that was not applied. */
export async function retryRun(ctx: Ctx, id: string, request: RetryRequest, isAsync: boolean): Promise<RunDetail> {
  const run = await getFinishedRun(ctx, id);
  if (run.undo_of !== null) throw new HubError("undo_not_retryable");
  const first = run.root_run_id === run.id ? run : await runs.findRun(ctx.db, ctx.orgId, run.root_run_id);
  const options = { onError: run.on_error, isAtomic: run.is_atomic, askedAt: (first ?? run).created_at };
  const pipeline = await compilePipeline(ctx, run.actions, options);
  return await begin(
    ctx,
    pipeline,
    async (tx) => {
      await refuseUnfinishedChain(tx, ctx, run);
      const failed = await results.listStillFailed(tx, run.id, run.root_run_id, request);
      const why = request.codes && `No order of the run still fails with ${request.codes.join(" or ")}.`;
      if (failed.length === 0) throw new HubError("no_failed_orders", why);
      const named = await findUnknown(tx, ctx, run.root_run_id, failed);
      if (named.length === 0) throw new HubError("no_failed_orders");
      const left = ({ undoneSteps }: Effects, { ref, todo }: Unfinished): number => todo | undoneSteps(ref);
      return {
        refs: named.map(({ ref }) => ref),
        orderIds: named.map(({ order_id }) => order_id),
        duplicatesRemoved: failed.length - named.length,
        todo: await mapWithEffects(tx, run.root_run_id, named, left),
      };
    },
    isAsync,
    { ...planOf(run), retry_of: run.id, attempt: run.attempt + 1 },
  );
}

/** Previews an undo. Nothing is written. */
export async function preflightUndo(ctx: Ctx, id: string) {
  return await preflightUndoOf(ctx, await getFinishedRun(ctx, id));
}

/** A new run of the inverse steps, newest first. */
export async function undoRun(ctx: Ctx, id: string, isAsync: boolean): Promise<RunDetail> {
  const run = await getFinishedRun(ctx, id);
  // A change that required the scope also requires it to be undone.
  if (asksForOverride(run.actions)) refuseWithoutOverride(ctx, "The run used operations:override.");
  const pipeline = await listSteps(ctx, run.actions);
  return await begin(
    ctx,
    pipeline,
    async (tx) => {
      await refuseUnfinishedChain(tx, ctx, run);
      const changed = await listUndoable(tx, run);
      if (changed.length === 0) throw new HubError("nothing_to_undo");
      return {
        refs: changed.map(({ ref }) => ref),
        orderIds: changed.map(({ order_id }) => order_id),
        duplicatesRemoved: 0,
      };
    },
    isAsync,
    { ...planOf(run), undo_of: run.id },
  );
}

export async function cancelRun(ctx: Ctx, id: string): Promise<RunDetail> {
  await change(ctx, async (tx) => {
    const run = orNotFound("operation_run", await runs.lockRun(tx, ctx.orgId, id));
    // Kept for a repeated request, in case this process dies before the run has ended.
    if (run.status === "cancelled" || run.cancel_requested) return presentWithoutResults(ctx, run);
    if (run.finished_at) throw new HubError("run_finished", `The run has already finished with status ${run.status}.`);
    if (runs.isProcessed(run)) {
      const message =
        "All orders of the run are processed; it waits for carriers, whose labels can be voided afterwards.";
      throw new HubError("run_finished", message);
    }
    await runs.requestCancel(tx, ctx.orgId, id);
    recordEvent(tx, ctx, { type: "operation_run.cancel_requested", objectId: id });
    return presentWithoutResults(ctx, run);
  });
  await finishIfIdle(ctx, id);
  return await getRun(ctx, id);
}

export async function listRuns(ctx: Ctx, query: RunQuery): Promise<Page<RunRecord>> {
  const order_id = await findIdByRef(ctx, query.order_id);
  const page = await runs.listRuns(ctx.db, ctx.orgId, { ...query, ...(order_id && { order_id }) });
  const labels = await countLabels(ctx, ctx.db, page.data);
  return mapPage(page, (run) => presentRun(ctx, run, labels.get(run.id) ?? noLabels));
}

export async function getRun(ctx: Ctx, id: string, shown?: number): Promise<RunDetail> {
  const run = await findRunOrThrow(ctx, id);
  return { ...(await describeRun(ctx, ctx.db, run, shown)), ...(await runs.listRelatedRuns(ctx.db, ctx.orgId, id)) };
}

/** Undefined once retention has deleted the run. */
export async function findRun(ctx: Ctx, id: string): Promise<Pick<RunRow, "finished_at"> | undefined> {
  return await runs.findRun(ctx.db, ctx.orgId, id);
}

/** A separate request because it reads all unsuccessful results of the run. */
export async function listRunGroups(ctx: Ctx, id: string) {
  const run = await findRunOrThrow(ctx, id);
  const groups = await listGroups(ctx.db, id);
  return {
    data: groups.map((group) => ({
      ...group,
      // An undo cannot be retried; the run can be undone again.
      retryable: run.undo_of === null && !results.skippedCodes.includes(group.code),
    })),
    labels: await countLabelsOfFailed(ctx, ctx.db, run),
  };
}

export async function watchRun(ctx: Ctx, id: string): Promise<Live> {
  const read = async (): Promise<RunRecord> => {
    const run = await findRunOrThrow(ctx, id);
    return presentRun(ctx, run, await countRunLabels(ctx, ctx.db, run));
  };
  return await watchRecord(ctx, { id, read, hasEnded: ({ finished_at }) => finished_at !== null });
}

export async function listResults(ctx: Ctx, id: string, query: ResultQuery): Promise<Page<RunResult>> {
  const run = await findRunOrThrow(ctx, id);
  const page = await results.listResults(ctx.db, ctx.orgId, id, query);
  return { ...page, data: await completeResults(ctx, ctx.db, run, page.data) };
}

export async function exportRunResults(ctx: Ctx, id: string): Promise<Streamed> {
  const run = await findRunOrThrow(ctx, id);
  return exportResults(ctx, run);
}

/** Commits the run and its orders before processing starts: if this process dies, another one finishes the run. */
async function begin(
  ctx: Ctx,
  pipeline: Pipeline,
  orders: PlannedOrders | SelectedOrders | ((tx: Tx) => Promise<PlannedOrders>),
  isAsync: boolean,
  plan: RunPlan,
): Promise<RunDetail> {
  const { run, isWaiting } = await ctx.db.transaction(async (tx) => {
    const planned = typeof orders === "function" ? await orders(tx) : orders;
    const count = "refs" in planned ? planned.refs.length : planned.matched;
    const isWaitingForWorker = isAsync || count > maxOrdersInRequest;
    const row = await insertRun(tx, ctx, pipeline, planned, plan, isWaitingForWorker ? null : requestOwner(ctx));
    // A repeated request must find this run, even if this process dies before it is finished.
    await ctx.keepAnswer?.(tx, presentWithoutResults(ctx, row));
    return { run: row, isWaiting: isWaitingForWorker };
  });
  if (isWaiting) return presentWithoutResults(ctx, run);
  return (await executeNewRun(ctx, run, pipeline)) ?? (await getRun(ctx, run.id));
}

/** An undo keeps the cause of its run, so that it does not trigger the same automation again. */
function planOf({ actions, on_error, is_atomic, note, root_run_id, pipeline_id, cause }: RunRow): RunPlan {
  return { actions, on_error, is_atomic, note, root_run_id, pipeline_id, cause };
}

/** Label requests that are open at carriers keep nothing from being retried or undone: each order has its own. */
async function getFinishedRun(ctx: Ctx, id: string): Promise<RunRow> {
  const run = await findRunOrThrow(ctx, id);
  if (!runs.isProcessed(run))
    throw new HubError("run_not_finished", "The run is still in progress. Wait for it or cancel it.");
  return run;
}

/** The lock on the first run of the chain serializes its retries and undos. */
async function refuseUnfinishedChain(tx: Tx, ctx: Ctx, run: RunRow): Promise<void> {
  // Retention may have deleted it meanwhile.
  orNotFound("operation_run", await runs.lockRun(tx, ctx.orgId, run.root_run_id));
  const other = await runs.findUnfinishedInChain(tx, ctx.orgId, run.root_run_id);
  if (other !== undefined)
    throw new HubError("run_not_finished", `Run ${other} of the same chain is still in progress.`);
}

async function findRunOrThrow(ctx: Ctx, id: string): Promise<RunRow> {
  return orNotFound("operation_run", await runs.findRun(ctx.db, ctx.orgId, id));
}
