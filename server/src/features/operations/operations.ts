import type { Page } from "../../core/page.ts";
import { HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Streamed } from "../../route.ts";
import { recordEvent } from "../../events/record-event.ts";
import { readVersions } from "../orders/orders.ts";
import { orderStatuses } from "../orders/orders.states.ts";
import { actionCatalog } from "./action-catalog.ts";
import { compilePipeline, listSteps, mayOverride } from "./compile-pipeline.ts";
import type { Pipeline } from "./evaluate.ts";
import { executeRun, workerName } from "./execute-run.ts";
import type { ResultQuery, RunDetail, RunQuery, RunRecord, RunRequest, RunResult } from "./operations.schemas.ts";
import { exportResults } from "./export-results.ts";
import { readEffects } from "./run-effects.ts";
import { findDrift } from "./preflight-token.ts";
import { presentResults, presentRun, presentWithoutResults } from "./present-run.ts";
import type { FoundOrders } from "./run-orders.ts";
import { findOrders, findUnknown } from "./run-orders.ts";
import { findUnusable } from "../bridges/bridge-tasks.ts";
import { listOpenBridges } from "../bridges/bridges.ts";
import type { ActionDefinition } from "./action.ts";
import type { Chunk } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { NewRun, RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";

/** Above this the answer does not wait for the work. */
const maxOrdersInRequest = 1_000;
const chunkSize = 500;
const firstResults = 100;

export async function listActions(ctx: Ctx) {
  const hasBridge = (await listOpenBridges(ctx)).some((bridge) => findUnusable(ctx, bridge) === undefined);
  const isAvailable = ({ needsBridges }: ActionDefinition): boolean => hasBridge || !needsBridges;
  return {
    data: actionCatalog.map((action) => ({
      type: action.type,
      title: action.title,
      group: action.group,
      description: action.description,
      params_schema: action.params,
      example: action.example,
      allowed_statuses: action.statuses === "any" ? orderStatuses : action.statuses,
      effect: action.effect,
      reversible: action.reversible,
      idempotent: action.idempotent,
      blocked_by_hold: action.blockedByHold ?? false,
      scope: action.scope ?? "operations:run",
      available: isAvailable(action),
      unavailable_reason: isAvailable(action) ? null : "Needs an active bridge; this organization has none.",
    })),
    groups: [...new Set(actionCatalog.map(({ group }) => group))],
  };
}

export async function startRun(ctx: Ctx, request: RunRequest, isAsync: boolean): Promise<RunDetail> {
  const onError = request.on_error ?? "skip_order";
  const isAtomic = request.atomic ?? false;
  const pipeline = await compilePipeline(ctx, request.actions, { onError, isAtomic });
  const found = await findOrders(ctx, request.order_ids, pipeline);
  const drifted =
    request.preflight_token === undefined ? null : await drift(ctx, request, request.preflight_token, found);
  const id = ctx.newId();
  return await begin(ctx, pipeline, found, isAsync, {
    id,
    actions: request.actions,
    onError,
    isAtomic,
    note: request.note ?? null,
    retryOf: null,
    undoOf: null,
    rootRunId: id,
    attempt: 1,
    drifted,
  });
}

async function drift(ctx: Ctx, request: RunRequest, token: string, found: FoundOrders): Promise<string[]> {
  const now = await readVersions(
    ctx.db,
    ctx.orgId,
    found.orderIds.filter((id) => id !== null),
  );
  return findDrift(ctx, token, request, now);
}

/** Only the orders that still fail, each from its first step that was not done. */
export async function retryRun(ctx: Ctx, id: string, isAsync: boolean): Promise<RunDetail> {
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
      const failed = await results.listStillFailed(tx, run.id, run.root_run_id);
      if (failed.length === 0) throw new HubError("no_failed_orders");
      const { undoneSteps } = await readEffects(tx, run.root_run_id);
      const named = await findUnknown(tx, ctx, run.root_run_id, failed);
      if (named.length === 0) throw new HubError("no_failed_orders");
      return {
        refs: named.map(({ ref }) => ref),
        orderIds: named.map(({ order_id }) => order_id),
        duplicatesRemoved: failed.length - named.length,
        todo: named.map(({ ref, todo }) => todo | undoneSteps(ref)),
      };
    },
    isAsync,
    { ...inherited(ctx, run), retryOf: run.id, undoOf: null, rootRunId: run.root_run_id, attempt: run.attempt + 1 },
  );
}

/** A new run of the inverse steps, newest first. */
export async function undoRun(ctx: Ctx, id: string, isAsync: boolean): Promise<RunDetail> {
  const run = await getFinishedRun(ctx, id);
  const pipeline = await listSteps(ctx, run.actions);
  const undo = inherited(ctx, run);
  return await begin(
    ctx,
    pipeline,
    async (tx) => {
      await refuseUnfinishedChain(tx, ctx, run);
      const { effectOf } = await readEffects(tx, run.root_run_id);
      const changed = (await results.listChanged(tx, run.id)).filter(({ ref }) => effectOf(run.id, ref) !== 0);
      if (changed.length === 0) throw new HubError("nothing_to_undo");
      return {
        refs: changed.map(({ ref }) => ref),
        orderIds: changed.map(({ order_id }) => order_id),
        duplicatesRemoved: 0,
      };
    },
    isAsync,
    { ...undo, retryOf: null, undoOf: run.id, rootRunId: run.root_run_id, attempt: 1 },
  );
}

export async function cancelRun(ctx: Ctx, id: string): Promise<RunDetail> {
  await change(ctx, async (tx) => {
    const run = await runs.lockRun(tx, ctx.orgId, id);
    if (!run) throw notFound("operation_run");
    // Kept for a repeated request, should we die before the run has ended; like the first answer of a run.
    if (run.status === "cancelled" || run.cancel_requested) return presentWithoutResults(ctx, run);
    if (run.finished_at) throw new HubError("run_finished", `The run has ended already: it ${run.status}.`);
    await runs.requestCancel(tx, ctx.orgId, id);
    await recordEvent(tx, ctx, { type: "operation_run.cancel_requested", objectId: id });
    return presentWithoutResults(ctx, run);
  });
  // Nobody may be working on it; then it ends here. Otherwise its worker sees the request before its next portion.
  await executeRun(ctx, id);
  return await getRun(ctx, id);
}

export async function listRuns(ctx: Ctx, query: RunQuery): Promise<Page<RunRecord>> {
  const page = await runs.listRuns(ctx.db, ctx.orgId, query);
  return { ...page, data: page.data.map((run) => presentRun(ctx, run)) };
}

export async function getRun(ctx: Ctx, id: string): Promise<RunDetail> {
  return await describe(ctx, await findRunOrThrow(ctx, id));
}

export async function listResults(ctx: Ctx, id: string, query: ResultQuery): Promise<Page<RunResult>> {
  await findRunOrThrow(ctx, id);
  const page = await results.listResults(ctx.db, id, query);
  return { ...page, data: presentResults(ctx, page.data) };
}

export async function exportRunResults(ctx: Ctx, id: string): Promise<Streamed> {
  await findRunOrThrow(ctx, id);
  return exportResults(ctx, id);
}

type RunPlan = Omit<
  NewRun,
  "mayOverride" | "createdBy" | "requestId" | "orderCount" | "duplicatesRemoved" | "at" | "worker"
>;
type PlannedOrders = FoundOrders & { todo?: number[] };

/** The run and its orders are committed before any work starts: from here on it will be finished, whoever dies. */
async function begin(
  ctx: Ctx,
  pipeline: Pipeline,
  orders: FoundOrders | ((tx: Tx) => Promise<PlannedOrders>),
  isAsync: boolean,
  plan: RunPlan,
): Promise<RunDetail> {
  const { run, isWaiting } = await ctx.db.transaction(async (tx) => {
    const planned: PlannedOrders = typeof orders === "function" ? await orders(tx) : orders;
    const isWaitingForWorker = isAsync || planned.refs.length > maxOrdersInRequest;
    const row = await runs.insertRun(tx, ctx.orgId, {
      ...plan,
      mayOverride: mayOverride(ctx),
      createdBy: ctx.actor,
      requestId: ctx.requestId,
      orderCount: planned.refs.length,
      duplicatesRemoved: planned.duplicatesRemoved,
      at: ctx.clock.now(),
      worker: isWaitingForWorker ? null : workerName(ctx),
    });
    await results.insertChunks(tx, row.id, toChunks(planned, pipeline));
    await recordEvent(tx, ctx, {
      type: "operation_run.created",
      objectId: row.id,
      data: {
        order_count: row.order_count,
        actions: plan.actions.map(({ type }) => type),
        retry_of: plan.retryOf,
        undo_of: plan.undoOf,
      },
    });
    if (isWaitingForWorker) await ctx.signals.publish(tx, "operation_run", row.id);
    // Kept from the first moment: a repeated request must find this run, even if we die before it is finished.
    await ctx.keepAnswer?.(tx, presentWithoutResults(ctx, row));
    return { run: row, isWaiting: isWaitingForWorker };
  });
  if (!isWaiting) await executeRun(ctx, run.id);
  return await getRun(ctx, run.id);
}

function toChunks({ refs, orderIds, todo }: PlannedOrders, pipeline: Pipeline): Chunk[] {
  const size = pipeline.steps.some(({ action }) => action.applyToAll) ? refs.length : chunkSize;
  const everything = 2 ** pipeline.steps.length - 1;
  const chunks: Chunk[] = [];
  for (let from = 0; from < refs.length; from += size) {
    const until = Math.min(from + size, refs.length);
    chunks.push({
      position: from,
      refs: refs.slice(from, until),
      orderIds: orderIds.slice(from, until),
      todo: todo?.slice(from, until) ?? Array.from({ length: until - from }, () => everything),
    });
  }
  return chunks;
}

function inherited(
  ctx: Ctx,
  run: RunRow,
): Pick<RunPlan, "id" | "actions" | "onError" | "isAtomic" | "note" | "drifted"> {
  return {
    id: ctx.newId(),
    actions: run.actions,
    onError: run.on_error,
    isAtomic: run.is_atomic,
    note: run.note,
    drifted: null,
  };
}

async function getFinishedRun(ctx: Ctx, id: string): Promise<RunRow> {
  const run = await findRunOrThrow(ctx, id);
  if (!run.finished_at) throw new HubError("run_not_finished", "The run is still at work. Wait for it or cancel it.");
  return run;
}

/** The chain's first run is the place where retries and undos take turns. */
async function refuseUnfinishedChain(tx: Tx, ctx: Ctx, run: RunRow): Promise<void> {
  await runs.lockRun(tx, ctx.orgId, run.root_run_id);
  const other = await runs.findUnfinishedInChain(tx, ctx.orgId, run.root_run_id);
  if (other !== undefined) throw new HubError("run_not_finished", `Run ${other} of the same chain is still at work.`);
}

async function findRunOrThrow(ctx: Ctx, id: string): Promise<RunRow> {
  const run = await runs.findRun(ctx.db, ctx.orgId, id);
  if (!run) throw notFound("operation_run");
  return run;
}

async function describe(ctx: Ctx, run: RunRow): Promise<RunDetail> {
  const hasErrors = run.failed + run.skipped > 0;
  // Asked for again and again while a run is at work, so it counts nothing that can be told from the counters.
  const [related, errors, first] = await Promise.all([
    runs.listRelatedRuns(ctx.db, ctx.orgId, run.id),
    hasErrors ? results.countErrors(ctx.db, run.id) : {},
    results.readResultsAfter(ctx.db, run.id, -1, firstResults),
  ]);
  return {
    ...presentWithoutResults(ctx, run),
    errors_by_code: errors,
    retried_by: related.retriedBy,
    undone_by: related.undoneBy,
    results: presentResults(ctx, first),
  };
}
