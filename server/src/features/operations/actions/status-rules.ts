import type { Order, OrderPatch } from "../../orders/order.ts";
import type { OrderStatus } from "../../orders/orders.states.ts";
import type { Outcome } from "../action.ts";
import { refuse } from "../action.ts";
import { diff } from "../order-diff.ts";
import { hasShipped } from "./order-lines.ts";

/** Nobody outside knows of the order yet, so that what it consists of may still change. */
export const beforeSending: readonly OrderStatus[] = ["draft", "new", "review_required", "awaiting_payment", "ready"];

/** Why the order may not be called off, whatever the table of moves says. */
export function cancelProblem(order: Order): Outcome | undefined {
  if (order.status === "sent") {
    return refuse(
      "requires_recall",
      "The order is with the fulfilment partner, who would still ship it.",
      "Have the partner stop it, set the status back to ready, then cancel.",
    );
  }
  return shippedProblem(order);
}

/** Why a cancelled order may not come back. */
export function restoreProblem(order: Order): Outcome | undefined {
  if (order.mergedIntoId !== null) {
    return refuse("merged", "Its lines are in the order it was merged into.", "Undo the merge instead.");
  }
  return shippedProblem(order);
}

export function shippedProblem(order: Order): Outcome | undefined {
  if (!hasShipped(order)) return undefined;
  return refuse("already_shipped", "Some of the order has been shipped.", "Mark it as unshipped first.");
}

/** The fulfilment partner works from what it was sent: whoever changes it here has to know that nobody tells them. */
export function withSentWarning(order: Order, patch: OrderPatch): Outcome {
  if (order.status !== "sent" || diff(order, patch).length === 0) return { patch };
  const message = "The order is with the fulfilment partner already, who is not told of this change.";
  return { patch, warning: { code: "already_sent", message } };
}
