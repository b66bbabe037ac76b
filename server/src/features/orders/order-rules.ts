import type { FieldError } from "../../core/errors.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { canMove } from "../../core/states.ts";
import type { Hold, Order, OrderEnv } from "./order.ts";
import { hasShipped, isOnHold } from "./order.ts";
import type { OrderStatus } from "./orders.states.ts";
import { onTheWay, openStatuses, orderMoves, shippableStatuses } from "./orders.states.ts";

/**
 * The rules for changing an order, shared by requests, runs, imports, shipments and labels, so that all of them give the same
 * result and the same message.
 */
export type Obstacle = { code: string; message: string; fix: string };

export type MoveOptions = {
  /** Shipped quantities after the move; default: the current ones. */
  after?: Pick<Order, "shipments" | "lines">;
  /** Overridden by a user. Merged orders still cannot move: their items would be shipped twice. */
  isForced?: boolean;
  /** Allowed despite holds, or it has happened already. */
  ignoresHolds?: boolean;
  /** Reported by an external system: shipped goods are shipped, whatever the order was waiting for. */
  hasHappened?: boolean;
};

/** Why a status change is not allowed. */
export function moveProblem(order: Order, to: OrderStatus, options: MoveOptions = {}): Obstacle | undefined {
  if (to === order.status) return undefined;
  if (options.isForced) return order.mergedIntoId === null ? undefined : merged;
  const hasLeft = options.hasHappened && onTheWay.includes(to) && openStatuses.includes(order.status);
  if (hasLeft || canMove(orderMoves, order.status, to)) return obstacleTo(order, to, options);
  const allowed = allowedMoves(order);
  const fix = allowed.length === 0 ? "This status is final." : `It may become ${allowed.join(", ")}.`;
  return { code: "invalid_state", message: `The status cannot change from ${order.status} to ${to}.`, fix };
}

/** The statuses the order can change to now. */
export function allowedMoves(order: Order): OrderStatus[] {
  return orderMoves[order.status].filter((to) => !obstacleTo(order, to, {}));
}

/** Rules beyond the transition table. */
function obstacleTo(
  order: Order,
  to: OrderStatus,
  { after = order, ignoresHolds = false }: MoveOptions,
): Obstacle | undefined {
  if (to === "cancelled" && order.status === "sent") return withPartner;
  if (order.mergedIntoId !== null) return merged;
  // A shipped order that becomes ready would be shipped twice.
  const isShippedAgain = order.status === "shipped" && (to === "ready" || to === "new");
  const isCalledOff = to === "cancelled" || order.status === "cancelled";
  if ((isCalledOff || isShippedAgain) && hasShipped(after)) return partlyShipped;
  return onTheWay.includes(to) && !ignoresHolds ? holdProblem(order) : undefined;
}

const withPartner: Obstacle = {
  code: "requires_recall",
  message: "The fulfillment partner has the order and would still ship it.",
  fix: "Recall it with recall_fulfillment, or have the partner stop it and set the status back to ready; then cancel.",
};

const merged: Obstacle = {
  code: "merged",
  message: "The order was merged into another one, which has its lines.",
  fix: "Undo the merge instead.",
};

const partlyShipped: Obstacle = {
  code: "already_shipped",
  message: "Some items of the order have been shipped.",
  fix: "Mark it as unshipped first.",
};

/** Lines can change only before anything was sent or shipped. */
export function shippedProblem(order: Order): Obstacle | undefined {
  return hasShipped(order) ? partlyShipped : undefined;
}

export function holdProblem(order: Order): Obstacle | undefined {
  if (!isOnHold(order)) return undefined;
  const reasons = order.holds.map(({ reason }) => reason).join(", ");
  return { code: "on_hold", message: `The order is on hold (${reasons}).`, fix: "Release the hold first." };
}

/** Why the order cannot be shipped now, which also prevents labels. */
export function shippingProblem(order: Order): Obstacle | undefined {
  if (order.mergedIntoId !== null) return merged;
  if (shippableStatuses.includes(order.status)) return holdProblem(order);
  const fix = `It is shipped while it is ${shippableStatuses.join(", ")}.`;
  return { code: "invalid_state", message: `The order is ${order.status}.`, fix };
}

/** Times outside of 1970 to 9999 are errors in the data. */
export function momentErrors(pointer: string, text: string | null | undefined): FieldError[] {
  const year = text == null ? undefined : new Date(text).getUTCFullYear();
  if (year === undefined || (year >= 1970 && year <= 9999)) return [];
  return [{ pointer, code: "format", message: "This is not a time between the years 1970 and 9999." }];
}

/** The handle of the hold placed when the fulfillment partner did not accept the order. */
export const fulfillmentHold = "fulfillment";

export function newHold(env: OrderEnv, given: Pick<Hold, "handle" | "reason" | "source"> & Partial<Hold>): Hold {
  return { id: env.newId(), note: null, until: null, by: env.actor, placedAt: env.now, ...given };
}

/** One hold per handle; a new one replaces the old. */
export function withHold(order: Pick<Order, "holds">, hold: Hold): Hold[] {
  return [...order.holds.filter(({ handle }) => handle !== hold.handle), hold];
}

/** The limit applies to holds placed by users; the hub can always add its own. */
export function holdLimitProblem(order: Order, hold: Hold): Obstacle | undefined {
  if (withHold(order, hold).length <= orderLimits.holds) return undefined;
  const message = `An order has at most ${orderLimits.holds} holds.`;
  return { code: "too_many_holds", message, fix: "Release some holds first." };
}

/**
 * The permission to release a hold: holds of users are released together, a conflict with the source must be named explicitly,
 * and holds placed by the hub or a bridge require operations:override.
 */
export function liftingNeeds(hold: Hold): "nothing" | "naming" | "override" {
  // Callers who send orders must be able to send them again after a failure of the partner.
  if (hold.handle === fulfillmentHold) return "nothing";
  if (hold.reason === "source_conflict" && hold.source === "bridge") return "naming";
  return hold.source === "system" || hold.source === "bridge" ? "override" : "nothing";
}
