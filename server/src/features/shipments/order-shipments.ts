import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { NewEvent } from "../../events/event-catalogue.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Order, OrderShipment } from "../orders/order.ts";
import { recordBatch } from "./create-shipments.ts";
import { deliverOrders } from "./deliver-orders.ts";
import type { EventRequest } from "./shipments.schemas.ts";
import type { ShipmentChange } from "./shipment-changes.ts";
import { afterOf, changed, changeEvent } from "./shipment-changes.ts";
import { newShipment, toEvent } from "./shipment-fields.ts";
import { mergeEvents } from "./tracking/tracking.ts";
import { addToStats } from "./shipment-stats.store.ts";
import type { Shipment } from "./shipment.ts";
import { carrierKeyOf, derive, trackingKeyOf } from "./shipment.ts";
import * as store from "./shipments.store.ts";

/** The fields that an order's shipment list shares with the shipment. */
export const listedFields = ["trackingNumber", "carrier", "service", "shippedAt"] as const;

/** Changes to the shipments that an order lists. */
export type OrderShipmentsChange = {
  order: Order;
  added: OrderShipment[];
  /** Listed before, with other field values now. */
  corrected: OrderShipment[];
  removedIds: string[];
};

/**
 * Syncs shipments with the orders that list them, in the transaction of the order's change: new entries are recorded,
 * removed ones voided, restored ones made valid again and corrected ones corrected. A fixed number of statements.
 */
export async function syncOrderShipments(tx: Tx, ctx: Ctx, orders: OrderShipmentsChange[]): Promise<void> {
  const now = ctx.clock.now().toISOString();
  const wanted = orders.flatMap(({ order, added }) => added.map((listed) => toShipment(order, listed, now)));
  const inserted = await store.insertShipments(tx, ctx.orgId, wanted);
  const returning = wanted.filter(({ id }) => !inserted.has(id)).map(({ id }) => id);
  const removed = new Set(orders.flatMap(({ removedIds }) => removedIds));
  const corrections = new Map(orders.flatMap(({ corrected }) => corrected.map((listed) => [listed.id, listed])));
  const locked = await store.lockShipments(tx, ctx.orgId, [...returning, ...removed, ...corrections.keys()]);
  const stored = locked.filter(({ id }) => !corrections.has(id));
  const corrected = locked.flatMap((before) => {
    const listed = corrections.get(before.id);
    return listed ? [changed(before, pick(listed), now)] : [];
  });
  const changes = stored
    .filter(({ id, voidedAt }) => removed.has(id) === (voidedAt === null))
    .map((before) => changed(before, { voidedAt: removed.has(before.id) ? now : null }, now));
  await store.updateShipments(tx, ctx.orgId, [...changes, ...corrected].map(afterOf));
  const created = wanted.filter(({ id }) => inserted.has(id));
  recordBatch(tx, ctx, created, "run");
  recordEvents(tx, ctx, [...changes.map(changeEvent), ...corrected.map(correctionEvent)]);
  // A parcel that was delivered before the order listed it will get no further event.
  const arrived = stored.filter(({ id, status }) => !removed.has(id) && status === "delivered");
  const orderIds = arrived.flatMap(({ orderId }) => orderId ?? []);
  await deliverOrders(tx, ctx, orderIds);
  // Last, because it locks rows that all writers of the organization share.
  await addToStats(tx, ctx.orgId, [...created.map((after) => ({ after })), ...changes, ...corrected]);
}

function pick({ trackingNumber, carrier, service, shippedAt }: OrderShipment) {
  return { trackingNumber, carrier, service, shippedAt };
}

function correctionEvent({ before, after }: ShipmentChange): NewEvent {
  const { id: objectId, trackingNumber, version } = after;
  const fields = listedFields.filter((field) => before[field] !== after[field]);
  return { type: "shipment.updated", objectId, data: { trackingNumber, fields, version } };
}

/**
 * Shipments that were recorded before their order listed them. The order then lists these instead of new shipments with the
 * same number, which would be counted twice. Keyed by the ID of the entry they replace.
 */
export async function findRecordedShipments(
  tx: Tx,
  ctx: Ctx,
  changed: OrderShipmentsChange[],
): Promise<Map<string, OrderShipment>> {
  const wanted = changed.flatMap(({ order, added }) =>
    added.flatMap((listed) =>
      listed.trackingNumber === null ? [] : [{ order, listed, key: trackingKeyOf(listed.trackingNumber) }],
    ),
  );
  const keys = [...new Set(wanted.map(({ key }) => key))];
  const known = await store.findByTrackingKeys(tx, ctx.orgId, keys);
  const taken = new Set(changed.flatMap(({ order }) => order.shipments.map(({ id }) => id)));
  const found = wanted.flatMap(({ order, listed, key }) => {
    // A label is purchased for one order, so its shipment matches even if the carrier is spelled differently.
    const isTheSame = ({ id, orderId, trackingKey, carrierKey, source }: store.TrackedShipment): boolean =>
      orderId === order.id &&
      trackingKey === key &&
      !taken.has(id) &&
      (listed.carrier === null || carrierKey === carrierKeyOf(listed.carrier) || source === "label");
    const recorded = known.find(isTheSame);
    if (recorded) taken.add(recorded.id);
    return recorded ? [{ listed, id: recorded.id }] : [];
  });
  const ids = found.map(({ id }) => id);
  const stored = await store.lockShipments(tx, ctx.orgId, ids);
  const byId = new Map(stored.map((shipment) => [shipment.id, shipment]));
  const entries = found.flatMap(({ listed, id }): [string, OrderShipment][] => {
    const shipment = byId.get(id);
    if (!shipment || shipment.voidedAt !== null) return [];
    const { trackingNumber, carrier, service, shippedAt } = shipment;
    return [[listed.id, { ...listed, id, trackingNumber, carrier, service, shippedAt }]];
  });
  return new Map(entries);
}

/** The shipment for an entry of the order's list. */
function toShipment(order: Order, listed: OrderShipment, now: string): Shipment {
  const { carrier, service, trackingNumber } = listed;
  const request = {
    shippedAt: listed.shippedAt,
    ...(carrier === null ? {} : { carrier }),
    ...(service === null ? {} : { service }),
    ...(trackingNumber === null ? {} : { trackingNumber }),
  };
  return newShipment(request, order, "run", { now, newId: () => listed.id });
}

export type TrackedParcel = { order: Order; listed: OrderShipment; events: EventRequest[]; cost: number };

/** For the preview: shipments of its orders with their tracking events. Records no hub events. */
export async function insertDemoParcels(tx: Tx, ctx: Ctx, parcels: TrackedParcel[]): Promise<number> {
  const now = ctx.clock.real().toISOString();
  const shipments = parcels.map(({ order, listed, events: heard, cost }) => {
    const sent = toShipment(order, listed, now);
    const told = heard.map((event) => toEvent(event, sent.timezone));
    const createdAt = listed.shippedAt < now ? listed.shippedAt : now;
    const facts = { ...sent, source: "demo" as const, cost, events: mergeEvents([], told).events };
    return derive({ ...facts, createdAt, updatedAt: createdAt }, now);
  });
  const inserted = await store.insertShipments(tx, ctx.orgId, shipments);
  const added = shipments.filter(({ id }) => inserted.has(id)).map((after) => ({ after }));
  await addToStats(tx, ctx.orgId, added);
  return added.length;
}
