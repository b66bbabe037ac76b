import type { Obstacle, Order, OrderPatch } from "../../orders/order.ts";
import { hasShipped, obstacleTo, partlyShipped } from "../../orders/order.ts";
import type { OrderStatus } from "../../orders/orders.states.ts";
import type { Outcome } from "../action.ts";
import { refuse } from "../action.ts";
import { diff } from "../order-diff.ts";

/** Nobody outside knows of the order yet, so that what it consists of may still change. */
export const beforeSending: readonly OrderStatus[] = ["draft", "new", "review_required", "awaiting_payment", "ready"];

/** Why the order may not become this, whatever the table of moves says. */
export function moveProblem(order: Order, to: OrderStatus): Outcome | undefined {
  return toRefusal(obstacleTo(to, order));
}

export function shippedProblem(order: Order): Outcome | undefined {
  return hasShipped(order) ? toRefusal(partlyShipped) : undefined;
}

function toRefusal(obstacle: Obstacle | undefined): Outcome | undefined {
  return obstacle && refuse(obstacle.code, obstacle.message, obstacle.fix);
}

/** The fulfilment partner works from what it was sent: whoever changes it here has to know that nobody tells them. */
export function withSentWarning(order: Order, patch: OrderPatch): Outcome {
  if (order.status !== "sent" || diff(order, patch).length === 0) return { patch };
  const message = "The order is with the fulfilment partner already, who is not told of this change.";
  return { patch, warning: { code: "already_sent", message } };
}
