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
  pageQuery,
  Since,
  Version,
} from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import { eventStatuses, promiseSources, riskReasons, shipmentStatuses } from "./shipments.states.ts";

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

const members = {
  id: Id,
  orderId: Nullable(Id),
  orderNumber: MaybeText,
  source: OneOf(["api", "import", "run", "bridge", "demo", "label"]),
  carrier: MaybeText,
  service: MaybeText,
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
  promisedDate: Nullable(Type.String({ format: "date" })),
  promiseSource: Nullable(OneOf(promiseSources)),
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

export const ShipmentQuery = pageQuery({
  status: Type.Optional(NameList(shipmentStatuses)),
  carrier: Type.Optional(Type.String({ maxLength: 100 })),
  service: Type.Optional(
    Type.String({ maxLength: 100, description: "In any case; as in `group_by=service` of the series" }),
  ),
  state: Type.Optional(
    Type.String({ maxLength: 100, description: "State of the destination, as in `group_by=state` of the series" }),
  ),
  onTime: Type.Optional(
    Type.Boolean({
      description:
        "The shipments counted by `on_time_pct` of the overview. true: first delivery attempt on or before the promised day; " +
        "false: later, or no attempt although the promised day is over",
    }),
  ),
  orderId: Type.Optional(OrderRef),
  trackingNumber: Type.Optional(Type.String({ maxLength: 100 })),
  atRisk: Type.Optional(Type.Boolean({ description: "true: sorted by time at risk, longest first" })),
  riskReason: Type.Optional(OneOf(riskReasons)),
  createdFrom: Since,
  createdTo: Before,
  shippedFrom: Since,
  shippedTo: Before,
  deliveredFrom: Since,
  deliveredTo: Before,
  evaluatedFrom: Type.Optional({
    ...Since,
    description:
      "When the promise was kept or missed: the first delivery attempt, or the end of the promised day without one. At or " +
      "after this time, or on or after this day in the organization's time zone",
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
