import { orderLimits } from "../../../core/order-limits.ts";
import type { Order } from "../../orders/order.ts";
import type { ActionEnv } from "../action.ts";
import { refuse } from "../action.ts";

const { children: maxChildren, numberLength: maxNumberLength } = orderLimits;

/** Candidate numbers for orders created from this one, in order. */
export function childNumbers({ number, childCount }: Pick<Order, "number" | "childCount">): string[] {
  return Array.from({ length: maxChildren - childCount }, (_, i) => childNumber(number, childCount + 1 + i));
}

function childNumber(number: string, nth: number): string {
  const ending = `-${nth}`;
  const start = number.length + ending.length > maxNumberLength ? Array.from(number) : undefined;
  return (start?.slice(0, maxNumberLength - ending.length).join("") ?? number) + ending;
}

/** The next children whose numbers are free; undefined if there are too few. */
export function nextChildren(order: Order, count: number, env: ActionEnv): number[] | undefined {
  const free: number[] = [];
  for (let nth = order.childCount + 1; nth <= maxChildren && free.length < count; nth++) {
    if (!env.takenNumbers?.has(childNumber(order.number, nth))) free.push(nth);
  }
  return free.length === count ? free : undefined;
}

export const tooManyChildren = refuse("too_many_children", `At most ${maxChildren} orders can be created from one.`);

/** A new order with the content of another one, and its own identity and history. */
export function childOf(order: Order, nth: number, env: ActionEnv, own: Partial<Order>): Order {
  return {
    ...order,
    id: env.newId(),
    number: childNumber(order.number, nth),
    bridgeId: null,
    externalId: null,
    holds: order.holds.map((hold) => ({ ...hold, id: env.newId() })),
    shipments: [],
    packages: [],
    notes: [],
    // The original keeps what was paid for the whole.
    amounts: {},
    payment: {},
    parentOrderId: order.id,
    mergedIntoId: null,
    childCount: 0,
    archivedAt: null,
    createdAt: env.now,
    updatedAt: env.now,
    version: 1,
    ...own,
  };
}
