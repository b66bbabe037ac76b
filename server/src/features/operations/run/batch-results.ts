import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { Order } from "../../orders/order.ts";
import { explainUnknown, findMatching } from "../../orders/orders.ts";
import type { Evaluation, Pipeline } from "../evaluate.ts";
import { outcomeOf } from "../evaluate.ts";
import type { OrderFacts } from "../order-conditions.ts";
import type { RunError } from "./leased-run.ts";
import type { NewResult, RunBatch } from "./run-results.store.ts";
import type { Counts } from "./run-counts.store.ts";
import type { RunRow } from "./runs.store.ts";

/** Orders of a batch that the run leaves unchanged, by ID, with the reason. */
export type SkippedOrders = Map<string | null, { order: Order; error: RunError }>;

const changedSincePreflight: RunError = {
  code: "changed_since_preflight",
  message: "The order has changed since the preflight.",
  fix: "Make a new preflight.",
};
const noLongerMatches: RunError = {
  code: "no_longer_matches",
  message: "The order no longer meets the filter or condition.",
};

/** Checked on the locked orders: an order that changed since the preflight, or that no longer meets filter and condition. */
export async function findSkipped(
  tx: Tx,
  ctx: Ctx,
  { filter }: RunRow,
  { when }: Pipeline,
  { orderIds, versions }: RunBatch,
  locked: Order[],
  facts: OrderFacts,
): Promise<SkippedOrders> {
  const skipped: SkippedOrders = new Map();
  const skip = (order: Order, error: RunError): void => {
    if (!skipped.has(order.id)) skipped.set(order.id, { order, error });
  };
  if (versions) {
    const expected = new Map(orderIds.map((id, i) => [id, versions[i]]));
    for (const order of locked) if (expected.get(order.id) !== order.version) skip(order, changedSincePreflight);
  }
  if (when) for (const order of locked) if (!when(order, facts)) skip(order, noLongerMatches);
  if (filter === null) return skipped;
  const ids = locked.map(({ id }) => id).filter((id) => !skipped.has(id));
  const matching = await findMatching(tx, ctx.orgId, filter, ids);
  for (const order of locked) if (!matching.has(order.id)) skip(order, noLongerMatches);
  return skipped;
}

/** One result per order of the batch, in its order. */
export async function resultsOf(
  tx: Tx,
  { orgId }: Ctx,
  batch: RunBatch,
  evaluations: Evaluation[],
  skipped: SkippedOrders,
): Promise<NewResult[]> {
  const unknown = batch.refs.filter((_, i) => batch.orderIds[i] === null);
  const explain = await explainUnknown(tx, orgId, unknown);
  const byId = new Map<string | null, Evaluation>(evaluations.map((evaluation) => [evaluation.before.id, evaluation]));
  return batch.refs.map((ref, i) => {
    const base = { position: batch.position + i, ref };
    const skip = skipped.get(batch.orderIds[i]!);
    if (skip) return { ...base, ...skippedResult(skip.order), error_code: skip.error.code, error: skip.error };
    const evaluation = byId.get(batch.orderIds[i]!);
    if (!evaluation) {
      const error = explain(ref);
      return { ...base, ...failedResult, todo: batch.todo[i]!, error_code: error.code, error };
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

/** Every order of the batch has failed with this error. */
export function failedResults(batch: RunBatch, error: RunError): NewResult[] {
  return batch.refs.map((ref, i) => ({
    ...failedResult,
    position: batch.position + i,
    ref,
    order_id: batch.orderIds[i] ?? null,
    todo: batch.todo[i]!,
    error_code: error.code,
    error,
  }));
}

export function countResults(rows: NewResult[]): Counts {
  const succeeded = rows.filter(({ status }) => status === "succeeded");
  return {
    succeeded: succeeded.length,
    failed: rows.filter(({ status }) => status === "failed").length,
    skipped: rows.filter(({ status }) => status === "skipped").length,
    noChange: succeeded.filter(({ is_unchanged }) => is_unchanged).length,
    // Only an undo leaves an error on an order that succeeded.
    partiallyUndone: succeeded.filter(({ error_code }) => error_code !== null).length,
  };
}

const failedResult = {
  order_id: null,
  order_number: null,
  status: "failed" as const,
  is_unchanged: true,
  steps: [],
  version_before: null,
  version_after: null,
};

function skippedResult({ id, number, version }: Order) {
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
