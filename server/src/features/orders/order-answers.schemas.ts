import type { Static, TObject } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import { importReport } from "../../core/csv/import-shapes.ts";
import { bulkAnswer } from "../../core/row-failure.ts";
import {
  CappedPagination,
  Count,
  CountOfEach,
  DateTime,
  Id,
  Nullable,
  OneOf,
  optional,
  pageQuery,
  Strict,
  Version,
} from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { amountParts, lineDetails, orderDetails, riskLevels } from "./order-details.schemas.ts";
import { facetFields } from "./list/facet-fields.ts";
import { sortNames } from "./list/order-sorts.ts";
import { orderFilters } from "./order-filter.schemas.ts";
import { noteVisibilities } from "./orders.schemas.ts";
import { holdReasons, orderStatuses, paymentStatuses, priorities } from "./orders.states.ts";

const Text = Type.String();
const MaybeText = Type.Optional(Text);

/** Without alternatives, which would slow down the serialization of lists. */
function MaybeObject<Schema extends TObject>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: ["object", "null"] });
}

const Hold = Type.Object({
  id: Text,
  handle: Type.String({ description: "Identifies the hold, such as for its release" }),
  reason: OneOf(holdReasons),
  note: Nullable(Text),
  until: Nullable(DateTime),
  source: OneOf(["user", "key", "bridge", "system"]),
  by: ActorShape,
  placedAt: DateTime,
});

const OrderLine = Type.Object({
  id: Text,
  sku: Text,
  name: MaybeText,
  quantity: Count,
  shippedQuantity: Count,
  price: Type.Optional(Type.Number()),
  weight: Type.Optional(Weight),
  ...optional(lineDetails),
});

export const OrderAnswer = Type.Object({
  id: Id,
  number: Text,
  status: OneOf(orderStatuses, { description: "Independent of holds: an order on hold keeps its status" }),
  onHold: Type.Boolean(),
  holds: Type.Array(Hold),
  paymentStatus: OneOf(paymentStatuses),
  priority: OneOf(priorities),
  tags: Type.Array(Text),
  channel: Nullable(Text),
  bridgeId: Nullable(Id),
  externalId: Nullable(Text),
  customer: Type.Object({ id: MaybeText, name: MaybeText, email: MaybeText, phone: MaybeText }),
  shippingAddress: MaybeObject(Address),
  billingAddress: MaybeObject(Address),
  addressStatus: OneOf(["unverified", "valid", "invalid"]),
  lines: Type.Array(OrderLine),
  currency: Text,
  total: Nullable(Type.Number()),
  amounts: Type.Object(optional(amountParts)),
  payment: Type.Object(optional(orderDetails.payment.properties)),
  riskLevel: Nullable(OneOf(riskLevels)),
  poNumber: Nullable(Text),
  giftMessage: Nullable(Text),
  requestedDeliveryDate: Nullable(orderDetails.requestedDeliveryDate),
  shipping: Type.Object({
    carrierAccountId: Type.Optional(Id),
    carrier: MaybeText,
    service: MaybeText,
    packageType: MaybeText,
    thirdPartyBilling: Type.Optional(Type.Object({ account: Text, zip: MaybeText, country: MaybeText })),
  }),
  packages: Type.Array(
    Type.Object({ weight: Type.Optional(Weight), dimensions: Type.Optional(Dimensions), count: Count }),
  ),
  shipments: Type.Array(
    Type.Object({
      id: Text,
      trackingNumber: Nullable(Text),
      carrier: Nullable(Text),
      service: Nullable(Text),
      shippedAt: DateTime,
      lines: Type.Array(Type.Object({ lineId: Text, quantity: Count })),
    }),
  ),
  notes: Type.Array(
    Type.Object({ id: Text, text: Text, visibility: OneOf(noteVisibilities), by: ActorShape, at: DateTime }),
  ),
  customFields: Type.Unsafe<Record<string, string | number | boolean>>({
    type: "object",
    additionalProperties: { type: ["string", "number", "boolean"] },
  }),
  locationId: Nullable(Id),
  assigneeId: Nullable(Id),
  parentOrderId: Nullable(Id),
  mergedIntoId: Nullable(Id),
  childCount: Count,
  orderedAt: DateTime,
  shipBy: Nullable(DateTime),
  deliverBy: Nullable(DateTime),
  dispatchOn: Nullable(DateTime),
  archived: Type.Boolean(),
  archivedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type OrderAnswer = Static<typeof OrderAnswer>;

const InUnit = Type.Number();

const Stock = Type.Object({
  complete: Type.Boolean({ description: "The location of the order has everything it needs" }),
  anywhere: Type.Boolean({ description: "Some active location has everything" }),
  missing: Type.Array(Text, { description: "SKUs that no active location has enough of" }),
});

/** The order as conditions see it: with its total weight, the figures of its customer and the stock for it, if known. */
export const AskedOrder = Type.Object({
  ...OrderAnswer.properties,
  customer: Type.Object({
    ...OrderAnswer.properties.customer.properties,
    orderCount: Type.Integer(),
    totalSpent: Type.Number(),
  }),
  totalWeight: Type.Object({ g: InUnit, kg: InUnit, oz: InUnit, lb: InUnit }),
  stock: Stock,
});

export const OrderPage = Type.Object({
  data: Type.Array(OrderAnswer),
  pagination: CappedPagination,
});
export type OrderPage = Static<typeof OrderPage>;

export const maxPage = 100;
/** As many as one event names. */
export const maxIds = 200;

export const OrderQuery = pageQuery(
  {
    ...orderFilters,
    ids: Type.Optional(
      Type.String({
        maxLength: maxIds * 37,
        description:
          "Up to 200 ids with commas between, archived or not unless `archived` is given; those that are not there are left " +
          "out. With `limit=200` it is one page; without `ids` a page has at most 100",
      }),
    ),
    sort: Type.Optional(
      OneOf(sortNames, {
        description:
          "Default: -createdAt; with a range of orderedAt, updatedAt or shipBy the latest, latest or soonest of these. " +
          "Orders without a value come last. Lists of more than 100,000 orders can be sorted only by dates; by customer only " +
          "with pii:read",
      }),
    ),
  },
  { limit: 25, max: maxIds },
);
export type OrderQuery = Static<typeof OrderQuery>;

export const ExportQuery = Strict(orderFilters);
export type ExportQuery = Static<typeof ExportQuery>;

export const CountsQuery = Strict(orderFilters);
export type CountsQuery = Static<typeof CountsQuery>;

export const OrderCounts = Type.Object({
  ...CountOfEach(orderStatuses),
  on_hold: Type.Integer({ minimum: 0, description: "In any status" }),
  total: Count,
  isCapped: Type.Boolean({
    description: "With filters at most 100,000 orders are counted; true if there are more",
  }),
});
export type OrderCounts = Static<typeof OrderCounts>;

export const FacetQuery = Strict({
  ...orderFilters,
  field: OneOf(facetFields, { description: "Whose values are counted" }),
  valueSearch: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only values that contain this text, in any case" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});
export type FacetQuery = Static<typeof FacetQuery>;

export const OrderFacets = Type.Object({
  field: OneOf(facetFields),
  values: Type.Array(Type.Object({ value: Text, count: Count }), { description: "Most frequent first" }),
  isCapped: Type.Boolean({
    description: "At most 50,000 orders are counted; true if more match, and the counts are then lower bounds",
  }),
});
export type OrderFacets = Static<typeof OrderFacets>;

export const BulkAnswer = bulkAnswer({ number: MaybeText });
export type BulkAnswer = Static<typeof BulkAnswer>;

export const ImportAnswer = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({
    rows: Count,
    orders: Count,
    created: Type.Integer({ minimum: 0, description: "With dryRun: the number that would be created" }),
    failed: Count,
    updated: Type.Optional(
      Type.Integer({ minimum: 0, description: "With `onExisting`: orders that were already stored" }),
    ),
    unchanged: Type.Optional(Count),
    skipped: Type.Optional(Count),
  }),
  detectedPreset: Nullable(Type.String({ description: "The program whose format the file was read as" })),
  ...importReport,
});
export type ImportAnswer = Static<typeof ImportAnswer>;

export const ImportProgress = Type.Object({
  rows: Type.Integer({ minimum: 0, description: "Rows read so far" }),
});

export const ImportedField = Type.Object({
  path: Type.String({ description: "Target in mappings; `lines[].sku` is that of each line" }),
  type: OneOf(["text", "number", "boolean", "date", "object", "list"]),
  required: Type.Boolean({ description: "Within its parent object, if that is given" }),
  isOpen: Type.Boolean({ description: "Accepts members of any name" }),
  values: Nullable(Type.Array(Type.String(), { description: "Allowed values" })),
  description: Nullable(Type.String()),
});
export type ImportedField = Static<typeof ImportedField>;

export const ImportedFields = Type.Object({ data: Type.Array(ImportedField) });
