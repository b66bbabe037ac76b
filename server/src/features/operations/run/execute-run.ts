import { randomUUID } from "node:crypto";
import type { World } from "../../../context.ts";
import { perWorld, systemContext } from "../../../context.ts";
import type { Ctx } from "../../../context.ts";
import { HubError } from "../../../core/errors.ts";
import { yieldToEventLoop } from "../../../core/yield-to-event-loop.ts";
import type { Tx } from "../../../db/database.ts";
import { sqlState } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import type { TimeSlice, WorkKind } from "../../../queue/work.ts";
import { workOn } from "../../../queue/work.ts";
import { hintEnd, hintProgress } from "../../../watch.ts";
import type { Order, OrderFields } from "../../orders/order.ts";
import {
  deleteOrders,
  explainUnknown,
  findMatching,
  lockOrders,
  markLastRun,
  recordOrders,
  updateOrders,
} from "../../orders/orders.ts";
import { listRecordedShipments, followShipments } from "./follow-shipments.ts";
import type { OpenDesk } from "../carrier-desk.ts";
import { openCarrierDesk } from "../carrier-desk.ts";
import { asksCarriers, compilePipeline, envOf, listSteps } from "../compile-pipeline.ts";
import type { Evaluation, Pipeline, StepResult } from "../evaluate.ts";
import { outcomeOf } from "../evaluate.ts";
import { askForLabels } from "./ask-for-labels.ts";
import { evaluateAndCreate } from "./create-children.ts";
import { fieldsIn } from "../../orders/order-changes.ts";
import { portionSize } from "./plan-run.ts";
import { queueCalls } from "./queue-calls.ts";
import type { NewResult, Portion } from "./run-results.store.ts";
import * as results from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";
import { evaluateUndo } from "./undo.ts";

/** While one portion is being written, the next one is evaluated. */
const portionsAtOnce = 2;
const maxTries = 5;

/** A run that this process has leased. */
type OwnRun = {
  ctx: Ctx;
  run: RunRow;
  /** An error instead: none of its orders can be done. */
  pipeline: Pipeline | RunError;
  /** In the transaction in which it ends, if it ends here. */
  onEnd?(tx: Tx, ended: RunRow): Promise<void>;
};
type RunError = NonNullable<StepResult["error"]>;

/** Any process may work on any run, and several at the same time: slow, not wrong. */
export const runWork: WorkKind<World, RunRow> = {
  name: "operation runs",
  leases: runs.runLeases,
  wakeOn: ["operation_run"],
  pollIntervalMs: 10_000,
  maxAttempts: maxTries,
  claimValues: (world) => [world.clock.now()],
  async run(world, run, slice) {
    const ctx = contextOf(world, run);
    return await takeTurn({ ctx, run, pipeline: await compileAgain(ctx, run) }, slice);
  },
  /** The portion that is to blame fails, and the run goes on with the next one: which is tried once, should it be like the last. */
  async giveUp(world, run) {
    const came = await executePortion({ ctx: contextOf(world, run), run, pipeline: internalError }, "wait");
    const again = { now: world.clock.now(), delayMs: 0, attempts: maxTries - 1 };
    if (came !== "ended") await runs.runLeases.releaseAcrossOrgs(world.db, run.lease_owner!, run.id, again);
  },
};

const internalError: RunError = {
  code: "internal_error",
  message: "The hub failed over these orders several times; nothing was done to them.",
  fix: "Retry the run. If it fails again, whoever runs the hub finds the reason in its log.",
};

/** A run that was made a moment ago and is this process' own, with what is known about it already. */
export async function executeNewRun(
  world: World,
  made: { run: RunRow; pipeline: Pipeline; onEnd: NonNullable<OwnRun["onEnd"]> },
): Promise<void> {
  const own = { ctx: contextOf(world, made.run), ...made };
  const work: typeof runWork = { ...runWork, run: (_, run, slice) => takeTurn({ ...own, run }, slice) };
  await workOn(world, work, made.run, requestsOf(world));
}

/** Whoever answers requests takes runs in this name; a restarted process is somebody else. */
export const requestsOf = perWorld(() => randomUUID());

/** Ends a run that somebody wants to end, if nobody is at work on it: whoever is sees it before the next portion. */
export async function executeIfIdle(world: World, runId: string): Promise<void> {
  const owner = requestsOf(world);
  const run = await runs.runLeases.claimOneAcrossOrgs(world.db, runId, owner, [world.clock.now()]);
  if (run) await workOn(world, runWork, run, owner);
}

async function takeTurn(own: OwnRun, slice: TimeSlice): Promise<"done" | "yield"> {
  const { run, pipeline } = own;
  // Where it failed the last time it is to fail again, by itself: so the next portion is the one to blame.
  const isSuspect = run.tries > 1;
  const isInTurn = isSuspect || "code" in pipeline || stoppingSteps(run, pipeline).length > 0;
  const count = isInTurn ? 1 : Math.min(portionsAtOnce, Math.ceil(run.order_count / portionSize));
  let hasFailed = false;
  const work = async (): Promise<Came> => {
    try {
      for (;;) {
        const came = await executePortion(own, isInTurn ? "wait" : "skip");
        if (came !== "done" || isSuspect || hasFailed || slice.shouldYield()) return came;
        await yieldToEventLoop();
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const lanes = Array.from({ length: count }, work);
  await Promise.allSettled(lanes);
  const ends = await Promise.all(lanes);
  if (ends.includes("ended")) return "done";
  // What is left is being done by somebody who was believed dead.
  if (!ends.includes("done") && (await executePortion(own, "wait")) === "ended") return "done";
  return "yield";
}

async function compileAgain(ctx: Ctx, run: RunRow): Promise<Pipeline | RunError> {
  try {
    if (run.undo_of !== null) return await listSteps(ctx, run.actions);
    const { on_error: onError, is_atomic: isAtomic, condition: when } = run;
    return await compilePipeline(ctx, run.actions, { onError, isAtomic, when, isChecked: true });
  } catch (error) {
    // Something it needs, such as a condition set, was deleted since the run was made.
    if (error instanceof HubError && error.status < 500) return { code: "pipeline_invalid", message: error.message };
    throw error;
  }
}

/** What came of looking for a portion: it was done, or the run has ended with it, or there was none to be had. */
type Came = "done" | "ended" | "none";

/** One portion, all of it or nothing: orders, results, counters. `locked`: what to do about one that somebody else has. */
async function executePortion(own: OwnRun, locked: "wait" | "skip"): Promise<Came> {
  const { ctx, pipeline } = own;
  const carriers = await openCarrierDesk(ctx, !("code" in pipeline) && asksCarriers(pipeline));
  for (;;) {
    const came = await tryPortion(own, locked, carriers);
    if (came !== "waiting") return came;
    await carriers.askCarriers();
  }
}

/** `waiting`: carriers have to be asked first, which nobody does while orders are locked. Nothing was written. */
async function tryPortion(own: OwnRun, locked: "wait" | "skip", carriers: OpenDesk): Promise<Came | "waiting"> {
  const { ctx, run, pipeline } = own;
  let portion: Portion | undefined;
  try {
    return await ctx.db.transaction(async (tx) => {
      portion = await results.lockNextPortion(tx, run.id, locked);
      if (portion?.isCancelled) await results.cancelRemaining(tx, run.id, ctx.clock.now());
      if (!portion || portion.isCancelled) return (await finish(tx, own)) ? "ended" : "none";
      if ("code" in pipeline) return await failPortion(tx, own, portion, pipeline);
      return await changeOrders(tx, own, pipeline, portion, carriers);
    });
  } catch (error) {
    if (error instanceof CarriersNotAsked) return "waiting";
    // Something an order or a step points at was deleted at this very moment. Nothing of the portion was written.
    const isGone = error instanceof HubError && error.code === "conflict";
    if (!portion || (!isGone && !sqlState(error)?.startsWith("23"))) throw error;
    const { position } = portion;
    return await ctx.db.transaction(async (tx) => {
      const same = await results.lockNextPortion(tx, run.id, "wait", position);
      return same ? await failPortion(tx, own, same, changedMeanwhile) : "none";
    });
  }
}

/** Thrown to leave the transaction as if nothing had happened in it. */
class CarriersNotAsked extends Error {
  override readonly name = "CarriersNotAsked";
}

const changedMeanwhile: RunError = {
  code: "conflict",
  message: "Something these orders refer to was changed meanwhile. Retry the run.",
};

async function failPortion(tx: Tx, own: OwnRun, portion: Portion, error: RunError): Promise<Came> {
  const rows = portion.refs.map((ref, i): NewResult => ({
    ...missing,
    position: portion.position + i,
    ref,
    order_id: portion.orderIds[i] ?? null,
    todo: portion.todo[i]!,
    error_code: error.code,
    error,
  }));
  return await writeResults(tx, own, portion, rows, own.ctx.clock.now().toISOString());
}

/** The run acts in the name of whoever started it. */
function contextOf(world: World, run: RunRow): Ctx {
  const ctx = systemContext(world, run.org_id, "operation run");
  const scopes = new Set(run.may_override ? (["admin"] as const) : (["operations:run"] as const));
  return {
    ...ctx,
    actor: run.created_by,
    requestId: run.request_id ?? ctx.requestId,
    cause: toCause(run.cause),
    principal: { ...ctx.principal, scopes },
  };
}

/** As events tell it. */
export function toCause(cause: RunRow["cause"]): Ctx["cause"] {
  return cause
    ? { automationId: cause.automation_id, depth: cause.depth, automationPath: cause.automation_path }
    : undefined;
}

async function changeOrders(
  tx: Tx,
  own: OwnRun,
  pipeline: Pipeline,
  portion: Portion,
  carriers: OpenDesk,
): Promise<Came> {
  const { ctx, run } = own;
  const ids = portion.orderIds.filter((id) => id !== null);
  const locked = await lockOrders(tx, ctx.orgId, ids);
  const leftAlone = await findLeftAlone(tx, own, pipeline, portion, locked);
  const taken = locked.filter(({ id }) => !leftAlone.has(id));
  const byId = new Map<string | null, Order>(taken.map((order) => [order.id, order]));
  const orders = portion.orderIds.flatMap((id) => byId.get(id) ?? []);
  const todo = portion.todo.filter((_, i) => byId.has(portion.orderIds[i]!));
  const takenIds = taken.map(({ id }) => id);
  await carriers.readLabels(tx, takenIds);
  await pipeline.bridges.readSent(tx, taken);
  const env = envOf(ctx, pipeline, carriers, run.may_override);
  const state = { isAborted: portion.hasFailed && (await isStopped(tx, run, pipeline)) };
  const work =
    run.undo_of === null
      ? { evaluations: await evaluateAndCreate(tx, ctx, orders, pipeline, env, todo, state), deletes: [] }
      : await evaluateUndo(tx, ctx, run, orders, pipeline, (created) => lockOrders(tx, ctx.orgId, created));
  if (carriers.isWaiting()) throw new CarriersNotAsked();
  if (run.undo_of === null) await listRecordedShipments(tx, ctx, work.evaluations);
  const deletedIds = work.deletes.map(({ id }) => id);
  await deleteOrders(tx, ctx.orgId, deletedIds);
  const fields = await writeOrders(tx, ctx, work.evaluations, env.now);
  recordChanges(tx, ctx, run, work, fields);
  await queueCalls(tx, ctx, run.id, work.evaluations);
  await askForLabels(tx, ctx, run.id, work.evaluations);
  await followShipments(tx, ctx, work.evaluations);
  const rows = await resultsOf(tx, own, portion, work.evaluations, leftAlone);
  return await writeResults(tx, own, portion, rows, env.now);
}

type LeftAlone = Map<string | null, { order: Order; error: RunError }>;

/** Those of the portion that nothing is to be done to, as they are now, and why. */
async function findLeftAlone(
  tx: Tx,
  { ctx, run }: OwnRun,
  { when }: Pipeline,
  portion: Portion,
  locked: Order[],
): Promise<LeftAlone> {
  const left: LeftAlone = new Map();
  const { versions } = portion;
  if (versions) {
    const seen = new Map(portion.orderIds.map((id, i) => [id, versions[i]]));
    for (const order of locked) if (seen.get(order.id) !== order.version) left.set(order.id, { order, error: drifted });
  }
  for (const order of when ? locked : []) {
    if (!left.has(order.id) && !when!(order)) left.set(order.id, { order, error: unmatched });
  }
  if (run.filter === null) return left;
  const ids = locked.map(({ id }) => id).filter((id) => !left.has(id));
  const matching = await findMatching(tx, ctx.orgId, run.filter, ids);
  for (const order of locked) {
    if (!left.has(order.id) && !matching.has(order.id)) left.set(order.id, { order, error: unmatched });
  }
  return left;
}

const drifted: RunError = {
  code: "changed_since_preflight",
  message: "The order was changed since the preflight.",
  fix: "Make a new preflight.",
};
const unmatched: RunError = {
  code: "no_longer_matches",
  message: "The order does not meet the filter or condition any more.",
};

/** The steps of which a failure stops the whole run; the portions of such a run are done one after the other. */
function stoppingSteps(run: RunRow, { steps }: Pipeline): number[] {
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

/** Whoever follows the log learns of each order that a run has changed, made or deleted. */
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

async function resultsOf(
  tx: Tx,
  { ctx }: OwnRun,
  portion: Portion,
  evaluations: Evaluation[],
  leftAlone: LeftAlone,
): Promise<NewResult[]> {
  const unknown = portion.refs.filter((_, i) => portion.orderIds[i] === null);
  const explain = await explainUnknown(tx, ctx.orgId, unknown);
  const byId = new Map<string | null, Evaluation>(evaluations.map((evaluation) => [evaluation.before.id, evaluation]));
  return portion.refs.map((ref, i) => {
    const base = { position: portion.position + i, ref };
    const left = leftAlone.get(portion.orderIds[i]!);
    if (left) return { ...base, ...skipped(left.order), error_code: left.error.code, error: left.error };
    const evaluation = byId.get(portion.orderIds[i]!);
    if (!evaluation) {
      const error = explain(ref);
      return { ...base, ...missing, todo: portion.todo[i]!, error_code: error.code, error };
    }
    const outcome = outcomeOf(evaluation);
    return {
      ...base,
      order_id: evaluation.before.id,
      order_number: evaluation.before.number,
      status: outcome.status,
      is_unchanged: outcome.isUnchanged,
      todo: evaluation.todo,
      error_code: outcome.error?.code ?? null,
      error: outcome.error,
      steps: evaluation.steps,
      version_before: evaluation.before.version,
      version_after: evaluation.order.version,
    };
  });
}

function skipped({ id, number, version }: Order) {
  return {
    order_id: id,
    order_number: number,
    status: "skipped" as const,
    is_unchanged: true,
    todo: 0,
    steps: [],
    version_before: version,
    version_after: version,
  };
}

/** With the last ones the run ends. */
async function writeResults(tx: Tx, own: OwnRun, portion: Portion, rows: NewResult[], now: string): Promise<Came> {
  results.insertResults(tx, own.ctx.orgId, own.run.id, rows, now);
  const idsOf = (wanted: NewResult["status"]): string[] =>
    rows.flatMap(({ status, order_id }) => (status === wanted && order_id !== null ? [order_id] : []));
  markLastRun(tx, own.ctx.orgId, { failed: idsOf("failed"), succeeded: idsOf("succeeded") });
  const countOf = (wanted: NewResult["status"]): number => rows.filter(({ status }) => status === wanted).length;
  const counts = {
    succeeded: countOf("succeeded"),
    failed: countOf("failed"),
    skipped: countOf("skipped"),
    noChange: rows.filter(({ status, is_unchanged }) => status === "succeeded" && is_unchanged).length,
    partiallyUndone: rows.filter(({ status, error_code }) => status === "succeeded" && error_code !== null).length,
  };
  const isOnly = own.run.order_count <= portionSize;
  // A small run tells of its end soon enough.
  if (!isOnly) tx.afterCommit(() => hintProgress(own.ctx, own.run.id));
  const counted = runs.finishPortion(tx, own.ctx.orgId, own.run.id, portion.position, counts);
  // The only portion is the last one: nobody has to be asked first.
  const [isLast, ended] = await Promise.all([counted, isOnly ? endRun(tx, own) : undefined]);
  const hasEnded = isOnly ? await tellEnd(tx, own, ended) : isLast && (await finish(tx, own));
  return hasEnded ? "ended" : "done";
}

const missing = {
  order_id: null,
  order_number: null,
  status: "failed" as const,
  is_unchanged: true,
  steps: [],
  version_before: null,
  version_after: null,
};

/** False when somebody else is still at work on a portion of it, or has ended it. */
async function finish(tx: Tx, own: OwnRun): Promise<boolean> {
  return await tellEnd(tx, own, await endRun(tx, own));
}

const endRun = (tx: Tx, { ctx, run }: OwnRun) => runs.finishRun(tx, ctx.orgId, run.id, ctx.clock.now());

async function tellEnd(
  tx: Tx,
  { ctx, run, onEnd }: OwnRun,
  ended: Awaited<ReturnType<typeof endRun>>,
): Promise<boolean> {
  if (!ended) return false;
  const { succeeded, failed, skipped, no_change, order_count } = ended;
  recordEvent(tx, ctx, {
    type: `operation_run.${ended.status}`,
    objectId: run.id,
    data: { total: order_count, succeeded, failed, skipped, no_change, undo_of: run.undo_of, retry_of: run.retry_of },
  });
  // Whoever waits for it in a request learns of it from the answer.
  if (onEnd) await onEnd(tx, ended);
  else tx.afterCommit(() => hintEnd(ctx, run.id));
  return true;
}
