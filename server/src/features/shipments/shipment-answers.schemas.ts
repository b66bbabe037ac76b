import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import { importReport } from "../../core/csv/import-shapes.ts";
import { bulkAnswer, RowError } from "../../core/row-failure.ts";
import {
  Before,
  CappedPagination,
  Count,
  CountOfEach,
  DateTime,
  Id,
  NameList,
  Nullable,
  OneOf,
  optional,
  pageQuery,
  Since,
  Version,
} from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import {
  eventStatuses,
  leftOutReasons,
  promiseOutcomes,
  promiseSources,
  riskReasons,
  shipmentStatuses,
} from "./shipments.states.ts";

const Text = Type.String();
const MaybeText = Nullable(Text);
const MaybeTime = Nullable(DateTime);

const Event = Type.Object({
  key: Text,
  at: DateTime,
  status: OneOf(eventStatuses),
  description: MaybeText,
  location: MaybeText,
  carrierStatus: Type.Unsafe<string | null>({
    ...MaybeText,
    description: "The carrier's own status, if it differs",
  }),
  retractedAt: Type.Optional({ ...DateTime, description: "When the event was retracted; it no longer counts" }),
});

const Day = Type.String({ format: "date" });
const PromiseRule = Type.Object(
  {
    basis: OneOf(["contract", "carrier_days", "carrier_date", "service_level"], {
      description:
        "`contract`: transit days of the rate card; `carrier_days`, `carrier_date`: as the carrier said with the label or its quote; " +
        "`service_level`: the usual time of the service, from the first scan",
    }),
    transitDays: Nullable(Count),
    startDate: Nullable({ ...Day, description: "The day from which transit days are counted" }),
    timeZone: Nullable({ ...Text, description: "Of the place the parcel is sent from" }),
    cutoffTime: Nullable({ ...Text, description: "Of the location, else of the organization" }),
    isAfterCutoff: Type.Boolean({ description: "Bought at the cut-off or later: it leaves on the next day" }),
    deliveryDays: Nullable(OneOf(["mon_fri", "mon_sat", "mon_sun"])),
    holidays: Nullable(OneOf(["us_federal", "us_parcel"])),
    rateCardId: Nullable(Id),
  },
  { description: "How the promised day was found; null if it was given" },
);

const members = {
  id: Id,
  orderId: Nullable(Id),
  orderNumber: MaybeText,
  source: OneOf(["api", "import", "run", "bridge", "demo", "label"]),
  carrier: MaybeText,
  service: MaybeText,
  carrierAccountId: Nullable({ ...Id, description: "Account of the label; null: not bought here" }),
  zone: Nullable({ ...Text, description: "Of the contract, or else of the carrier's quote" }),
  trackingNumber: MaybeText,
  status: OneOf(shipmentStatuses),
  statusAt: MaybeTime,
  isTrackingActive: Type.Boolean({ description: "Further tracking events are expected" }),
  atRisk: Type.Boolean(),
  riskReasons: Type.Array(OneOf(riskReasons)),
  origin: Nullable(Address),
  destination: Nullable(Address),
  timezone: Type.String({ description: "Time zone of the destination; UTC if unknown" }),
  weight: Nullable(Weight),
  cost: Nullable(Type.Number()),
  currency: Text,
  metadata: Type.Record(Text, Type.Unknown()),
  shippedAt: DateTime,
  promisedAt: MaybeTime,
  promisedDate: Nullable(Day),
  promiseSource: Nullable(OneOf(promiseSources)),
  promiseRule: Nullable(PromiseRule),
  promiseOutcome: OneOf(promiseOutcomes, {
    description:
      "What the shipment is in the on-time figures. `undecided`: no delivery attempt yet, and the promised day is not over. The others " +
      "besides `on_time` and `late` are left out",
  }),
  estimatedAt: Type.Unsafe<string | null>({ ...MaybeTime, description: "The carrier's latest delivery estimate" }),
  acceptedAt: MaybeTime,
  firstAttemptAt: MaybeTime,
  deliveredAt: MaybeTime,
  lastEventAt: MaybeTime,
  lastPolledAt: Type.Unsafe<string | null>({
    ...MaybeTime,
    description: "When the carrier was last polled for tracking",
  }),
  voidedAt: MaybeTime,
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
};

/** For lists, without events. */
export const ShipmentSummary = Type.Object(members);
export type ShipmentSummary = Static<typeof ShipmentSummary>;

export const ShipmentAnswer = Type.Object({
  ...members,
  events: Type.Array(Event, { description: "In chronological order" }),
});
export type ShipmentAnswer = Static<typeof ShipmentAnswer>;

export const TrackAnswer = Type.Object({
  wasPolled: Type.Boolean({
    description: "false: the carrier was polled within the last 30 seconds, or is being polled",
  }),
  hasUpdates: Type.Boolean({ description: "The carrier reported something new" }),
  shipment: ShipmentAnswer,
});
export type TrackAnswer = Static<typeof TrackAnswer>;

export const ShipmentPage = Type.Object({
  data: Type.Array(ShipmentSummary),
  pagination: CappedPagination,
});
export type ShipmentPage = Static<typeof ShipmentPage>;

const DateOnly = (description: string) => Type.Optional(Type.String({ format: "date", description }));

const maybeId = "^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$";
/** Filters by the keys of groups, the same in reports and lists. */
export const partQuery = optional({
  carrier: Type.String({ maxLength: 100 }),
  service: Type.String({ maxLength: 100, description: "In any case; empty: shipments without one" }),
  carrierAccountId: Type.String({ pattern: maybeId, description: "Account of the label; empty: without one" }),
  lane: Type.String({
    maxLength: 210,
    description: "States of origin and destination, such as NJ-NY; empty: one of them is unknown",
  }),
  zone: Type.String({ maxLength: 100, description: "Empty: shipments without one" }),
  state: Type.String({ maxLength: 100, description: "State of the destination; empty: shipments without one" }),
  locationId: Type.String({ pattern: maybeId, description: "Location of the order; empty: shipments without one" }),
});

export const ShipmentQuery = pageQuery({
  status: Type.Optional(NameList(shipmentStatuses)),
  statusNot: Type.Optional(NameList(shipmentStatuses)),
  ...partQuery,
  onTime: Type.Optional(
    Type.Boolean({
      description:
        "The shipments counted by `on_time_pct` of the overview. true: first delivery attempt on or before the promised day; " +
        "false: later, or no attempt although the promised day is over",
    }),
  ),
  leftOut: Type.Optional({
    ...NameList(leftOutReasons),
    description:
      "Shipments that the figures leave out, with commas between several reasons. From the on-time figures, with `evaluatedFrom` and " +
      "`evaluatedTo`: `no_promise`, `cancelled`, `returned`; `undecided` ones are in no period. From the average transit time, with " +
      "`deliveredFrom` and `deliveredTo`: `no_first_scan`",
  }),
  orderId: Type.Optional(OrderRef),
  trackingNumber: Type.Optional(Type.String({ maxLength: 100 })),
  atRisk: Type.Optional(Type.Boolean({ description: "true: sorted by time at risk, longest first" })),
  riskReason: Type.Optional(OneOf(riskReasons)),
  atRiskFrom: Type.Optional({ ...Since, description: "At risk now, and since this time or day at the earliest" }),
  atRiskTo: Before,
  createdFrom: Since,
  createdTo: Before,
  shippedFrom: Since,
  shippedTo: Before,
  deliveredFrom: Since,
  deliveredTo: Before,
  evaluatedFrom: Type.Optional({
    ...Since,
    description:
      "When the promise was kept or missed: the first delivery attempt, or the end of the promised day without one; with `leftOut`, when a " +
      "shipment was cancelled or returned. At or after this time, or on or after this day in the organization's time zone",
  }),
  evaluatedTo: Before,
  promisedFrom: DateOnly("Promised on or after this day"),
  promisedTo: DateOnly("Promised on or before this day"),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Prefix of a tracking number or order number" })),
});
export type ShipmentQuery = Static<typeof ShipmentQuery>;

export const ShipmentCounts = Type.Object({
  ...CountOfEach(shipmentStatuses),
  at_risk: Type.Integer({ minimum: 0, description: "With any status" }),
  total: Count,
});

export const BulkAnswer = bulkAnswer({ trackingNumber: Type.Optional(MaybeText) });
export type BulkAnswer = Static<typeof BulkAnswer>;

export const eventOutcomes = ["added", "corrected", "duplicate", "unmatched", "failed"] as const;

export const BulkEventsAnswer = Type.Object({
  summary: Type.Object({ total: Count, ...CountOfEach(eventOutcomes) }),
  results: Type.Array(
    Type.Object({
      index: Count,
      status: OneOf(eventOutcomes, {
        description: "`corrected`: the key was known and the content changed. `duplicate`: nothing changed",
      }),
      shipmentIds: Type.Optional(Type.Array(Id)),
      error: Type.Optional(RowError),
    }),
  ),
});
export type BulkEventsAnswer = Static<typeof BulkEventsAnswer>;

export const ImportAnswer = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({ rows: Count, created: Count, failed: Count }),
  ...importReport,
});
export type ImportAnswer = Static<typeof ImportAnswer>;
