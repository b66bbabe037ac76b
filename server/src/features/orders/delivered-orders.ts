import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import { insertChanges } from "./order-history.store.ts";
import { changesOf } from "./order.ts";
import { orderMoves } from "./orders.states.ts";
import * as store from "./orders.store.ts";

/** Everything of these orders has arrived. Those that cannot become delivered stay as they are; holds are no obstacle. */
export async function markOrdersDelivered(tx: Tx, ctx: Ctx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const orders = await store.lockOrders(tx, ctx.orgId, ids);
  const arrived = orders.filter(({ status }) => canMove(orderMoves, status, "delivered"));
  if (arrived.length === 0) return;
  const at = ctx.clock.now();
  const updated = arrived.map((order) => ({ ...order, status: "delivered" as const, version: order.version + 1 }));
  await store.updateOrders(tx, ctx.orgId, updated, ["status"], at.toISOString());
  const entries = arrived.map((order) => ({
    orderId: order.id,
    changes: changesOf(order, { status: "delivered" }),
    version: order.version + 1,
  }));
  await insertChanges(tx, ctx.orgId, entries, { ...ctx, kind: "delivered", at });
  await recordEvents(
    tx,
    ctx,
    updated.map(({ id, number, version }) => ({ type: "order.delivered", objectId: id, data: { number, version } })),
  );
}
