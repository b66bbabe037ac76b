import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { readOrders } from "../orders/orders.ts";
import { listSteps, mayOverride } from "./compile-pipeline.ts";
import type { Evaluation } from "./evaluate.ts";
import { isGrouped } from "./evaluate.ts";
import type { OrderGroup } from "./operations.schemas.ts";
import { createGroups } from "./order-groups.ts";
import { presentSteps } from "./present-run.ts";
import { listUndoable } from "./run/run-effects.ts";
import { batchSize } from "./run/plan-run.ts";
import type { RunRow } from "./run/runs.store.ts";
import { evaluateUndo } from "./run/undo.ts";

const shownOrders = 100;

type Reason = Omit<OrderGroup, "count" | "sample" | "reasons">;
type Verdict = "reversible" | "partially_reversible" | "irreversible" | "no_change";

/** Which steps an undo of this run would revert now, and why it cannot revert others: evaluated on copies by the same code. */
export async function preflightUndoOf(ctx: Ctx, run: RunRow) {
  const pipeline = await listSteps(ctx, run.actions);
  const undo: RunRow = { ...run, undo_of: run.id, may_override: mayOverride(ctx) };
  const undoable = await listUndoable(ctx.db, run);
  if (undoable.length === 0) throw new HubError("nothing_to_undo");
  const summary = {
    orders: undoable.length,
    reversible: 0,
    partially_reversible: 0,
    irreversible: 0,
    no_change: 0,
    deleted: 0,
  };
  const groups = createGroups<Reason>();
  const shown: { rank: number; order: object }[] = [];
  const size = isGrouped(pipeline) ? undoable.length : batchSize;
  for (let from = 0; from < undoable.length; from += size) {
    const batch = undoable.slice(from, from + size);
    const ids = batch.map(({ order_id }) => order_id);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, ids)).map((order) => [order.id, order]));
    const present = ids.flatMap((id) => orders.get(id) ?? []);
    const read = (created: string[]) => readOrders(ctx.db, ctx.orgId, created);
    const { evaluations } = await evaluateUndo(ctx.db, ctx, undo, present, pipeline, read);
    const byId = new Map(evaluations.map((evaluation) => [evaluation.before.id, evaluation]));
    for (const { ref, order_id } of batch) {
      const evaluation = byId.get(order_id);
      const named = { ref, order_id, order_number: evaluation?.before.number ?? null };
      if (!evaluation) summary.deleted++;
      for (const reason of evaluation ? reasonsOf(evaluation) : [gone]) groups.add(reason, "", named);
      if (!evaluation) continue;
      const verdict = verdictOf(evaluation);
      summary[verdict]++;
      const rank = verdict === "irreversible" ? 0 : verdict === "partially_reversible" ? 1 : 2;
      if (shown.length < shownOrders || rank < 2) {
        shown.push({ rank, order: { ...named, verdict, steps: presentSteps(ctx, evaluation.steps) } });
        if (shown.length > 2 * shownOrders) keepFirst(shown);
      }
    }
    await yieldToEventLoop();
  }
  keepFirst(shown);
  return {
    run_id: run.id,
    summary,
    groups: groups.list(),
    orders: shown.map(({ order }) => order),
    orders_truncated: undoable.length - summary.deleted > shown.length,
  };
}

const gone: Reason = { step: null, type: null, code: "order_not_found", message: "The order was deleted." };

/** Orders with problems first. */
function keepFirst(shown: { rank: number; order: object }[]): void {
  const kept = shown.toSorted((a, b) => a.rank - b.rank).slice(0, shownOrders);
  shown.splice(0, shown.length, ...kept);
}

function reasonsOf({ steps }: Evaluation): Reason[] {
  return steps.flatMap(({ index: step, type, status, error }) =>
    status === "undo_failed" && error ? [{ step, type, ...error }] : [],
  );
}

function verdictOf({ steps }: Evaluation): Verdict {
  const has = (wanted: string): boolean => steps.some(({ status }) => status === wanted);
  if (has("undo_failed")) return has("applied") ? "partially_reversible" : "irreversible";
  return has("applied") ? "reversible" : "no_change";
}
