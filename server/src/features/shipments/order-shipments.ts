import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Order, OrderShipment } from "../orders/order.ts";
import { recordBatch } from "./create-shipments.ts";
import { newShipment } from "./shipment-fields.ts";
import type { ShipmentChange } from "./shipment-stats.store.ts";
import { addToStats } from "./shipment-stats.store.ts";
import type { Shipment } from "./shipment.ts";
import { derive } from "./shipment.ts";
import * as store from "./shipments.store.ts";

/** What became of the shipments that an order lists. */
export type OrderShipmentsChange = { order: Order; added: OrderShipment[]; removedIds: string[] };

/**
 * Shipments follow the orders that list them, in the transaction of the order's change: what is listed is recorded, what
 * is no longer listed is voided, and what is listed again is valid again. A few statements, however many orders.
 */
export async function keepOrderShipments(tx: Tx, ctx: Ctx, changed: OrderShipmentsChange[]): Promise<void> {
  const now = ctx.clock.now().toISOString();
  const wanted = changed.flatMap(({ order, added }) => added.map((listed) => toShipment(order, listed, now)));
  const inserted = await store.insertShipments(tx, ctx.orgId, wanted);
  const returning = wanted.filter(({ id }) => !inserted.has(id)).map(({ id }) => id);
  const removed = new Set(changed.flatMap(({ removedIds }) => removedIds));
  const stored = await store.lockShipments(tx, ctx.orgId, [...returning, ...removed]);
  const changes = stored.flatMap((before): ShipmentChange[] => {
    const isGone = removed.has(before.id);
    if (isGone === (before.voidedAt !== null)) return [];
    const voidedAt = isGone ? now : null;
    return [{ before, after: derive({ ...before, voidedAt, updatedAt: now, version: before.version + 1 }, now) }];
  });
  await store.updateShipments(
    tx,
    ctx.orgId,
    changes.map(({ after }) => after),
  );
  await recordBatch(tx, ctx, [...inserted], "run");
  const created = wanted.filter(({ id }) => inserted.has(id)).map((after) => ({ after }));
  await addToStats(tx, ctx.orgId, [...created, ...changes]);
}

/** As the order lists it. */
export function toShipment(order: Order, listed: OrderShipment, now: string): Shipment {
  const { carrier, service, trackingNumber } = listed;
  const request = {
    shippedAt: listed.shippedAt,
    ...(carrier === null ? {} : { carrier }),
    ...(service === null ? {} : { service }),
    ...(trackingNumber === null ? {} : { trackingNumber }),
  };
  return newShipment(request, order, "run", { now, newId: () => listed.id });
}
