import type { Problem } from "../request-rules.ts";
import type { RecordTable } from "../journaled-records.ts";
import { newId, recordTable } from "../journaled-records.ts";
import type { KarrioAddress, KarrioParcel } from "./stand-in-karrio-bodies.ts";
import type { CarrierReply } from "../stand-in-api.ts";

type Json = Record<string, unknown>;
export type KarrioMessage = {
  code: string;
  message: string;
  level: string;
  carrier_name: string;
  carrier_id: string;
  details: Json;
};
export type KarrioRate = {
  id: string;
  object_type: "rate";
  carrier_name: string;
  carrier_id: string;
  currency: "USD";
  service: string;
  total_charge: number;
  transit_days: number | null;
  extra_charges: { name: string; amount: number; currency: "USD"; id: null }[];
  estimated_delivery: string | null;
  meta: Json;
  test_mode: boolean;
};
export type KarrioShipment = {
  id: string;
  status: string;
  reference: string | null;
  carrier_name: string | null;
  carrier_id: string | null;
  tracking_number: string | null;
  shipment_identifier: string | null;
  tracker_id: string | null;
  tracking_url: string | null;
  label_type: "PDF" | "ZPL" | "PNG";
  label_url: string | null;
  service: string | null;
  selected_rate: KarrioRate | null;
  selected_rate_id: string | null;
  rates: KarrioRate[];
  messages: KarrioMessage[];
  shipper: KarrioAddress;
  recipient: KarrioAddress;
  parcels: KarrioParcel[];
  test_mode: boolean;
  metadata: Json;
  meta: Json;
  more: Json;
};
export type KarrioEvent = {
  date: string;
  time: string | null;
  timestamp: string | null;
  status: string | null;
  code: string | null;
} & Json;
export type KarrioTracker = {
  id: string;
  carrier_name: string;
  carrier_id: string;
  tracking_number: string;
  status: string;
  delivered: boolean;
  test_mode: boolean;
  events: KarrioEvent[];
  more: Json;
};
export type KarrioPickup = {
  id: string;
  status: string;
  confirmation_number: string;
  trackingNumbers: string[];
  test_mode: boolean;
  more: Json;
};
export type KarrioManifest = { id: string; shipmentIds: string[]; test_mode: boolean; more: Json };
export type KarrioWebhook = {
  id: string;
  url: string;
  description: string | null;
  enabled_events: string[];
  disabled: boolean;
  object_type: "webhook";
  last_event_at: string | null;
  secret: string;
  test_mode: boolean;
  failures: number;
};

export type KarrioWorld = {
  now(): Date;
  shipments: RecordTable<KarrioShipment>;
  trackers: RecordTable<KarrioTracker>;
  pickups: RecordTable<KarrioPickup>;
  manifests: RecordTable<KarrioManifest>;
  webhooks: RecordTable<KarrioWebhook>;
};

export function newWorld(now: () => Date): KarrioWorld {
  return {
    now,
    shipments: recordTable("shipments"),
    trackers: recordTable("trackers"),
    pickups: recordTable("pickups"),
    manifests: recordTable("manifests"),
    webhooks: recordTable("webhooks"),
  };
}

export function shownAddress(address: KarrioAddress): KarrioAddress & Json {
  return {
    id: newId("adr_"),
    object_type: "address",
    postal_code: null,
    city: null,
    federal_tax_id: null,
    state_tax_id: null,
    person_name: null,
    company_name: null,
    email: null,
    phone_number: null,
    state_code: null,
    street_number: null,
    residential: false,
    address_line1: null,
    address_line2: null,
    validate_location: false,
    validation: null,
    meta: {},
    ...address,
  };
}

export function shownParcel(parcel: KarrioParcel): KarrioParcel & Json {
  return {
    id: newId("pcl_"),
    object_type: "parcel",
    width: null,
    height: null,
    length: null,
    packaging_type: null,
    package_preset: null,
    description: null,
    content: null,
    is_document: false,
    items: [],
    dimension_unit: null,
    freight_class: null,
    reference_number: null,
    options: {},
    meta: {},
    ...parcel,
  };
}

export const page = (results: unknown[]): CarrierReply => ({
  status: 200,
  body: { count: results.length, next: null, previous: null, results },
});

const levels: Record<number, string> = { 404: "warning", 429: "warning" };

export function fail(status: number, code: string, message: string): CarrierReply {
  return { status, body: { errors: [{ code, message, level: levels[status] ?? "error" }] } };
}

export const missing = (resource: string): CarrierReply => fail(404, "not_found", `${resource} not found`);

/** A refusal by the carrier. Its form differs from that of karrio's own errors. */
export const carrierFailure = (messages: KarrioMessage[]): CarrierReply => ({ status: 424, body: { messages } });

export function carrierMessage(carrier: { name: string; id: string }, code: string, message: string): KarrioMessage {
  return { code, message, level: "error", carrier_name: carrier.name, carrier_id: carrier.id, details: {} };
}

/** "parcels[0].weight: This field is required." */
export function refuse(problems: Problem[]): CarrierReply {
  const errors = problems.map(({ path, rule, message }) => {
    const field = path.reduce(
      (left, part) => (/^\d+$/.test(part) ? `${left}[${part}]` : left ? `${left}.${part}` : part),
      "",
    );
    const reason =
      rule === "required" ? "This field is required." : rule === "enum" ? "This is not a valid choice." : `${message}.`;
    return { code: "validation", message: field ? `${field}: ${reason}` : reason, level: "error" };
  });
  return { status: 400, body: { errors } };
}
