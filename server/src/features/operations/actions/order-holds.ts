import type { Hold, Order, OrderPatch } from "../../orders/order.ts";
import { fulfillmentHold } from "../../orders/order.ts";
import type { Outcome } from "../action.ts";
import { refuse } from "../action.ts";

const maxHolds = 10;

/** Placed by the hub or a bridge for a reason of its own: people need operations:override to lift it. */
export function isProtected(hold: Hold): boolean {
  // Whoever sends orders must be able to send them again once the partner's trouble is over.
  if (hold.handle === fulfillmentHold) return false;
  return hold.source === "system" || hold.source === "bridge";
}

/** An order has one hold per handle; the new one takes the place of the old. */
export function placeHold(order: Order, hold: Hold, further: OrderPatch = {}): Outcome {
  const others = order.holds.filter(({ handle }) => handle !== hold.handle);
  if (others.length >= maxHolds) {
    return refuse("too_many_holds", `An order has at most ${maxHolds} holds.`, "Release some holds first.");
  }
  return { patch: { ...further, holds: [...others, hold] } };
}
