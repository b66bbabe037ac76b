import { randomUUID } from "node:crypto";
import type { World } from "../../context.ts";
import { perWorld, systemContext } from "../../context.ts";
import type { Ctx } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { Tx } from "../../db/database.ts";
import { sqlState } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Order, OrderFields } from "../orders/order.ts";
import { deleteOrders, lockOrders, updateOrders } from "../orders/orders.ts";
import type { ActionEnv } from "./action.ts";
import { findRecordedShipments, followShipments } from "./follow-shipments.ts";
import { compilePipeline, listSteps } from "./compile-pipeline.ts";
import type { Evaluation, Pipeline } from "./evaluate.ts";
import { outcomeOf } from "./evaluate.ts";
import { evaluateAndCreate } from "./create-children.ts";
import { fieldOf } from "./order-diff.ts";
import { queueCalls } from "./queue-calls.ts";
import type { NewResult, Portion } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { Counts, RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";
import { evaluateUndo } from "./undo.ts";

/** The orders of a run that are changed in one transaction. */
export const portionSize = 500;

/** Who works on a run; a restarted process is somebody else, so that what it left behind is taken up again. */
export const workerName = perWorld(() => randomUUID());

/** A run that this process has taken for itself. */
type OwnRun = {
  ctx: Ctx;
  run: RunRow;
  /** An error instead: something it needs, such as a condition set, was deleted since the run was made. */
  pipeline: Pipeline | RunError;
  stopping?: AbortSignal;
  /** In the transaction in which it ends, if it ends here. */
  onEnd?(tx: Tx, ended: RunRow): Promise<void>;
};
type RunError = { code: string; message: string };

/** Works on a run until it is finished, if nobody else does. Any process may call it for any run, any number of times. */
export async function executeRun(world: World, runId: string, stopping?: AbortSignal): Promise<void> {
  const run = await runs.claimRunAcrossOrgs(world.db, runId, workerName(world), world.clock.now());
  if (!run) return;
  const ctx = contextOf(world, run);
  await workOn({ ctx, run, pipeline: await compileAgain(ctx, run), ...(stopping ? { stopping } : {}) });
}

/** The run that this process has just made, with what it knows about it already. */
export async function executeNewRun(
  world: World,
  run: RunRow,
  pipeline: Pipeline,
  onEnd: (tx: Tx, ended: RunRow) => Promise<void>,
): Promise<void> {
  await workOn({ ctx: contextOf(world, run), run, pipeline, onEnd });
}

/** While one portion is being written, the next one is evaluated. */
const portionsAtOnce = 2;

async function workOn(own: OwnRun): Promise<void> {
  const { ctx, run, pipeline, stopping } = own;
  const isInTurn = "code" in pipeline || stoppingSteps(run, pipeline).length > 0;
  const lanes = isInTurn ? 1 : Math.min(portionsAtOnce, Math.ceil(run.order_count / portionSize));
  let isOver = false;
  const work = async (): Promise<void> => {
    try {
      do isOver ||= await executePortion(own);
      while (!isOver && !stopping?.aborted);
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  // This process is about to end: another one, or the next start, goes on at once instead of waiting for the lease.
  if (!isOver) await runs.releaseRunAcrossOrgs(ctx.db, run.id, workerName(ctx));
}

async function compileAgain(ctx: Ctx, run: RunRow): Promise<Pipeline | RunError> {
  try {
    if (run.undo_of !== null) return await listSteps(ctx, run.actions);
    return await compilePipeline(ctx, run.actions, { onError: run.on_error, isAtomic: run.is_atomic, isChecked: true });
  } catch (error) {
    if (error instanceof HubError && error.status < 500) return { code: "pipeline_invalid", message: error.message };
    throw error;
  }
}

/** One portion, all of it or nothing: orders, results, counters. True when there is none left to do here. */
async function executePortion(own: OwnRun): Promise<boolean> {
  const { ctx, run, pipeline } = own;
  let portion: Portion | undefined;
  try {
    return await ctx.db.transaction(async (tx) => {
      portion = await results.lockNextPortion(tx, run.id);
      if (!portion || portion.isCancelled) {
        if (portion) await results.cancelRemaining(tx, run.id, ctx.clock.now());
        await finish(tx, own);
        return true;
      }
      if ("code" in pipeline) return await failPortion(tx, own, portion, pipeline);
      return await changeOrders(tx, own, pipeline, portion);
    });
  } catch (error) {
    // Something an order or a step points at was deleted at this very moment. Nothing of the portion was written.
    const isGone = error instanceof HubError && error.code === "conflict";
    if (!portion || (!isGone && !sqlState(error)?.startsWith("23"))) throw error;
    const reason = {
      code: "conflict",
      message: "Something these orders refer to was changed meanwhile. Retry the run.",
    };
    const { position } = portion;
    return await ctx.db.transaction(async (tx) => {
      const same = await results.lockNextPortion(tx, run.id, position);
      return same ? await failPortion(tx, own, same, reason) : false;
    });
  }
}

async function failPortion(tx: Tx, own: OwnRun, portion: Portion, error: RunError): Promise<boolean> {
  const rows = portion.refs.map((ref, i): NewResult => ({
    ...missing,
    position: portion.position + i,
    ref,
    order_id: portion.orderIds[i] ?? null,
    todo: portion.todo[i]!,
    error_code: error.code,
    error,
  }));
  const counts = { succeeded: 0, failed: rows.length, skipped: 0, noChange: 0 };
  return await writeResults(tx, own, portion, rows, counts, own.ctx.clock.now().toISOString());
}

/** The run acts in the name of whoever started it. */
function contextOf(world: World, run: RunRow): Ctx {
  const ctx = systemContext(world, run.org_id, "operation run");
  const scopes = new Set(run.may_override ? (["admin"] as const) : (["operations:run"] as const));
  return {
    ...ctx,
    actor: run.created_by,
    requestId: run.request_id ?? ctx.requestId,
    principal: { ...ctx.principal, scopes },
  };
}

async function changeOrders(tx: Tx, own: OwnRun, pipeline: Pipeline, portion: Portion): Promise<boolean> {
  const { ctx, run } = own;
  const ids = portion.orderIds.filter((id) => id !== null);
  const byId = new Map((await lockOrders(tx, ctx.orgId, ids)).map((order) => [order.id, order]));
  const found = portion.orderIds.map((id) => (id === null ? undefined : byId.get(id)));
  const orders = found.filter((order): order is Order => order !== undefined);
  const todo = portion.todo.filter((_, i) => found[i] !== undefined);
  const env: ActionEnv = {
    now: ctx.clock.now().toISOString(),
    actor: ctx.actor,
    newId: ctx.newId,
    mayOverride: run.may_override,
    bridges: pipeline.bridges,
  };
  const state = { isAborted: portion.hasFailed && (await isStopped(tx, run, pipeline)) };
  const work =
    run.undo_of === null
      ? { evaluations: await evaluateAndCreate(tx, ctx, orders, pipeline, env, todo, state), deletes: [] }
      : await evaluateUndo(tx, ctx, run, orders, pipeline);
  if (run.undo_of === null) await findRecordedShipments(tx, ctx, work.evaluations);
  await deleteOrders(tx, ctx.orgId, work.deletes);
  await writeOrders(tx, ctx, work.evaluations, env.now);
  await queueCalls(tx, ctx, run.id, work.evaluations);
  await followShipments(tx, ctx, work.evaluations);
  const { rows, counts } = resultsOf(portion, found, work.evaluations);
  return await writeResults(tx, own, portion, rows, counts, env.now);
}

/** The steps of which a failure stops the whole run; the portions of such a run are done one after the other. */
function stoppingSteps(run: RunRow, { steps }: Pipeline): number[] {
  const stopping = run.undo_of === null ? steps.filter(({ onError }) => onError === "abort_run") : [];
  return stopping.map(({ index }) => index);
}

async function isStopped(tx: Tx, run: RunRow, pipeline: Pipeline): Promise<boolean> {
  const stopping = stoppingSteps(run, pipeline);
  return stopping.length > 0 && (await results.hasFailedStep(tx, run.id, stopping));
}

async function writeOrders(tx: Tx, ctx: Ctx, evaluations: Evaluation[], now: string): Promise<void> {
  const changed: Order[] = [];
  const fields = new Set<keyof OrderFields>();
  for (const evaluation of evaluations) {
    if (evaluation.order === evaluation.before) continue;
    evaluation.order = { ...evaluation.order, version: evaluation.before.version + 1 };
    changed.push(evaluation.order);
    for (const step of evaluation.steps) for (const { path } of step.changes ?? []) fields.add(fieldOf(path));
  }
  await updateOrders(tx, ctx.orgId, changed, fields, now);
}

function resultsOf(
  portion: Portion,
  found: (Order | undefined)[],
  evaluations: Evaluation[],
): { rows: NewResult[]; counts: Counts } {
  const counts = { succeeded: 0, failed: 0, skipped: 0, noChange: 0 };
  let next = 0;
  const rows = found.map((order, i): NewResult => {
    const base = { position: portion.position + i, ref: portion.refs[i]! };
    if (!order) {
      counts.failed++;
      return { ...base, ...missing, todo: portion.todo[i]! };
    }
    const evaluation = evaluations[next++]!;
    const outcome = outcomeOf(evaluation);
    counts[outcome.status]++;
    if (outcome.status === "succeeded" && outcome.isUnchanged) counts.noChange++;
    const failing = evaluation.steps.find((step) => step.status === "failed" || step.status === "not_undone");
    return {
      ...base,
      order_id: order.id,
      order_number: order.number,
      status: outcome.status,
      is_unchanged: outcome.isUnchanged,
      todo: evaluation.todo,
      error_code: outcome.errorCode,
      error: failing?.error ?? (outcome.status === "skipped" ? aborted : null),
      steps: evaluation.steps,
      version_before: evaluation.before.version,
      version_after: evaluation.order.version,
    };
  });
  return { rows, counts };
}

/** True when these were the last ones: then the run ends with them. */
async function writeResults(
  tx: Tx,
  own: OwnRun,
  portion: Portion,
  rows: NewResult[],
  counts: Counts,
  now: string,
): Promise<boolean> {
  await results.insertResults(tx, own.run.id, rows, now);
  const isLast = await runs.finishPortion(tx, own.ctx.orgId, own.run.id, portion.position, counts);
  if (isLast) await finish(tx, own);
  return isLast;
}

const missing = {
  order_id: null,
  order_number: null,
  status: "failed",
  is_unchanged: true,
  error_code: "order_not_found",
  error: { code: "order_not_found", message: "There is no order with this id or number." },
  steps: [],
  version_before: null,
  version_after: null,
};
const aborted = { code: "run_aborted", message: "A step of an earlier order stopped the run." };

/** Nothing happens when somebody else is still at work on a portion of it, or has ended it. */
async function finish(tx: Tx, { ctx, run, onEnd }: OwnRun): Promise<void> {
  const ended = await runs.finishRun(tx, ctx.orgId, run.id, ctx.clock.now());
  if (!ended) return;
  const { succeeded, failed, skipped, no_change, order_count } = ended;
  await recordEvent(tx, ctx, {
    type: `operation_run.${ended.status}`,
    objectType: "operation_run",
    objectId: run.id,
    data: { total: order_count, succeeded, failed, skipped, no_change, undo_of: run.undo_of, retry_of: run.retry_of },
  });
  await onEnd?.(tx, ended);
}

/** Takes up runs whose worker died, and those that were left to any worker. Returns how many there were. */
export async function resumeAbandonedRuns(world: World, stopping?: AbortSignal): Promise<number> {
  const abandoned = await runs.listAbandonedAcrossOrgs(world.db);
  for (const { id } of abandoned) {
    if (stopping?.aborted) break;
    await executeRun(world, id, stopping).catch((error: unknown) =>
      world.log.error({ err: error, runId: id }, "a run could not be continued yet"),
    );
  }
  return abandoned.length;
}

/** Only when no other process can be at work on this database: what a killed one held is free at once. */
export async function freeAllRuns(world: World): Promise<void> {
  await runs.releaseAllAcrossOrgs(world.db);
}
