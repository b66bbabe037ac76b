import type { Evaluation } from "../features/operations/evaluate.ts";
import { applyChanges, changesOf, revert } from "../features/orders/order-changes.ts";
import type { Order } from "../features/orders/order.ts";

/** For tests: the order after an undo; undefined if it cannot be undone. */
export function undone({ order, steps }: Evaluation): Order | undefined {
  let current = order;
  for (const change of steps.flatMap((step) => step.changes ?? []).toReversed()) {
    const patch = revert(current, change);
    if (!patch) return undefined;
    current = applyChanges(current, changesOf(current, patch));
  }
  return current;
}
