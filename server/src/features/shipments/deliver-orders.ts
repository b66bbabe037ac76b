import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { markOrdersDelivered } from "../orders/orders.ts";
import { findDeliveredOrders } from "./shipments.store.ts";

/** Orders whose last shipment has arrived are delivered, if their own states allow it. */
export async function deliverOrders(tx: Tx, ctx: Ctx, orderIds: string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await markOrdersDelivered(tx, ctx, await findDeliveredOrders(tx, ctx.orgId, [...new Set(orderIds)]));
}
