import type { Order } from "../../orders/order.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { refuse } from "../action.ts";

const maxChildren = 999;

/** A new order made from another one: what it is for is the same, its identity and history are its own. */
export function childOf(order: Order, nth: number, env: ActionEnv, own: Partial<Order>): Order {
  return {
    ...order,
    id: env.newId(),
    number: `${order.number}-${order.childCount + nth}`,
    bridgeId: null,
    externalId: null,
    holds: order.holds.map((hold) => ({ ...hold, id: env.newId() })),
    shipments: [],
    packages: [],
    notes: [],
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

export function childrenProblem(order: Order, count: number): Outcome | undefined {
  if (order.childCount + count <= maxChildren) return undefined;
  return refuse("too_many_children", `At most ${maxChildren} orders can be made from one.`);
}
