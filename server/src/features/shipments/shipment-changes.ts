import type { NewEvent } from "../../events/event-catalogue.ts";
import type { Shipment, ShipmentFacts } from "./shipment.ts";
import { derive } from "./shipment.ts";

/** A shipment before and after a change. */
export type ShipmentChange = { before: Shipment; after: Shipment };

export function changed(before: Shipment, changes: Partial<ShipmentFacts>, now: string): ShipmentChange {
  return { before, after: derive({ ...before, ...changes, updatedAt: now, version: before.version + 1 }, now) };
}

export function afterOf({ after }: ShipmentChange): Shipment {
  return after;
}

/** The event that describes the change. */
export function changeEvent({ before, after }: ShipmentChange): NewEvent {
  const { id: objectId, trackingNumber, carrier, orderNumber, status, version } = after;
  const from = before.status;
  if (before.voidedAt === null && after.voidedAt !== null) {
    return { type: "shipment.voided", objectId, data: { trackingNumber, from, version } };
  }
  const data = { trackingNumber, carrier, orderNumber, status, version };
  if (before.voidedAt === after.voidedAt && from === status) {
    return { type: "shipment.tracking_updated", objectId, data };
  }
  return { type: "shipment.status_changed", objectId, data: { ...data, from } };
}
