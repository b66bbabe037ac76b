import type { Static } from "typebox";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
import { Amount, Parcel, ShipOptions } from "../../carriers/seam/ship-options.ts";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import {
  Before,
  Count,
  DateTime,
  Id,
  linePattern,
  NameList,
  Nullable,
  OneOf,
  pageQuery,
  Since,
  Strict,
  Version,
} from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import { ShipmentAnswer } from "../shipments/shipment-answers.schemas.ts";
import { labelStatuses } from "./labels.states.ts";

export const maxParcels = 25;

const Line = (description: string) => Type.String({ minLength: 1, maxLength: 100, pattern: linePattern, description });

const ParcelLine = Strict({
  lineId: Type.String({ minLength: 1, maxLength: 64, description: "The id of a line of the order" }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});

export const aParcel = {
  carrierAccountId: "01900000-0000-7000-8000-000000000001",
  service: "NAT_GROUND",
  from: {
    company: "Byron Mugs",
    address1: "1 Port Street",
    city: "Newark",
    provinceCode: "NJ",
    zip: "07114",
    countryCode: "US",
  },
  to: {
    name: "Ada Byron",
    address1: "12 Analytical Way",
    city: "Albany",
    provinceCode: "NY",
    zip: "12207",
    countryCode: "US",
  },
  weight: { value: 2.5, unit: "lb" },
  reference: "SHOP-17",
};

export const LabelRequest = Strict(
  {
    carrierAccountId: Id,
    service: Line("A service of the carrier, as in its quotes"),
    orderId: Type.Optional(Id),
    from: Type.Optional({ ...Address, description: "Default: the address of the order's location" }),
    to: Type.Optional({ ...Address, description: "Default: the shipping address of the order" }),
    weight: Type.Optional({
      ...Weight,
      description: "Default: the weight of the order's only package, else of `lines`, else of all lines left to ship",
    }),
    dimensions: Type.Optional({ ...Dimensions, description: "Default: those of the order's only package" }),
    parcels: Type.Optional(
      Type.Array(Parcel, {
        minItems: 1,
        maxItems: maxParcels,
        description:
          "Instead of `weight` and `dimensions`: the parcels of one shipment, lead first. Each gets its own tracking number. Default: the " +
          "packages of the order, where it has several and no `lines` are given",
      }),
    ),
    options: Type.Optional(ShipOptions),
    shipDate: Type.Optional({ ...CalendarDate, description: "The day on which the carrier gets it. Default: today" }),
    reference: Type.Optional(Line("Printed on the label. Default: the number of the order")),
    lines: Type.Optional(
      Type.Array(ParcelLine, {
        minItems: 1,
        maxItems: 500,
        description: "Contents of the parcel. Default: all unshipped items without a label",
      }),
    ),
    allowDuplicate: Type.Optional(
      Type.Boolean({
        description:
          "Allow items that were shipped or have a label already: a replacement, or another parcel of the same item. " +
          "The order does not count them twice",
      }),
    ),
  },
  { examples: [aParcel] },
);
export type LabelRequest = Static<typeof LabelRequest>;

const Text = Type.String();
const MaybeTime = Nullable(DateTime);

const File = {
  contentType: Nullable(OneOf(labelTypes)),
  contentBytes: Nullable(Count),
};

const LabelParcel = Type.Object({
  weight: Weight,
  dimensions: Nullable(Dimensions),
  packaging: Nullable(Text),
  reference: Nullable(Text),
  insuredValue: Nullable(Amount),
  trackingNumber: Nullable(Text),
  shipmentId: Nullable(Id),
  ...File,
});
export type LabelParcel = Static<typeof LabelParcel>;

export const LabelAnswer = Type.Object({
  id: Id,
  status: OneOf(labelStatuses, {
    description: "`requested`: the carrier has not responded yet; the request is retried",
  }),
  carrierAccountId: Nullable(Id),
  carrier: Text,
  orderId: Nullable(Id),
  shipmentId: Nullable(Id),
  service: Text,
  from: Address,
  to: Address,
  weight: { ...Weight, description: "Of all parcels together" },
  dimensions: Nullable(Dimensions),
  parcels: Type.Array(LabelParcel, { description: "Lead first; its tracking number is that of the label" }),
  options: ShipOptions,
  shipDate: Nullable(CalendarDate),
  reference: Nullable(Text),
  /** Contents of the shipment. */
  lines: Type.Array(Type.Object({ lineId: Text, quantity: Count })),
  trackingNumber: Nullable(Text),
  cost: Nullable(Type.Number()),
  currency: Text,
  quotedCost: Nullable(
    Type.Number({ description: "The price at which `buy_label` requested the label. Null: no quote" }),
  ),
  quotedCurrency: Nullable(Text),
  chargeLines: Type.Array(Type.Object({ code: Text, label: Text, amount: Type.Number() }), {
    description: "What `cost` consists of, as far as the carrier says",
  }),
  adjustments: Type.Array(
    Type.Object({
      id: Type.String({ description: "At the carrier" }),
      trackingNumber: Text,
      amount: Type.Number({ description: "Negative for credits" }),
      currency: Text,
      reason: Text,
      weight: Nullable({ ...Weight, description: "The weight that the carrier measured" }),
      receivedAt: DateTime,
    }),
    { description: "What the carrier charged or credited after the purchase" },
  ),
  finalCost: Nullable({
    ...Type.Number(),
    description: "`cost` with all adjustments; null if the cost is unknown or an adjustment is in another currency",
  }),
  transitDays: Nullable(Count),
  deliverBy: Nullable({ ...Text, description: "The carrier's promise: a date or an instant" }),
  ...File,
  documents: Type.Array(Type.Object({ kind: OneOf(["customs", "receipt"]), ...File }), {
    description: "Further documents of the shipment",
  }),
  failure: Nullable(Type.Object({ code: Text, message: Text })),
  warning: Nullable(
    Type.Object(
      { code: Text, message: Text },
      { description: "price_differs: `cost` is not `quotedCost`. The label is good" },
    ),
  ),
  refund: Type.Object(
    {
      state: OneOf(["none", "submitted", "voided", "rejected", "not_applicable"]),
      message: Nullable(Text),
      checkedAt: MaybeTime,
    },
    {
      description:
        "Outcome of a void. submitted: the carrier decides about the refund later, and is asked once a day for up to 60 days; the " +
        "label is voided already. not_applicable: nothing was charged. rejected: the label is not refunded",
    },
  ),
  isVoidPending: Type.Boolean({ description: "A void was requested and the carrier has not responded yet" }),
  pickupId: Nullable({ ...Id, description: "The pickup that collects the parcels" }),
  manifestId: Nullable({ ...Id, description: "The manifest that lists the parcels" }),
  purchasedAt: MaybeTime,
  voidedAt: MaybeTime,
  printedAt: Nullable({ ...DateTime, description: "First time; null: not printed yet" }),
  printCount: { ...Count, description: "Documents of POST /shipments/labels/documents that contain the label" },
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type LabelAnswer = Static<typeof LabelAnswer>;

export const LabelSale = Type.Object({ label: LabelAnswer, shipment: Nullable(ShipmentAnswer) });
export type LabelSale = Static<typeof LabelSale>;

export const LabelFileQuery = Strict({
  parcel: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxParcels, description: "Number of the parcel. Default: 1" }),
  ),
  document: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, description: "Instead of `parcel`: number of the document" }),
  ),
});
export type LabelFileQuery = Static<typeof LabelFileQuery>;

export const LabelQuery = pageQuery({
  orderId: Type.Optional(OrderRef),
  shipmentId: Type.Optional(Id),
  pickupId: Type.Optional(Id),
  manifestId: Type.Optional(Id),
  runId: Type.Optional({ ...Id, description: "Labels that the run bought" }),
  status: Type.Optional(NameList(labelStatuses)),
  isPrinted: Type.Optional(Type.Boolean()),
  carrier: Type.Optional(Type.String({ maxLength: 100 })),
  createdFrom: Since,
  createdTo: Before,
});
export type LabelQuery = Static<typeof LabelQuery>;
