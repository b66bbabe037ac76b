import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { windowQuery } from "../../core/day-window.ts";
import { Count, DateTime, Id, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { exceptionKinds } from "../exceptions/exceptions.schemas.ts";
import { partQuery } from "../shipments/shipment-answers.schemas.ts";
import { riskReasons } from "../shipments/shipments.states.ts";

const Day = Type.String({ format: "date" });
const Text = Type.String();
const MaybeCount = (description: string) => Nullable({ ...Count, description });

const attentionKinds = [
  "late_orders",
  "failing_bridge",
  "unknown_labels",
  "exceptions",
  "stock_shortages",
  "failed_run",
  "risky_shipments",
  "paused_automation",
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

const AttentionItem = Type.Object({
  kind: OneOf(attentionKinds, {
    description:
      "late_orders: unshipped orders past their ship-by time. failing_bridge: the last tasks of a bridge failed. unknown_labels: the " +
      "carrier may have sold them, open exceptions. exceptions: all that are open. stock_shortages: of these, those about stock. " +
      "failed_run: of the last 7 days, with failed orders, neither retried nor undone. risky_shipments: by `reason`, as in the " +
      "overview. paused_automation: paused by the hub",
  }),
  severity: OneOf(["bad", "warning", "info"]),
  count: Type.Integer({
    minimum: 1,
    description: "Orders, exceptions, shipments, failed orders of a run, or failures of a bridge in a row",
  }),
  isCapped: Type.Boolean({ description: "At most 100,000 orders are counted; true if there are more" }),
  total: MaybeCount("Orders of the run"),
  since: Nullable({ ...DateTime, description: "Of the oldest" }),
  id: Nullable({ ...Id, description: "Of the bridge, run or automation, or of the oldest order" }),
  name: Nullable(Type.String({ description: "Its name or number" })),
  message: Nullable(Text),
  reason: Nullable(OneOf(riskReasons)),
  causes: Type.Array(Type.Object({ name: Text, count: Count }), {
    description: "Exceptions by kind, or failed orders by error code; most first",
  }),
  actionTypes: Type.Array(Text, { description: "Steps of the run" }),
});
export type AttentionItem = Static<typeof AttentionItem>;

export const Attention = Type.Object({
  data: Type.Array(AttentionItem, { description: "Most severe first" }),
  more: Type.Array(Type.Object({ kind: OneOf(attentionKinds), count: Count }), {
    description: "Bridges, runs and automations beyond the five listed of each",
  }),
  lateOrders: Type.Object({ status: Type.Array(Text), shipByTo: DateTime }, { description: "Filter of late orders" }),
  generatedAt: DateTime,
});
export type Attention = Static<typeof Attention>;

export const ShipToday = Type.Object({
  date: Day,
  timeZone: Text,
  open: { ...Count, description: "Unshipped orders to ship by the end of the day" },
  isCapped: Type.Boolean(),
  late: { ...Count, description: "Of these, past their ship-by time" },
  shipped: { ...Count, description: "Shipments with a ship date today, without cancelled ones" },
  shippedLastHour: Count,
  pickups: { ...Count, description: "Booked for today" },
  filter: Type.Object({ status: Type.Array(Text), shipByTo: DateTime }, { description: "Filter of the open orders" }),
  carriers: Type.Array(
    Type.Object({
      carrier: Nullable(Type.String({ description: "As in the orders; null: not chosen" })),
      open: Count,
      cutoffAt: Nullable({
        ...DateTime,
        description: "Cut-off of the carrier's account, else of the organization, today",
      }),
    }),
    { description: "Soonest cut-off first; at most 20" },
  ),
});
export type ShipToday = Static<typeof ShipToday>;

export const ReportQuery = Strict(windowQuery);
export type ReportQuery = Static<typeof ReportQuery>;

const groups = ["day", "carrier", "service", "account", "lane", "zone", "state", "location"] as const;
export const DeliveryQuery = Strict({ ...windowQuery, groupBy: OneOf(groups), ...partQuery });
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const Window = Type.Object(
  {
    from: Day,
    to: Day,
    timeZone: Text,
    startsAt: DateTime,
    endsAt: { ...DateTime, description: "First moment after the window" },
    days: Count,
  },
  { description: "Calendar days of the organization, both inclusive" },
);

/** `previous`: the window of the same length before. */
const report = <Row extends ReturnType<typeof Type.Object>, Sum extends ReturnType<typeof Type.Object>>(
  rows: Row,
  totals: Sum,
) => ({ window: Window, totals, previous: totals, rows: Type.Array(rows) });

const volume = { received: Count, shipped: Count };
const VolumeTotals = Type.Object({
  ...volume,
  medianHoursToShip: Nullable(
    Type.Number({ description: "From order to ship date, of up to 50,000 shipments of orders, the latest" }),
  ),
});
export const VolumeReport = Type.Object(
  report(
    Type.Object({ day: Day, startsAt: DateTime, endsAt: DateTime, ...volume }, { description: "Each day" }),
    VolumeTotals,
  ),
);
export type VolumeReport = Static<typeof VolumeReport>;

const deliveries = {
  delivered: Count,
  onTime: { ...Count, description: "Promises kept" },
  late: { ...Count, description: "Promises missed" },
  onTimePct: Nullable(Type.Number({ minimum: 0, maximum: 100, description: "Of those with a promise; null: none" })),
  avgTransitDays: Nullable(Type.Number({ minimum: 0 })),
};
const part = {
  ...deliveries,
  atRisk: {
    ...Count,
    description: "Now; by day, since that day, and in `others` those since before the period",
  },
  leftOut: Type.Object(
    {
      noPromise: { ...Count, description: "Delivery attempted, but no day was promised" },
      cancelled: Count,
      returned: Count,
      noFirstScan: { ...Count, description: "Delivered without a first scan: not in `avgTransitDays`" },
    },
    { description: "Shipments of the period in none of the on-time figures, or not in the average transit time" },
  ),
};
export const DeliveryReport = Type.Object({
  groupBy: OneOf(groups),
  window: Window,
  totals: Type.Object(part, { description: "The sum of `rows` and `others`" }),
  previous: Type.Object(deliveries),
  rows: Type.Array(
    Type.Object({
      key: Type.String({
        description:
          "The day, carrier, service, lane, zone, state, or ID of the carrier account or location; empty: unknown",
      }),
      ...part,
    }),
  ),
  others: Nullable(Type.Object(part, { description: "The sum of all groups beyond the 50 rows" })),
});
export type DeliveryReport = Static<typeof DeliveryReport>;

const exceptions = { opened: Count, open: { ...Count, description: "Of these, still open" } };
export const ExceptionReport = Type.Object(
  report(
    Type.Object({ kind: OneOf(exceptionKinds), code: Text, ...exceptions }, { description: "Most opened first" }),
    Type.Object(exceptions),
  ),
);
export type ExceptionReport = Static<typeof ExceptionReport>;

const people = { runs: Count, ordersChanged: Count, ordersFailed: Count, labelsBought: Count };
export const PeopleReport = Type.Object(
  report(Type.Object({ actor: ActorShape, ...people }, { description: "Most changed first" }), Type.Object(people)),
);
export type PeopleReport = Static<typeof PeopleReport>;

const cost = {
  currency: Text,
  labels: Count,
  orders: { ...Count, description: "Orders with a label" },
  cost: Type.Number({ description: "As bought, without later adjustments" }),
  costPerLabel: Type.Number(),
  costPerOrder: Nullable(Type.Number({ description: "Cost of the labels of orders, per order" })),
};
export const LabelReport = Type.Object({
  window: Window,
  rows: Type.Array(Type.Object({ carrier: Text, ...cost }), {
    description: "By carrier and currency, most labels first",
  }),
  totals: Type.Array(Type.Object(cost), { description: "By currency, most labels first" }),
  previous: Type.Array(Type.Object(cost), { description: "The same of the window of the same length before" }),
  days: Type.Array(
    Type.Object(
      { day: Day, labels: Count, cost: Type.Number() },
      { description: "Of the currency with the most labels" },
    ),
  ),
});
export type LabelReport = Static<typeof LabelReport>;
