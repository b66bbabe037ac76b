import type { Ctx } from "../../../context.ts";
import { HubError } from "../../../core/errors.ts";
import type { Tx } from "../../../db/database.ts";
import { sqlState } from "../../../db/database.ts";
import { hintProgress } from "../../../watch.ts";
import type { Order, OrderFields } from "../../orders/order.ts";
import { fieldsIn } from "../../orders/order-changes.ts";
import { deleteOrders, lockOrders, markLastRun, recordOrders, updateOrders } from "../../orders/orders.ts";
import type { OpenCarrierDirectory } from "../carrier-directory.ts";
import { openCarrierDirectory } from "../carrier-directory.ts";
import { allocatesStock, asksCarriers, envOf } from "../compile-pipeline.ts";
import type { Evaluation, Pipeline } from "../evaluate.ts";
import { lockStock } from "../../stock/stock.ts";
import { readFacts } from "../order-conditions.ts";
import { countResults, failedResults, findSkipped, resultsOf } from "./batch-results.ts";
import { keepAllocations } from "./keep-allocations.ts";
import type { LeasedRun, RunError } from "./leased-run.ts";
import { evaluateAndCreate } from "./create-children.ts";
import { endRun, finishRun, recordEnd } from "./finish-run.ts";
import { followShipments, listRecordedShipments } from "./follow-shipments.ts";
import { batchSize } from "./plan-run.ts";
import { queueTasks } from "./queue-tasks.ts";
import { requestLabelsOf } from "./request-run-labels.ts";
import type { NewResult, RunBatch } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runCounts from "./run-counts.store.ts";
import { evaluateUndo } from "./undo.ts";

/** `ended`: this batch was the last one. `none`: no batch was free. */
export type BatchOutcome = "applied" | "ended" | "none";

/**
 * Applies one batch in one transaction: orders, results and counters, all or nothing. `ifLocked`: whether to wait for a batch
 * that another process has locked, or to skip it.
 */
export async function applyBatch(leased: LeasedRun, ifLocked: "wait" | "skip"): Promise<BatchOutcome> {
  const { ctx, pipeline } = leased;
  const carriers = await openCarrierDirectory(ctx, !("code" in pipeline) && asksCarriers(pipeline));
  for (;;) {
    const outcome = await tryBatch(leased, ifLocked, carriers);
    if (outcome !== "needs_prices") return outcome;
    await carriers.fetchPrices();
  }
}

/** `needs_prices`: carriers have to be asked first, which must not happen while orders are locked. Nothing was written. */
async function tryBatch(
  leased: LeasedRun,
  ifLocked: "wait" | "skip",
  carriers: OpenCarrierDirectory,
): Promise<BatchOutcome | "needs_prices"> {
  const { ctx, run, pipeline } = leased;
  let batch: RunBatch | undefined;
  try {
    return await ctx.db.transaction(async (tx) => {
      batch = await results.lockNextBatch(tx, run.id, ifLocked);
      if (batch?.isCancelled) await results.cancelRemaining(tx, run.id, ctx.clock.now());
      if (!batch || batch.isCancelled) return (await finishRun(tx, leased)) ? "ended" : "none";
      if ("code" in pipeline) return await failBatch(tx, leased, batch, pipeline);
      return await changeOrders(tx, leased, pipeline, batch, carriers);
    });
  } catch (error) {
    if (error instanceof PricesMissing) return "needs_prices";
    // A record that an order or a step refers to was deleted concurrently. Nothing of the batch was written.
    const isConflict = error instanceof HubError && error.code === "conflict";
    if (!batch || (!isConflict && !sqlState(error)?.startsWith("23"))) throw error;
    const { position } = batch;
    return await ctx.db.transaction(async (tx) => {
      const same = await results.lockNextBatch(tx, run.id, "wait", position);
      return same ? await failBatch(tx, leased, same, changedConcurrently) : "none";
    });
  }
}

/** Thrown to roll the transaction back. */
class PricesMissing extends Error {
  override readonly name = "PricesMissing";
}

const changedConcurrently: RunError = {
  code: "conflict",
  message: "A record these orders refer to was changed concurrently. Retry the run.",
};

async function failBatch(tx: Tx, leased: LeasedRun, batch: RunBatch, error: RunError): Promise<BatchOutcome> {
  return await writeResults(tx, leased, batch, failedResults(batch, error), leased.ctx.clock.now().toISOString());
}

async function changeOrders(
  tx: Tx,
  leased: LeasedRun,
  pipeline: Pipeline,
  batch: RunBatch,
  carriers: OpenCarrierDirectory,
): Promise<BatchOutcome> {
  const { ctx, run } = leased;
  const ids = batch.orderIds.filter((id) => id !== null);
  const locked = await lockOrders(tx, ctx.orgId, ids);
  // After the orders: an allocation that waits for another one must not hold up what that one needs.
  if (run.undo_of === null && allocatesStock(pipeline)) await lockStock(tx, ctx.orgId);
  const facts = await readFacts(tx, ctx, [pipeline], locked);
  const skipped = await findSkipped(tx, ctx, run, pipeline, batch, locked, facts);
  const byId = new Map<string | null, Order>();
  for (const order of locked) if (!skipped.has(order.id)) byId.set(order.id, order);
  const orders = batch.orderIds.flatMap((id) => byId.get(id) ?? []);
  const todo = batch.todo.filter((_, i) => byId.has(batch.orderIds[i]!));
  await carriers.readLabels(
    tx,
    orders.map(({ id }) => id),
  );
  await pipeline.bridges.readSent(tx, orders);
  const env = envOf(ctx, pipeline, carriers, run.may_override, facts);
  const state = { isAborted: batch.hasFailed && (await isStopped(tx, run, pipeline)) };
  const work =
    run.undo_of === null
      ? { evaluations: await evaluateAndCreate(tx, ctx, orders, pipeline, env, todo, state), deletes: [] }
      : await evaluateUndo(tx, ctx, run, orders, pipeline, (created) => lockOrders(tx, ctx.orgId, created));
  if (carriers.hasMissingPrices()) throw new PricesMissing();
  if (run.undo_of === null) await listRecordedShipments(tx, ctx, work.evaluations);
  await deleteOrders(
    tx,
    ctx.orgId,
    work.deletes.map(({ id }) => id),
  );
  const fields = await writeOrders(tx, ctx, work.evaluations, env.now);
  recordChanges(tx, ctx, run, work, fields);
  await keepAllocations(tx, ctx, run.undo_of === null ? work.evaluations : []);
  await queueTasks(tx, ctx, run.id, work.evaluations);
  await requestLabelsOf(tx, ctx, run.id, work.evaluations);
  await followShipments(tx, ctx, work.evaluations);
  const rows = await resultsOf(tx, ctx, batch, work.evaluations, skipped);
  return await writeResults(tx, leased, batch, rows, env.now);
}

/** The steps whose failure aborts the run. Batches of such a run are applied one after the other. */
export function stoppingSteps(run: RunRow, { steps }: Pipeline): number[] {
  const stopping = run.undo_of === null ? steps.filter(({ onError }) => onError === "abort_run") : [];
  return stopping.map(({ index }) => index);
}

async function isStopped(tx: Tx, run: RunRow, pipeline: Pipeline): Promise<boolean> {
  const stopping = stoppingSteps(run, pipeline);
  return stopping.length > 0 && (await results.hasFailedStep(tx, run.id, stopping));
}

async function writeOrders(tx: Tx, ctx: Ctx, evaluations: Evaluation[], now: string): Promise<Set<keyof OrderFields>> {
  const moves: { before: Order; after: Order }[] = [];
  const fields = new Set<keyof OrderFields>();
  for (const evaluation of evaluations) {
    if (evaluation.order === evaluation.before) continue;
    evaluation.order = { ...evaluation.order, version: evaluation.before.version + 1 };
    moves.push({ before: evaluation.before, after: evaluation.order });
    for (const step of evaluation.steps) for (const field of fieldsIn(step.changes ?? [])) fields.add(field);
  }
  await updateOrders(tx, ctx, moves, fields, now);
  return fields;
}

/** Records an event for each order that the run changed, created or deleted. */
function recordChanges(
  tx: Tx,
  ctx: Ctx,
  { id: runId }: RunRow,
  { evaluations, deletes }: { evaluations: Evaluation[]; deletes: Order[] },
  fields: Iterable<string>,
): void {
  const created = evaluations.flatMap((evaluation) => evaluation.created);
  const updated = evaluations.flatMap(({ before, order }) => (order === before ? [] : [order]));
  const source = "run";
  recordOrders(tx, ctx, { type: "orders.created", source, runId, orders: created });
  recordOrders(tx, ctx, { type: "orders.updated", source, runId, orders: updated, fields });
  recordOrders(tx, ctx, { type: "orders.deleted", source, runId, orders: deletes });
}

/** Writes the results and counters of the batch; the last batch also ends the run. */
async function writeResults(
  tx: Tx,
  leased: LeasedRun,
  batch: RunBatch,
  rows: NewResult[],
  now: string,
): Promise<BatchOutcome> {
  const { ctx, run } = leased;
  results.insertResults(tx, ctx.orgId, run.id, rows, now);
  const idsOf = (wanted: NewResult["status"]): string[] =>
    rows.flatMap(({ status, order_id }) => (status === wanted && order_id !== null ? [order_id] : []));
  markLastRun(tx, ctx.orgId, { failed: idsOf("failed"), succeeded: idsOf("succeeded") });
  const counting = runCounts.finishBatch(tx, ctx.orgId, run.id, batch.position, countResults(rows));
  if (run.order_count <= batchSize) {
    // The only batch is the last one: the run is ended by the next statement, without waiting for the count.
    const [, ended] = await Promise.all([counting, endRun(tx, leased)]);
    return (await recordEnd(tx, leased, ended)) ? "ended" : "applied";
  }
  tx.afterCommit(() => hintProgress(ctx, run.id));
  return (await counting) && (await finishRun(tx, leased)) ? "ended" : "applied";
}
