import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockOrders, markOrdersDelivered, takeBackDelivery } from "../orders/orders.ts";
import type { ShipmentChange } from "./shipment-changes.ts";
import { findDeliveredOrders } from "./shipments.store.ts";

/** Marks orders as delivered whose shipments have all been delivered, if their status allows it. */
export async function deliverOrders(tx: Tx, ctx: Ctx, orderIds: string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await markOrdersDelivered(tx, ctx, await findDeliveredOrders(tx, ctx.orgId, [...new Set(orderIds)]));
}

/** Reverts the delivery of orders whose shipments are no longer delivered. The caller has locked the orders. */
export async function undeliverOrders(tx: Tx, ctx: Ctx, changes: ShipmentChange[]): Promise<void> {
  const missing = changes.filter(
    ({ before, after }) => before.status === "delivered" && after.status !== "delivered" && after.status !== "returned",
  );
  const ids = [...new Set(missing.flatMap(({ after }) => after.orderId ?? []))];
  if (ids.length === 0) return;
  for (const order of await lockOrders(tx, ctx.orgId, ids)) await takeBackDelivery(tx, ctx, order);
}
