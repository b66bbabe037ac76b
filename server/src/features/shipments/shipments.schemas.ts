import type { Static, TSchema } from "typebox";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import { importRequest } from "../../core/csv/import-shapes.ts";
import { PatchFor } from "../../core/merge-patch.ts";
import { DateTime, Id, linePattern, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { eventStatuses } from "./shipments.states.ts";

export const maxBulkShipments = 10_000;
const maxBulkEvents = 10_000;
export const maxMetadataBytes = 16 * 1024;

const Line = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: linePattern,
    ...(description === undefined ? {} : { description }),
  });
const DateOnly = Type.String({ format: "date" });

const eventFields = {
  key: Type.Optional(
    Line(
      100,
      "Identifies the event: a report with the same key is about the same event. Default: derived from the content",
    ),
  ),
  at: Type.String({
    minLength: 1,
    maxLength: 40,
    description:
      "A time such as 2026-03-14T09:00:00Z. Without an offset it is local time: of `location` if that ends with a state " +
      "(Newark, NJ), else of the shipment's destination, else UTC",
  }),
  status: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      `${eventStatuses.join(", ")}, or a carrier's name for one of these, including the codes of UPS (D, I, O, X ...) and FedEx ` +
      "(DL, IT, OD, DE ...), and texts that start with one, such as Delivered, Front Door",
  }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  location: Type.Optional(Type.String({ maxLength: 200 })),
};

export const EventRequest = Strict(eventFields, {
  examples: [{ at: "2026-03-02T08:15:00Z", status: "in_transit", description: "Departed", location: "Newark, NJ" }],
});
export type EventRequest = Static<typeof EventRequest>;

export const TrackedEvent = Strict({
  carrier: Type.Optional(Line(100, "Where two carriers use the same number")),
  trackingNumber: Line(100),
  ...eventFields,
});
export type TrackedEvent = Static<typeof TrackedEvent>;

/** The second alternative accepts anything, so that an invalid row fails on its own rather than the whole request. */
const AnyEvent = Type.Unsafe<unknown>({ anyOf: [TrackedEvent, {}] });

export const BulkEventsRequest = Strict(
  { events: Type.Array(AnyEvent, { minItems: 1, maxItems: maxBulkEvents }) },
  {
    examples: [
      {
        events: [
          { carrier: "ups", trackingNumber: "1Z999AA10123456784", at: "2026-03-02T08:15:00Z", status: "delivered" },
        ],
      },
    ],
  },
);
export type BulkEventsRequest = Static<typeof BulkEventsRequest>;

/** Fields that can also be updated. */
const changeable = {
  carrier: Type.Optional(Line(100)),
  service: Type.Optional(Line(100)),
  trackingNumber: Type.Optional(Line(100)),
  shippedAt: Type.Optional({ ...DateTime, description: "Default: now" }),
  promisedAt: Type.Optional({
    ...DateTime,
    description:
      "Counts as the whole day at the destination. Default: `deliverBy` of the order, else the carrier's first estimate, " +
      "else the usual transit time of the service, in business days from the first scan (within the United States)",
  }),
  promisedDate: Type.Optional({ ...DateOnly, description: "Instead of promisedAt: the day at the destination" }),
  origin: Type.Optional(Address),
  destination: Type.Optional({ ...Address, description: "Default: the shipping address of the order" }),
  weight: Type.Optional(Weight),
  cost: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, description: "With at most two decimals" })),
  currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217; default USD" })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Anything, up to 16 KB" })),
};
export const changeableFields = Object.keys(changeable) as (keyof typeof changeable)[];

const example = {
  orderNumber: "SHOP-17",
  carrier: "ups",
  service: "ground",
  trackingNumber: "1Z999AA10123456784",
  promisedDate: "2026-03-05",
  destination: { name: "Ada Byron", city: "Albany", provinceCode: "NY", zip: "12207", countryCode: "US" },
  weight: { value: 2.5, unit: "lb" },
  cost: 11.4,
};

export const ShipmentRequest = Strict(
  {
    orderId: Type.Optional(Id),
    orderNumber: Type.Optional(Line(100, "Links the order with this number, if it exists")),
    ...changeable,
    acceptedAt: Type.Optional({ ...DateTime, description: "Shorthand for a `picked_up` event" }),
    deliveredAt: Type.Optional({ ...DateTime, description: "Shorthand for a `delivered` event" }),
    events: Type.Optional(Type.Array(EventRequest, { maxItems: 200 })),
  },
  { examples: [example] },
);
export type ShipmentRequest = Static<typeof ShipmentRequest>;

const { shippedAt, currency, ...removable } = changeable;
const removals = PatchFor(Strict(removable));
/** A merge patch: objects are merged, null removes. */
export const ShipmentPatch = Type.Unsafe<
  Static<typeof removals> & Partial<Pick<ShipmentRequest, "shippedAt" | "currency">>
>(
  Strict(
    { shippedAt, currency, ...(removals as unknown as { properties: Record<string, TSchema> }).properties },
    { examples: [{ promisedDate: "2026-03-06", metadata: { claim: "C-17" } }] },
  ),
);
export type ShipmentPatch = Static<typeof ShipmentPatch>;

const AnyRow = Type.Unsafe<unknown>({ anyOf: [ShipmentRequest, {}], description: "As in POST /shipments" });
export const BulkRequest = Strict(
  { shipments: Type.Array(AnyRow, { minItems: 1, maxItems: maxBulkShipments }) },
  { examples: [{ shipments: [{ ...example, trackingNumber: "1Z999AA10123456802" }] }] },
);
export type BulkRequest = Static<typeof BulkRequest>;

export const ImportRequest = Strict(
  importRequest({
    csv: "One row per shipment, with a header",
    mapping: "Column name to field, such as trackingNumber or destination.zip; null: ignore the column",
  }),
  { examples: [{ csv: "Tracking Number,Carrier,Ship Date\n1Z999AA10123456784,ups,2026-03-01\n", dryRun: true }] },
);
export type ImportRequest = Static<typeof ImportRequest>;
