import type { FieldError } from "../../core/errors.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { canMove } from "../../core/states.ts";
import type { Hold, Order, OrderEnv } from "./order.ts";
import { hasShipped, isOnHold } from "./order.ts";
import type { OrderStatus } from "./orders.states.ts";
import { onTheWay, openStatuses, orderMoves, shippableStatuses } from "./orders.states.ts";

/**
 * What may be done to an order. Whoever changes one asks here: requests, runs, imports, shipments and labels get the same
 * answer, and with it the same words.
 */
export type Obstacle = { code: string; message: string; fix: string };

export type MoveOptions = {
  /** What of the order has left once the move is made; default: what has left by now. */
  after?: Pick<Order, "shipments" | "lines">;
  /** By somebody who answers for it. What was merged stays where it is all the same: it would be shipped twice. */
  isForced?: boolean;
  /** By somebody who may, or because it has happened already. */
  ignoresHolds?: boolean;
  /** Others have done it: goods that left have left, whatever the order was waiting for. */
  hasHappened?: boolean;
};

/** Why the order may not become this. */
export function moveProblem(order: Order, to: OrderStatus, options: MoveOptions = {}): Obstacle | undefined {
  if (to === order.status) return undefined;
  if (options.isForced) return order.mergedIntoId === null ? undefined : merged;
  const hasLeft = options.hasHappened && onTheWay.includes(to) && openStatuses.includes(order.status);
  if (hasLeft || canMove(orderMoves, order.status, to)) return obstacleTo(order, to, options);
  const allowed = allowedMoves(order);
  const fix = allowed.length === 0 ? "This status is final." : `It may become ${allowed.join(", ")}.`;
  return { code: "invalid_state", message: `An order that is ${order.status} cannot become ${to}.`, fix };
}

/** What it may become, as it is now. */
export function allowedMoves(order: Order): OrderStatus[] {
  return orderMoves[order.status].filter((to) => !obstacleTo(order, to, {}));
}

/** What forbids a move that the table has. */
function obstacleTo(
  order: Order,
  to: OrderStatus,
  { after = order, ignoresHolds = false }: MoveOptions,
): Obstacle | undefined {
  if (to === "cancelled" && order.status === "sent") return withPartner;
  if (order.mergedIntoId !== null) return merged;
  // Ready once more, it would be shipped once more.
  const isShippedAgain = order.status === "shipped" && (to === "ready" || to === "new");
  const isCalledOff = to === "cancelled" || order.status === "cancelled";
  if ((isCalledOff || isShippedAgain) && hasShipped(after)) return partlyShipped;
  return onTheWay.includes(to) && !ignoresHolds ? holdProblem(order) : undefined;
}

const withPartner: Obstacle = {
  code: "requires_recall",
  message: "The order is with the fulfilment partner, who would still ship it.",
  fix: "Recall it with recall_fulfillment, or have the partner stop it and set the status back to ready; then cancel.",
};

const merged: Obstacle = {
  code: "merged",
  message: "Its lines are in the order it was merged into.",
  fix: "Undo the merge instead.",
};

const partlyShipped: Obstacle = {
  code: "already_shipped",
  message: "Some of the order has been shipped.",
  fix: "Mark it as unshipped first.",
};

/** What an order consists of may change only while all of it is here. */
export function shippedProblem(order: Order): Obstacle | undefined {
  return hasShipped(order) ? partlyShipped : undefined;
}

export function holdProblem(order: Order): Obstacle | undefined {
  if (!isOnHold(order)) return undefined;
  const reasons = order.holds.map(({ reason }) => reason).join(", ");
  return { code: "on_hold", message: `The order is on hold (${reasons}).`, fix: "Release the hold first." };
}

/** Why nothing of it may leave now: what may not needs no label either. */
export function shippingProblem(order: Order): Obstacle | undefined {
  if (order.mergedIntoId !== null) return merged;
  if (shippableStatuses.includes(order.status)) return holdProblem(order);
  const fix = `It is shipped while it is ${shippableStatuses.join(", ")}.`;
  return { code: "invalid_state", message: `The order is ${order.status}.`, fix };
}

/** Long ago, or beyond what is written with four digits: nothing that an order's dates are about. */
export function momentErrors(pointer: string, text: string | null | undefined): FieldError[] {
  const year = text == null ? undefined : new Date(text).getUTCFullYear();
  if (year === undefined || (year >= 1970 && year <= 9999)) return [];
  return [{ pointer, code: "format", message: "This is not a time between the years 1970 and 9999." }];
}

/** The handle of the hold that the hub places when fulfilment did not take the order. */
export const fulfillmentHold = "fulfillment";

export function newHold(env: OrderEnv, given: Pick<Hold, "handle" | "reason" | "source"> & Partial<Hold>): Hold {
  return { id: env.newId(), note: null, until: null, by: env.actor, placedAt: env.now, ...given };
}

/** An order has one hold per handle; the new one takes the place of the old. */
export function withHold(order: Pick<Order, "holds">, hold: Hold): Hold[] {
  return [...order.holds.filter(({ handle }) => handle !== hold.handle), hold];
}

/** The limit is for what people place: the hub always has room to say that something is wrong. */
export function holdLimitProblem(order: Order, hold: Hold): Obstacle | undefined {
  if (withHold(order, hold).length <= orderLimits.holds) return undefined;
  const message = `An order has at most ${orderLimits.holds} holds.`;
  return { code: "too_many_holds", message, fix: "Release some holds first." };
}

/**
 * What it takes to lift a hold: those of people are lifted together, a conflict with the source has to be named by who
 * decides it, and what the hub or a bridge placed for a reason of its own needs operations:override.
 */
export function liftingNeeds(hold: Hold): "nothing" | "naming" | "override" {
  // Whoever sends orders must be able to send them again once the partner's trouble is over.
  if (hold.handle === fulfillmentHold) return "nothing";
  if (hold.reason === "source_conflict" && hold.source === "bridge") return "naming";
  return hold.source === "system" || hold.source === "bridge" ? "override" : "nothing";
}
