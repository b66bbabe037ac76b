import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { Order } from "../../orders/order.ts";
import { deleteOrders, findTakenNumbers, insertChanges, insertOrders } from "../../orders/orders.ts";
import type { ActionEnv } from "../action.ts";
import { childNumbers } from "../actions/child-order.ts";
import type { Evaluation, Pipeline } from "../evaluate.ts";
import { dropEffects, evaluate } from "../evaluate.ts";

const maxLookedUp = 50_000;

/**
 * Evaluates the pipeline and inserts the orders its steps create. If a number is already in use, everything is evaluated again with
 * the numbers in use.
 */
export async function evaluateAndCreate(
  tx: Tx,
  ctx: Ctx,
  orders: readonly Order[],
  pipeline: Pipeline,
  env: ActionEnv,
  todo: readonly number[],
  state: { isAborted: boolean },
): Promise<Evaluation[]> {
  const { isAborted } = state;
  let evaluations = evaluate(orders, pipeline, env, todo, state);
  let refused = await insertCreated(tx, ctx, evaluations);
  if (refused.length > 0) {
    await deleteOrders(tx, ctx.orgId, idsOf(evaluations));
    const share = Math.max(100, Math.floor(maxLookedUp / refused.length));
    const candidates = refused.flatMap(({ before }) => childNumbers(before).slice(0, share));
    const takenNumbers = await findTakenNumbers(tx, ctx.orgId, candidates);
    state.isAborted = isAborted;
    evaluations = evaluate(orders, pipeline, { ...env, takenNumbers }, todo, state);
    refused = await insertCreated(tx, ctx, evaluations);
  }
  for (const evaluation of refused) await failCreation(tx, ctx, evaluation);
  const entries = evaluations.flatMap(({ created }) =>
    created.map(({ id, version }) => ({ orderId: id, changes: [], version })),
  );
  insertChanges(tx, ctx.orgId, entries, { ...ctx, kind: "created", at: ctx.clock.now() });
  return evaluations;
}

/** Returns the evaluations whose new orders could not all be inserted. */
async function insertCreated(tx: Tx, ctx: Ctx, evaluations: Evaluation[]): Promise<Evaluation[]> {
  const created = evaluations.flatMap((evaluation) => evaluation.created);
  if (created.length === 0) return [];
  const inserted = await insertOrders(tx, ctx.orgId, created);
  return evaluations.filter((evaluation) => !evaluation.created.every(({ id }) => inserted.has(id)));
}

function idsOf(evaluations: Evaluation[]): string[] {
  return evaluations.flatMap(({ created }) => created.map(({ id }) => id));
}

/** The number was taken concurrently a second time: the step and its order fail. */
async function failCreation(tx: Tx, ctx: Ctx, evaluation: Evaluation): Promise<void> {
  await deleteOrders(tx, ctx.orgId, idsOf([evaluation]));
  for (const step of evaluation.steps) {
    if (step.status !== "applied" || step.carried_over) continue;
    const error = {
      code: "number_taken",
      message: "The number of the new order is already in use.",
      fix: "Retry the run.",
    };
    Object.assign(step, step.created_order_ids ? { status: "failed", error } : { status: "rolled_back" });
    delete step.created_order_ids;
    evaluation.todo |= 1 << step.index;
  }
  dropEffects(evaluation);
}
