import { randomUUID } from "node:crypto";
import type { Problem } from "../request-rules.ts";
import type { RecordTable } from "../journaled-records.ts";
import { newDigits, recordTable } from "../journaled-records.ts";
import type { SeAddress, SePackage, SeWeight } from "./stand-in-shipengine-bodies.ts";
import type { CarrierReply } from "../stand-in-api.ts";

/** Amounts are numbers, currencies in lower case. */
export type SeMoney = { currency: string; amount: number };
export const usd = (cents: number): SeMoney => ({ currency: "usd", amount: cents / 100 });

type Base = { id: string };
export type SeShipment = Base & {
  shipment_id: string;
  carrier_id: string | null;
  service_code: string | null;
  external_shipment_id: string | null;
  ship_date: string;
  created_at: string;
  modified_at: string;
  shipment_status: "pending" | "processing" | "label_purchased" | "cancelled";
  ship_to: SeAddress;
  ship_from: SeAddress;
  warehouse_id: string | null;
  return_to: SeAddress;
  confirmation: string;
  customs: unknown;
  packages: SePackage[];
  total_weight: SeWeight;
  more: Record<string, unknown>;
};
/** What a rate buys, and for how much. */
type SeRate = Base & { shipmentId: string; carrierId: string; serviceCode: string; totalCents: number };
export type SeEvent = Record<string, unknown> & { status_code: string; occurred_at: string };
export type SeLabel = Base & {
  label: Record<string, unknown> & { label_id: string; status: string; tracking_number: string; carrier_code: string };
  shipment: SeShipment;
  isVoided: boolean;
  createdAt: string;
  manifestId: string | null;
  events: SeEvent[];
};
export type SePickup = Base & { pickup: Record<string, unknown>; isCancelled: boolean };
export type SeManifest = Base & { manifest: Record<string, unknown>; polls: number };
export type SeWebhook = Base & { url: string; event: string; headers: { key: string; value: string }[] };

export type ShipengineWorld = {
  now(): Date;
  shipments: RecordTable<SeShipment>;
  rates: RecordTable<SeRate>;
  labels: RecordTable<SeLabel>;
  pickups: RecordTable<SePickup>;
  manifests: RecordTable<SeManifest>;
  webhooks: RecordTable<SeWebhook>;
};

export function newWorld(now: () => Date): ShipengineWorld {
  return {
    now,
    shipments: recordTable("shipments"),
    rates: recordTable("rates"),
    labels: recordTable("labels"),
    pickups: recordTable("pickups"),
    manifests: recordTable("manifests"),
    webhooks: recordTable("webhooks"),
  };
}

export const seId = (): string => `se-${newDigits(12)}`;

/** The fields of the base and `more`, as the API shows a shipment. */
export function shownShipment({ id: _id, more, ...shipment }: SeShipment): Record<string, unknown> {
  return { ...shipment, ...more };
}

type SeError = { source?: string; type?: string; code: string; message: string; field?: string; carrierId?: string };

export function errorBody(errors: SeError[]): Record<string, unknown> {
  return {
    request_id: randomUUID(),
    errors: errors.map(({ source = "shipengine", type = "validation", code, message, field, carrierId }) => ({
      error_source: source,
      error_type: type,
      error_code: code,
      message,
      ...(field === undefined ? {} : { field_name: field }),
      ...(carrierId === undefined ? {} : { carrier_id: carrierId }),
    })),
  };
}

export const fail = (status: number, ...errors: SeError[]): CarrierReply => ({ status, body: errorBody(errors) });

/** As recorded: a missing record is a system error without a code of its own. */
export const missing = (message: string): CarrierReply => fail(404, { type: "system", code: "unspecified", message });

/** The code follows from the rule that was broken. */
export function refuse(problems: Problem[]): CarrierReply {
  const codeOf = (rule: string): string =>
    rule === "required"
      ? "field_value_required"
      : rule === "maxLength" || rule === "minLength"
        ? "invalid_string_length"
        : "invalid_field_value";
  const errors = problems.map(({ path, rule, message }) => {
    const field = path.join(".");
    return { code: codeOf(rule), field, message: `Invalid ${field}. ${message}.` };
  });
  return fail(400, ...errors);
}
