import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { batchesOf, recordEvents } from "../../events/record-event.ts";
import type { Order } from "./order.ts";

type OrdersChange = {
  type: "orders.created" | "orders.updated" | "orders.deleted";
  source: "bulk" | "csv" | "bridge" | "fulfillment" | "run";
  orders: readonly Pick<Order, "id" | "number" | "version">[];
  fields?: Iterable<string>;
  bridgeId?: string;
  runId?: string;
};

/** Lists each order with its version after the change. */
export function recordOrders(tx: Tx, ctx: Ctx, change: OrdersChange): void {
  const { type, orders, fields, ...origin } = change;
  const more = { ...origin, ...(fields && { fields: [...fields] }) };
  const items = orders.map(({ id, number, version }) => ({ id, number, version }));
  const objectId = ctx.newId();
  recordEvents(
    tx,
    ctx,
    batchesOf(items).map((batch) => ({ type, objectId, data: { ...more, ...batch } })),
  );
}
