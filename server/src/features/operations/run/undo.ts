import type { Ctx } from "../../../context.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Hold, Order } from "../../orders/order.ts";
import type { FieldChange } from "../../orders/order-changes.ts";
import { applyChanges, changesOf, revert } from "../../orders/order-changes.ts";
import { liftingNeeds } from "../../orders/order-rules.ts";
import type { Evaluation, Pipeline, StepResult } from "../evaluate.ts";
import { beginOn } from "../evaluate.ts";
import type { DoneRow } from "./run-results.store.ts";
import { readResultsOf } from "./run-results.store.ts";
import { readEffects } from "./run-effects.ts";
import type { RunRow } from "./runs.store.ts";

/**
 * Reverts the steps of a run on these orders, newest first; a step that cannot be reverted has the reason. `readCreated` reads the
 * orders the run created, and locks them if they will be deleted.
 */
export async function evaluateUndo(
  db: Queryable,
  ctx: Ctx,
  run: RunRow,
  orders: Order[],
  pipeline: Pipeline,
  readCreated: (ids: string[]) => Promise<Order[]>,
): Promise<{ evaluations: Evaluation[]; deletes: Order[] }> {
  const ids = orders.map(({ id }) => id);
  const done = await readResultsOf(db, ctx.orgId, run.undo_of!, ids);
  const { effectOf } = await readEffects(db, run.root_run_id, ids);
  const leftOf = (row: DoneRow | undefined): number => (row ? effectOf(run.undo_of!, row.ref) : 0);
  const createdIds = [...done.values()].flatMap(({ steps }) => steps.flatMap((step) => step.created_order_ids ?? []));
  const created = new Map((await readCreated(createdIds)).map((order) => [order.id, order]));
  const undo = (blocked: ReadonlySet<number>) =>
    orders.map((order) => {
      const row = done.get(order.id);
      return undoOrder(order, row, { left: leftOf(row), pipeline, created, blocked, mayOverride: run.may_override });
    });
  let undone = undo(new Set());
  // A step that changed several orders together is undone for all of them or none.
  const grouped = pipeline.steps
    .filter(({ action }) => action.applyToAll && !action.isUndonePerOrder)
    .map(({ index }) => index);
  const isKept = (index: number) =>
    undone.some(({ evaluation }) =>
      evaluation.steps.some((step) => step.index === index && step.status === "undo_failed"),
    );
  const blocked = new Set(grouped.filter(isKept));
  if (blocked.size > 0) undone = undo(blocked);
  return { evaluations: undone.map(({ evaluation }) => evaluation), deletes: undone.flatMap(({ deletes }) => deletes) };
}

type UndoneOrder = { evaluation: Evaluation; deletes: Order[] };

type Undoing = {
  /** Steps that are not undone yet, as a bit mask. */
  left: number;
  pipeline: Pipeline;
  created: Map<string, Order>;
  blocked: ReadonlySet<number>;
  /** The caller of the undo has the scope `operations:override`. */
  mayOverride: boolean;
};

function undoOrder(order: Order, done: DoneRow | undefined, undoing: Undoing): UndoneOrder {
  const { left, pipeline, created, blocked, mayOverride } = undoing;
  const evaluation = beginOn(order, 0);
  const deletes: Order[] = [];
  const isTouched = order.version !== done?.version_after;
  const undoOwn = (current: Order, step: StepResult): UndoneStep =>
    isTouched && mergesAgain(step) ? changedWhileApart : undoStep(current, step, created);
  // A step that was undone before is left out: an equal value now was set by a later change.
  const isLeft = ({ index }: StepResult): boolean => (left & (1 << index)) !== 0;
  const applied = (done?.steps ?? []).filter((step) => step.status === "applied" && !step.carried_over && isLeft(step));
  for (const step of applied.toReversed()) {
    const action = pipeline.steps.find(({ index }) => index === step.index)?.action;
    const why = action ? action.irreversible : "The action no longer exists.";
    const own =
      why === undefined ? keepProtectedHolds(mayOverride, undoOwn(evaluation.order, step)) : irreversible(why);
    // The order that blocks the others keeps its own reason.
    const outcome = blocked.has(step.index) && !("error" in own) ? together : own;
    const base = { index: step.index, type: step.type };
    if ("error" in outcome) {
      evaluation.steps.push({ ...base, status: "undo_failed", error: outcome.error });
      continue;
    }
    const deleted = step.created_order_ids ?? [];
    deletes.push(...deleted.flatMap((orderId) => created.get(orderId) ?? []));
    evaluation.order = applyChanges(evaluation.order, outcome.changes);
    const hasEffect = outcome.changes.length > 0 || step.created_order_ids !== undefined;
    const changes = outcome.changes.length > 0 ? { changes: outcome.changes } : {};
    const made = deleted.length > 0 ? { deleted_order_ids: deleted } : {};
    evaluation.steps.push({ ...base, status: hasEffect ? "applied" : "no_change", ...changes, ...made });
  }
  return { evaluation, deletes };
}

const together = {
  error: {
    code: "group_changed_after_run",
    message: "Another order of this step was changed after the run; the step is undone for all orders or none.",
  },
};

function irreversible(why: string) {
  return { error: { code: "irreversible", message: `This step cannot be undone. ${why}` } };
}

// The merged order has the lines as they were then: lines restored here would be in no order.
const merged = {
  error: {
    code: "merged_after_run",
    message: "The order was merged into another one after the run.",
    fix: "Undo the merge first.",
  },
};

// The lines moved to orders that were deleted: removed from this order again, they would be in no order.
const gone = {
  error: {
    code: "orders_deleted",
    message: "The undo of the step deleted the orders it had created; they cannot be restored.",
    fix: "Run the step again.",
  },
};

/** The step undid a merge: undoing it would merge the order again. */
function mergesAgain({ changes }: StepResult): boolean {
  return changes?.some(({ path, from }) => path === "/mergedIntoId" && from !== null) ?? false;
}

// The other order would get the earlier lines, which may be in a third order by now.
const changedWhileApart = {
  error: {
    code: "changed_after_run",
    message: "The order was changed after the merge was undone.",
    fix: "Merge the orders with a new run.",
  },
};

type UndoneStep = { changes: FieldChange[] } | { error: NonNullable<StepResult["error"]> };

const overrideRequired = {
  error: {
    code: "override_required",
    message: "The step changed a hold placed by the hub or a bridge.",
    fix: "A user with the scope operations:override can undo it.",
  },
};

/** A hold that requires operations:override is neither released nor restored without it, by any step. */
function keepProtectedHolds(mayOverride: boolean, outcome: UndoneStep): UndoneStep {
  if (mayOverride || "error" in outcome) return outcome;
  const idsIn = (holds: unknown): Set<string> =>
    new Set((holds as Hold[]).filter((hold) => liftingNeeds(hold) === "override").map(({ id }) => id));
  const touches = outcome.changes.some(
    ({ path, from, to }) => path === "/holds" && idsIn(from).symmetricDifference(idsIn(to)).size > 0,
  );
  return touches ? overrideRequired : outcome;
}

function undoStep(order: Order, step: StepResult, created: Map<string, Order>): UndoneStep {
  const touched = (step.created_order_ids ?? []).find((id) => (created.get(id)?.version ?? 1) > 1);
  if (touched !== undefined) {
    const number = created.get(touched)!.number;
    return {
      error: { code: "created_order_changed", message: `${number}, created by this step, was changed after the run.` },
    };
  }
  if (step.deleted_order_ids) return gone;
  if (order.mergedIntoId !== null && step.changes?.some(({ path }) => path === "/lines")) return merged;
  let current = order;
  const changes: FieldChange[] = [];
  for (const change of (step.changes ?? []).toReversed()) {
    const patch = revert(current, change);
    if (!patch) {
      return {
        error: {
          code: "changed_after_run",
          message: `${change.path.slice(1)} was changed after the run.`,
          fix: "Change it manually.",
        },
      };
    }
    const reverted = changesOf(current, patch);
    changes.push(...reverted);
    current = applyChanges(current, reverted);
  }
  return { changes };
}
