import { zoneOfAddress } from "../../core/time-zones.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { roundToCents } from "../../core/money.ts";
import { alternatives } from "../../core/nearest.ts";
import type { Order } from "../orders/order.ts";
import type { Shipment, ShipmentFacts } from "./shipment.ts";
import { derive } from "./shipment.ts";
import type { EventRequest, ShipmentRequest } from "./shipments.schemas.ts";
import { changeableFields, maxMetadataBytes } from "./shipments.schemas.ts";
import { eventStatuses, toEventStatus } from "./shipments.states.ts";
import { readEventTime, zoneOfLocation } from "./tracking/event-time.ts";
import type { TrackingEvent } from "./tracking/tracking.ts";
import { keyOfEvent, mergeEvents } from "./tracking/tracking.ts";

/** The fields of an order that its shipments use. */
export type ShipmentOrder = Pick<Order, "id" | "number" | "shippingAddress" | "deliverBy">;

export type ShipmentEnv = { now: string; newId(): string };

export const maxEvents = 500;
const dayMs = 86_400_000;
const currencies = new Set(Intl.supportedValuesOf("currency"));
const timeFields = ["shippedAt", "promisedAt", "acceptedAt", "deliveredAt"] as const;

type Given = Omit<Partial<ShipmentRequest>, "events"> & { events?: EventRequest[] };

/** Rules beyond the JSON schema. */
export function ruleErrors(request: Given, now: string): FieldError[] {
  const errors: FieldError[] = [];
  const { currency, cost, promisedDate, metadata, events = [] } = request;
  if (currency !== undefined && !currencies.has(currency)) {
    errors.push({
      pointer: "/currency",
      code: "unknown_currency",
      message: `${currency} is not an ISO 4217 currency.`,
    });
  }
  if (cost !== undefined && roundToCents(cost) !== cost) {
    errors.push({ pointer: "/cost", code: "too_many_decimals", message: "At most two decimals are allowed." });
  }
  for (const field of timeFields) errors.push(...timeErrors(`/${field}`, request[field]));
  for (const field of ["acceptedAt", "deliveredAt"] as const) {
    errors.push(...futureErrors(`/${field}`, request[field], now));
  }
  if (promisedDate !== undefined) errors.push(...timeErrors("/promisedDate", `${promisedDate}T00:00:00Z`));
  if (promisedDate !== undefined && request.promisedAt !== undefined) {
    const message = "Send either `promisedAt` or `promisedDate`.";
    errors.push({ pointer: "/promisedDate", code: "contradiction", message });
  }
  const bytes = metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > maxMetadataBytes) {
    const message = `The metadata has ${bytes} bytes; ${maxMetadataBytes} are allowed.`;
    errors.push({ pointer: "/metadata", code: "too_large", message });
  }
  return [...errors, ...events.flatMap((event, i) => errorsAt(`/events/${i}`, eventErrors(event, now)))];
}

/** Leap seconds and the year 0 are well-formed but cannot be stored. */
function timeErrors(pointer: string, text: string | undefined): FieldError[] {
  if (text === undefined) return [];
  const year = new Date(text).getUTCFullYear();
  if (year >= 1970 && year <= 2200) return [];
  return [{ pointer, code: "format", message: "This is not a time between the years 1970 and 2200." }];
}

/** Up to a day ahead is accepted: clocks and time zones differ. */
export function isYetToCome(at: string, now: string): boolean {
  return Date.parse(at) > Date.parse(now) + dayMs;
}

function futureErrors(pointer: string, text: string | undefined, now: string): FieldError[] {
  if (text === undefined || !isYetToCome(text, now)) return [];
  return [{ pointer, code: "date_in_future", message: "This time is in the future." }];
}

export function eventErrors({ at, status }: Pick<EventRequest, "at" | "status">, now: string): FieldError[] {
  const moment = readEventTime(at, "UTC");
  const message = "This is neither a time such as 2026-03-14T09:00:00Z nor a local time such as 2026-03-14T09:00:00.";
  const errors: FieldError[] =
    moment === undefined ? [{ pointer: "/at", code: "format", message }] : futureErrors("/at", moment, now);
  if (toEventStatus(status) === undefined) {
    const more = alternatives(status.toLowerCase(), eventStatuses);
    errors.push({ pointer: "/status", code: "enum", message: "This is not one of the known statuses.", ...more });
  }
  return errors;
}

/** `timezone`: of the destination, for local times whose location has no known time zone. `zone`: of the location, if known. */
export function toEvent(request: EventRequest, timezone: string, zone?: string): TrackingEvent {
  const status = toEventStatus(request.status) ?? "unknown";
  const event = {
    at: readEventTime(request.at, zone ?? zoneOfLocation(request.location) ?? timezone)!,
    status,
    description: request.description ?? null,
    location: request.location ?? null,
    carrierStatus: request.status === status ? null : request.status,
  };
  return { key: request.key ?? keyOfEvent(event), ...event };
}

/** What a label knows about its parcels beyond the request. `promise`: null if there is none, or the order has one. */
export type ParcelOfLabel = Pick<ShipmentFacts, "carrierAccountId" | "zone"> & { promise: Promised | null };

export function newShipment(
  request: ShipmentRequest,
  order: ShipmentOrder | undefined,
  source: Shipment["source"],
  env: ShipmentEnv,
  label?: ParcelOfLabel,
): Shipment {
  const promise = label?.promise ?? toPromise(request.promisedAt, request.promisedDate, order);
  const destination = request.destination ?? order?.shippingAddress ?? null;
  const facts: ShipmentFacts = {
    ...orNull(request),
    id: env.newId(),
    orderId: order?.id ?? null,
    orderNumber: order?.number ?? request.orderNumber ?? null,
    source,
    carrierAccountId: label?.carrierAccountId ?? null,
    zone: label?.zone ?? null,
    destination,
    currency: request.currency ?? "USD",
    metadata: request.metadata ?? {},
    shippedAt: toInstant(request.shippedAt) ?? env.now,
    ...promise,
    estimatedAt: null,
    voidedAt: null,
    events: mergeEvents([], givenEvents(request, (destination && zoneOfAddress(destination)) ?? "UTC")).events,
    lastPolledAt: null,
    createdAt: env.now,
    updatedAt: env.now,
    version: 1,
  };
  return derive(facts, env.now);
}

type Changeable = Required<Pick<ShipmentRequest, (typeof changeableFields)[number]>>;

function orNull(request: ShipmentRequest): { [Field in keyof Changeable]: Changeable[Field] | null } {
  const entries = changeableFields.map((field) => [field, request[field] ?? null]);
  return Object.fromEntries(entries) as { [Field in keyof Changeable]: Changeable[Field] | null };
}

function givenEvents({ events = [], acceptedAt, deliveredAt }: ShipmentRequest, timezone: string): TrackingEvent[] {
  const short = (key: string, status: "picked_up" | "delivered", at: string | undefined): EventRequest[] =>
    at === undefined ? [] : [{ key, status, at }];
  return [
    ...short("accepted", "picked_up", acceptedAt),
    ...short("delivered", "delivered", deliveredAt),
    ...events,
  ].map((event) => toEvent(event, timezone));
}

export type Promised = Pick<ShipmentFacts, "promisedAt" | "promisedDate" | "promiseSource" | "promiseRule">;
const noRule = { promiseRule: null };

/** The shipment's own promise takes precedence over the order's. */
export function toPromise(
  promisedAt: string | null | undefined,
  promisedDate: string | null | undefined,
  order?: Pick<Order, "deliverBy">,
): Promised {
  if (promisedAt != null) {
    return { promisedAt: new Date(promisedAt).toISOString(), promisedDate: null, promiseSource: "request", ...noRule };
  }
  if (promisedDate != null) return { promisedAt: null, promisedDate, promiseSource: "request", ...noRule };
  if (order?.deliverBy != null) {
    return { promisedAt: order.deliverBy, promisedDate: null, promiseSource: "order", ...noRule };
  }
  return { promisedAt: null, promisedDate: null, promiseSource: null, ...noRule };
}

function toInstant(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString();
}
