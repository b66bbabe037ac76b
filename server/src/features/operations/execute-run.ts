import { randomUUID } from "node:crypto";
import type { World } from "../../context.ts";
import { perWorld, systemContext } from "../../context.ts";
import type { Ctx } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { Tx } from "../../db/database.ts";
import { sqlState } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Order, OrderFields } from "../orders/order.ts";
import { fieldsIn } from "../orders/order-changes.ts";
import { deleteOrders, lockOrders, recordOrders, updateOrders } from "../orders/orders.ts";
import type { ActionEnv } from "./action.ts";
import { listRecordedShipments, followShipments } from "./follow-shipments.ts";
import { compilePipeline, listSteps } from "./compile-pipeline.ts";
import type { Evaluation, Pipeline } from "./evaluate.ts";
import { outcomeOf } from "./evaluate.ts";
import { evaluateAndCreate } from "./create-children.ts";
import { queueCalls } from "./queue-calls.ts";
import type { Chunk, NewResult } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";
import { evaluateUndo } from "./undo.ts";

/** Who works on a run; a restarted process is somebody else, so that what it left behind is taken up again. */
export const workerName = perWorld(() => randomUUID());

/** Works on a run until it is finished, if nobody else does. Any process may call it for any run, any number of times. */
export async function executeRun(world: World, runId: string, stopping?: AbortSignal): Promise<void> {
  const run = await runs.claimRunAcrossOrgs(world.db, runId, workerName(world), world.clock.now());
  if (!run) return;
  const ctx = contextOf(world, run);
  const pipeline = await compileAgain(ctx, run);
  const state = { isAborted: false };
  while (await executeNextChunk(ctx, run, pipeline, state)) {
    if (!stopping?.aborted) continue;
    // This process is about to end: another one, or the next start, goes on at once instead of waiting for the lease.
    return await runs.releaseRunAcrossOrgs(world.db, run.id, workerName(world));
  }
  await world.db.transaction((tx) => finish(tx, ctx, run));
}

/** An error instead of a pipeline: something it needs, such as a condition set, was deleted since the run was made. */
async function compileAgain(ctx: Ctx, run: RunRow): Promise<Pipeline | RunError> {
  try {
    if (run.undo_of !== null) return await listSteps(ctx, run.actions);
    return await compilePipeline(ctx, run.actions, { onError: run.on_error, isAtomic: run.is_atomic, isChecked: true });
  } catch (error) {
    if (error instanceof HubError && error.status < 500) return { code: "pipeline_invalid", message: error.message };
    throw error;
  }
}

async function executeNextChunk(
  ctx: Ctx,
  run: RunRow,
  pipeline: Pipeline | RunError,
  state: { isAborted: boolean },
): Promise<boolean> {
  if ("code" in pipeline) return await ctx.db.transaction((tx) => failChunk(tx, ctx, run, pipeline));
  try {
    return await ctx.db.transaction((tx) => executeChunk(tx, ctx, run, pipeline, state));
  } catch (error) {
    // Something an order or a step points at was deleted at this very moment. Nothing of the portion was written.
    const isGone = error instanceof HubError && error.code === "conflict";
    if (!isGone && !sqlState(error)?.startsWith("23")) throw error;
    const reason = {
      code: "conflict",
      message: "Something these orders refer to was changed meanwhile. Retry the run.",
    };
    return await ctx.db.transaction((tx) => failChunk(tx, ctx, run, reason));
  }
}

type RunError = { code: string; message: string };

async function failChunk(tx: Tx, ctx: Ctx, run: RunRow, error: RunError): Promise<boolean> {
  const chunk = await results.lockNextChunk(tx, run.id);
  if (!chunk) return false;
  const rows = chunk.refs.map((ref, i): NewResult => ({
    ...missing,
    position: chunk.position + i,
    ref,
    order_id: chunk.orderIds[i] ?? null,
    todo: chunk.todo[i]!,
    error_code: error.code,
    error,
  }));
  await results.insertResults(tx, run.id, rows, ctx.clock.now().toISOString());
  await results.finishChunk(tx, run.id, chunk.position);
  await runs.addProgress(tx, ctx.orgId, run.id, { succeeded: 0, failed: rows.length, skipped: 0, noChange: 0 });
  return true;
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

/** One portion, all of it or nothing: orders, results, counters. False when there is none left. */
async function executeChunk(
  tx: Tx,
  ctx: Ctx,
  run: RunRow,
  pipeline: Pipeline,
  state: { isAborted: boolean },
): Promise<boolean> {
  const chunk = await results.lockNextChunk(tx, run.id);
  if (!chunk) return false;
  const current = await runs.findRun(tx, run.org_id, run.id);
  if (current?.cancel_requested) {
    await results.cancelRemaining(tx, run.id, ctx.clock.now());
    return false;
  }
  // A portion that another process did may have stopped the run.
  state.isAborted ||= current!.failed > 0 && (await isStoppedBy(tx, run, pipeline));
  const ids = chunk.orderIds.filter((id) => id !== null);
  const byId = new Map((await lockOrders(tx, ctx.orgId, ids)).map((order) => [order.id, order]));
  const found = chunk.orderIds.map((id) => (id === null ? undefined : byId.get(id)));
  const orders = found.filter((order): order is Order => order !== undefined);
  const todo = chunk.todo.filter((_, i) => found[i] !== undefined);
  const env: ActionEnv = {
    now: ctx.clock.now().toISOString(),
    actor: ctx.actor,
    newId: ctx.newId,
    mayOverride: run.may_override,
    bridges: pipeline.bridges,
  };
  const work =
    run.undo_of === null
      ? { evaluations: await evaluateAndCreate(tx, ctx, orders, pipeline, env, todo, state), deletes: [] }
      : await evaluateUndo(tx, ctx, run, orders, pipeline);
  if (run.undo_of === null) await listRecordedShipments(tx, ctx, work.evaluations);
  await deleteOrders(
    tx,
    ctx.orgId,
    work.deletes.map(({ id }) => id),
  );
  const fields = await writeOrders(tx, ctx, work.evaluations, env.now);
  await recordChanges(tx, ctx, run, work, fields);
  await queueCalls(tx, ctx, run.id, work.evaluations);
  await followShipments(tx, ctx, work.evaluations);
  await writeResults(tx, ctx, run, chunk, found, work.evaluations, env.now);
  return true;
}

async function isStoppedBy(tx: Tx, run: RunRow, { steps }: Pipeline): Promise<boolean> {
  const stopping = run.undo_of === null ? steps.filter(({ onError }) => onError === "abort_run") : [];
  if (stopping.length === 0) return false;
  return await results.hasFailedStep(
    tx,
    run.id,
    stopping.map(({ index }) => index),
  );
}

async function writeOrders(tx: Tx, ctx: Ctx, evaluations: Evaluation[], now: string): Promise<Set<keyof OrderFields>> {
  const changed: Order[] = [];
  const fields = new Set<keyof OrderFields>();
  for (const evaluation of evaluations) {
    if (evaluation.order === evaluation.before) continue;
    evaluation.order = { ...evaluation.order, version: evaluation.before.version + 1 };
    changed.push(evaluation.order);
    for (const step of evaluation.steps) for (const field of fieldsIn(step.changes ?? [])) fields.add(field);
  }
  await updateOrders(tx, ctx.orgId, changed, fields, now);
  return fields;
}

/** Whoever follows the log learns of each order that a run has changed, made or deleted. */
async function recordChanges(
  tx: Tx,
  ctx: Ctx,
  { id: runId }: RunRow,
  { evaluations, deletes }: { evaluations: Evaluation[]; deletes: Order[] },
  fields: Iterable<string>,
): Promise<void> {
  const created = evaluations.flatMap((evaluation) => evaluation.created);
  const updated = evaluations.flatMap(({ before, order }) => (order === before ? [] : [order]));
  const source = "run";
  await recordOrders(tx, ctx, { type: "orders.created", source, runId, orders: created });
  await recordOrders(tx, ctx, { type: "orders.updated", source, runId, orders: updated, fields });
  await recordOrders(tx, ctx, { type: "orders.deleted", source, runId, orders: deletes });
}

async function writeResults(
  tx: Tx,
  ctx: Ctx,
  run: RunRow,
  chunk: Chunk,
  found: (Order | undefined)[],
  evaluations: Evaluation[],
  now: string,
): Promise<void> {
  const counts = { succeeded: 0, failed: 0, skipped: 0, noChange: 0 };
  let next = 0;
  const rows = found.map((order, i): NewResult => {
    const base = { position: chunk.position + i, ref: chunk.refs[i]! };
    if (!order) {
      counts.failed++;
      return { ...base, ...missing, todo: chunk.todo[i]! };
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
  await results.insertResults(tx, run.id, rows, now);
  await results.finishChunk(tx, run.id, chunk.position);
  await runs.addProgress(tx, ctx.orgId, run.id, counts);
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

async function finish(tx: Tx, ctx: Ctx, run: RunRow): Promise<void> {
  const finished = await runs.finishRun(tx, ctx.orgId, run.id, ctx.clock.now());
  if (!finished) return;
  const { succeeded, failed, skipped, no_change, order_count } = finished;
  await recordEvent(tx, ctx, {
    type: `operation_run.${finished.status}`,
    objectId: run.id,
    data: { total: order_count, succeeded, failed, skipped, no_change, undo_of: run.undo_of, retry_of: run.retry_of },
  });
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
