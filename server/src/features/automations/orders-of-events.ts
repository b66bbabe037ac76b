import type { Ctx } from "../../context.ts";
import type { EventItem } from "./event-items.ts";
import type { OrderOf } from "./event-orders.store.ts";
import * as store from "./event-orders.store.ts";
import type { TriggerFamily } from "./trigger-types.ts";
import { familyOf } from "./trigger-types.ts";

export type WhichOrders = "all" | "failed";

/** The orders that each item of an event is about, as recorded now. Items without an order have none. */
export async function findOrdersOf(
  ctx: Ctx,
  items: readonly EventItem[],
  which: WhichOrders,
): Promise<Map<EventItem, string[]>> {
  const found = new Map<EventItem, string[]>();
  for (const [family, some] of Map.groupBy(items, ({ type }) => familyOf(type))) {
    if (family === undefined) continue;
    const named = namedOrders[family];
    if (named) {
      for (const item of some) found.set(item, named(item));
      continue;
    }
    const ids = [...new Set(some.map(({ objectId }) => objectId))];
    const byObject = Map.groupBy(await readOrdersOf(ctx, family, ids, which), ({ objectId }) => objectId);
    for (const item of some)
      found.set(
        item,
        (byObject.get(item.objectId) ?? []).map(({ orderId }) => orderId),
      );
  }
  return found;
}

const fromData = ({ data }: EventItem): string[] => (typeof data.orderId === "string" ? [data.orderId] : []);

/** Families whose events name the order. */
const namedOrders: Partial<Record<TriggerFamily, (item: EventItem) => string[]>> = {
  order: ({ objectId }) => [objectId],
  exception: fromData,
  label: fromData,
};

async function readOrdersOf(ctx: Ctx, family: TriggerFamily, ids: string[], which: WhichOrders): Promise<OrderOf[]> {
  const { db, orgId } = ctx;
  if (family === "shipment") return await store.listOrdersOfShipments(db, orgId, ids);
  if (family === "pickup" || family === "manifest")
    return await store.listOrdersOfLabels(db, orgId, `${family}_id`, ids);
  const read = family === "operation_run" ? store.listOrdersOfRuns : store.listOrdersOfExecutions;
  return await read(db, orgId, ids, which === "failed");
}
