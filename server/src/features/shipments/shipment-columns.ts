import { fromCents, toCents } from "../../core/money.ts";
import type { Shipment } from "./shipment.ts";
import { carrierKeyOf, trackingKeyOf } from "./shipment.ts";
import { turnOf } from "./tracking-turns.ts";

type Column = { name: string; type: string; read(shipment: Shipment): unknown };

const plain = (name: string, type: string, field: keyof Shipment): Column => ({
  name,
  type,
  read: (shipment) => shipment[field],
});

/** How a shipment lies in its table. */
export const shipmentColumns: readonly Column[] = [
  plain("order_id", "uuid", "orderId"),
  plain("order_number", "text", "orderNumber"),
  plain("source", "text", "source"),
  plain("carrier", "text", "carrier"),
  plain("service", "text", "service"),
  plain("tracking_number", "text", "trackingNumber"),
  { name: "carrier_key", type: "text", read: ({ carrier }) => carrier && carrierKeyOf(carrier) },
  { name: "tracking_key", type: "text", read: ({ trackingNumber }) => trackingNumber && trackingKeyOf(trackingNumber) },
  { name: "order_key", type: "text", read: ({ orderNumber }) => orderNumber?.toUpperCase() ?? null },
  plain("origin", "jsonb", "origin"),
  plain("destination", "jsonb", "destination"),
  plain("timezone", "text", "timezone"),
  plain("weight", "jsonb", "weight"),
  { name: "cost_cents", type: "bigint", read: ({ cost }) => (cost === null ? null : toCents(cost)) },
  plain("currency", "text", "currency"),
  plain("metadata", "jsonb", "metadata"),
  plain("shipped_at", "timestamptz", "shippedAt"),
  plain("promised_at", "timestamptz", "promisedAt"),
  plain("promised_date", "date", "promisedDate"),
  plain("promise_source", "text", "promiseSource"),
  plain("promise_ends_at", "timestamptz", "promiseEndsAt"),
  plain("estimated_at", "timestamptz", "estimatedAt"),
  plain("estimate_ends_at", "timestamptz", "estimateEndsAt"),
  plain("voided_at", "timestamptz", "voidedAt"),
  plain("events", "jsonb", "events"),
  plain("status", "text", "status"),
  plain("status_at", "timestamptz", "statusAt"),
  plain("accepted_at", "timestamptz", "acceptedAt"),
  plain("first_attempt_at", "timestamptz", "firstAttemptAt"),
  plain("delivered_at", "timestamptz", "deliveredAt"),
  plain("last_event_at", "timestamptz", "lastEventAt"),
  plain("late_at", "timestamptz", "lateAt"),
  plain("stalled_at", "timestamptz", "stalledAt"),
  plain("not_accepted_at", "timestamptz", "notAcceptedAt"),
  plain("flagged_at", "timestamptz", "flaggedAt"),
  plain("is_predicted_late", "boolean", "isPredictedLate"),
  plain("risk_at", "timestamptz", "riskAt"),
  { name: "track_at", type: "timestamptz", read: turnOf },
  plain("tracked_at", "timestamptz", "trackedAt"),
  plain("created_at", "timestamptz", "createdAt"),
  plain("updated_at", "timestamptz", "updatedAt"),
  plain("version", "integer", "version"),
];

export function toRecord(shipment: Shipment): Record<string, unknown> {
  const record: Record<string, unknown> = { id: shipment.id };
  for (const { name, read } of shipmentColumns) record[name] = read(shipment);
  return record;
}

const unread = new Set(["carrier_key", "tracking_key", "order_key", "track_at"]);

export const readColumns = ["id", ...shipmentColumns.map(({ name }) => name).filter((name) => !unread.has(name))]
  .map((name) => `s.${name}`)
  .join(", ");

/** A row as the driver gives it. */
export type ShipmentRow = {
  id: string;
  order_id: string | null;
  order_number: string | null;
  source: Shipment["source"];
  carrier: string | null;
  service: string | null;
  tracking_number: string | null;
  origin: Shipment["origin"];
  destination: Shipment["destination"];
  timezone: string;
  weight: Shipment["weight"];
  cost_cents: number | null;
  currency: string;
  metadata: Record<string, unknown>;
  shipped_at: Date;
  promised_at: Date | null;
  promised_date: string | null;
  promise_source: Shipment["promiseSource"];
  promise_ends_at: Date | null;
  estimated_at: Date | null;
  estimate_ends_at: Date | null;
  voided_at: Date | null;
  events: Shipment["events"];
  status: Shipment["status"];
  status_at: Date | null;
  accepted_at: Date | null;
  first_attempt_at: Date | null;
  delivered_at: Date | null;
  last_event_at: Date | null;
  late_at: Date | null;
  stalled_at: Date | null;
  not_accepted_at: Date | null;
  flagged_at: Date | null;
  is_predicted_late: boolean;
  risk_at: Date | null;
  tracked_at: Date | null;
  created_at: Date;
  updated_at: Date;
  version: number;
};

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export function toShipment(row: ShipmentRow): Shipment {
  return {
    id: row.id,
    orderId: row.order_id,
    orderNumber: row.order_number,
    source: row.source,
    carrier: row.carrier,
    service: row.service,
    trackingNumber: row.tracking_number,
    origin: row.origin,
    destination: row.destination,
    timezone: row.timezone,
    weight: row.weight,
    cost: row.cost_cents === null ? null : fromCents(row.cost_cents),
    currency: row.currency,
    metadata: row.metadata,
    shippedAt: row.shipped_at.toISOString(),
    promisedAt: iso(row.promised_at),
    promisedDate: row.promised_date,
    promiseSource: row.promise_source,
    promiseEndsAt: iso(row.promise_ends_at),
    estimatedAt: iso(row.estimated_at),
    estimateEndsAt: iso(row.estimate_ends_at),
    voidedAt: iso(row.voided_at),
    events: row.events,
    status: row.status,
    statusAt: iso(row.status_at),
    acceptedAt: iso(row.accepted_at),
    firstAttemptAt: iso(row.first_attempt_at),
    deliveredAt: iso(row.delivered_at),
    lastEventAt: iso(row.last_event_at),
    lateAt: iso(row.late_at),
    stalledAt: iso(row.stalled_at),
    notAcceptedAt: iso(row.not_accepted_at),
    flaggedAt: iso(row.flagged_at),
    isPredictedLate: row.is_predicted_late,
    riskAt: iso(row.risk_at),
    trackedAt: iso(row.tracked_at),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
