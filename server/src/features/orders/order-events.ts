import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Order } from "./order.ts";

type OrdersChange = {
  type: "orders.created" | "orders.updated" | "orders.deleted";
  source: "bulk" | "csv" | "bridge" | "fulfillment" | "run";
  orders: readonly Pick<Order, "id" | "number" | "version">[];
  fields?: Iterable<string>;
  bridgeId?: string;
  runId?: string;
};

/** Small enough to be handed on as one message. */
const maxItems = 200;
const firstIds = 100;

/** One event for many: thousands would drown everything else. Each order is named, in as many events as that takes. */
export async function recordOrders(tx: Tx, ctx: Ctx, change: OrdersChange): Promise<void> {
  const { type, orders, fields, ...origin } = change;
  const items = orders.map(({ id, number, version }) => ({ id, number, version }));
  const batchId = ctx.newId();
  const events = [];
  for (let from = 0; from < items.length; from += maxItems) {
    const some = items.slice(from, from + maxItems);
    const data = {
      ...origin,
      ...(fields && { fields: [...fields] }),
      count: some.length,
      items: some,
      firstIds: some.slice(0, firstIds).map(({ id }) => id),
    };
    events.push({ type, objectId: batchId, data });
  }
  await recordEvents(tx, ctx, events);
}
