import type { Static, TSchema } from "typebox";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import { orderPresets } from "../../connectors/csv/order-presets.ts";
import { importRequest, MappingText, readingOptions } from "../../core/csv/import-shapes.ts";
import { PatchFor } from "../../core/merge-patch.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { DateTime, Id, linePattern, Nullable, OneOf, optional, Strict } from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { lineDetails, orderDetails } from "./order-details.schemas.ts";
import { holdReasons, orderStatuses, paymentStatuses, priorities } from "./orders.states.ts";

const maxBulkOrders = 10_000;
export const noteVisibilities = ["internal", "customer", "packing_slip", "gift"] as const;

/** Non-empty text on one line. */
function Line(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: linePattern, ...(description && { description }) });
}

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

const LineRequest = Strict({
  id: Type.Optional(Line(64, "Given by the hub when absent; unique within the order")),
  sku: Line(100),
  name: Text(200),
  quantity: Type.Integer({ minimum: 1, maximum: orderLimits.quantity }),
  price: Type.Optional(Type.Number({ minimum: 0, maximum: orderLimits.price, description: "Of one unit" })),
  weight: Type.Optional(Weight),
  ...optional(lineDetails),
});

const { id: _given, ...newLineParts } = LineRequest.properties;
/** A new line of an order. */
export const NewLine = Strict(newLineParts);

const PackageRequest = Strict({
  weight: Type.Optional(Weight),
  dimensions: Type.Optional(Dimensions),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Number of such packages; default: 1" })),
});

const NoteRequest = Strict({
  id: Type.Optional(Line(64, "Of a note that is to stay")),
  text: Type.String({ minLength: 1, maxLength: orderLimits.noteLength, pattern: "\\S" }),
  visibility: Type.Optional(OneOf(noteVisibilities, { description: "Default: internal" })),
});

export const customFieldName = "^[A-Za-z][\\w.-]{0,63}$";
type FieldValue = string | number | boolean;

export function CustomFieldValue<Value>(types: string[]) {
  return Type.Unsafe<Value>({ type: types, maxLength: 1000 });
}

function CustomFields<Value>(types: string[]) {
  return Type.Unsafe<Record<string, Value>>({
    type: "object",
    propertyNames: { pattern: customFieldName },
    additionalProperties: CustomFieldValue<Value>(types),
    maxProperties: orderLimits.customFields,
  });
}

/** A reference to an order; resolved by `findByRef`. */
export const OrderRef = Type.String({
  minLength: 1,
  maxLength: orderLimits.numberLength,
  description: "Order ID or number",
});

const Tag = Line(orderLimits.tagLength);
export const Tags = Type.Array(Tag, { maxItems: orderLimits.tags, uniqueItems: true });
export const SomeTags = Type.Array(Tag, { minItems: 1, maxItems: orderLimits.tags, uniqueItems: true });

/** Shipping choice; all fields are optional. */
export const shippingParts = {
  carrierAccountId: Id,
  carrier: Line(100),
  service: Line(100),
  packageType: Line(100),
  thirdPartyBilling: Strict({
    account: Line(50),
    zip: Type.Optional(Line(20)),
    country: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2}$" })),
  }),
};

/** Fields that a patch can change but not remove. */
const permanent = optional({
  number: Line(
    orderLimits.numberLength,
    "Unique among the orders of its bridge, or of none; ORD-1001 and so on when absent",
  ),
  status: OneOf(orderStatuses, { description: "Default: new" }),
  paymentStatus: OneOf(paymentStatuses, { description: "Default: pending" }),
  priority: OneOf(priorities, { description: "Default: normal" }),
  currency: Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217; default USD" }),
  orderedAt: DateTime,
  archived: Type.Boolean({ description: "Archived orders are not listed by default" }),
});

const totalText =
  "What the customer pays, with at most two decimals. When absent, it is the subtotal of `amounts` or the prices of all lines, " +
  "less the discount, plus shipping, tax and fees; it stays null while a price is unknown";

const removable = optional({
  tags: Tags,
  channel: Line(64),
  bridgeId: Id,
  externalId: Line(200, "The order's id at the bridge; unique there"),
  customer: Strict({
    id: Type.Optional(Line(100, "At the shop")),
    name: Text(200),
    email: Text(254),
    phone: Text(50),
  }),
  shippingAddress: Address,
  billingAddress: Address,
  lines: Type.Array(LineRequest, { maxItems: orderLimits.lines }),
  total: Type.Number({ minimum: 0, maximum: 1_000_000_000_000, description: totalText }),
  ...orderDetails,
  shipping: Strict(optional(shippingParts)),
  packages: Type.Array(PackageRequest, { maxItems: orderLimits.packages }),
  notes: Type.Array(NoteRequest, { maxItems: orderLimits.notes }),
  customFields: CustomFields<FieldValue>(["string", "number", "boolean"]),
  locationId: Id,
  assigneeId: Id,
  shipBy: DateTime,
  deliverBy: DateTime,
  dispatchOn: DateTime,
});

const example = {
  channel: "web",
  tags: ["gift"],
  customer: { name: "Ada Byron", email: "ada@example.com" },
  shippingAddress: {
    name: "Ada Byron",
    address1: "12 Main Street",
    city: "Albany",
    provinceCode: "NY",
    zip: "12207",
    countryCode: "US",
  },
  lines: [{ sku: "MUG-01", name: "Mug", quantity: 2, price: 9.5, weight: { value: 350, unit: "g" } }],
  total: 19,
};

export const OrderRequest = Strict({ ...permanent, ...removable }, { examples: [example] });
export type OrderRequest = Static<typeof OrderRequest>;

const ImportedLine = Strict({
  ...LineRequest.properties,
  shippedQuantity: Type.Optional(
    Type.Integer({ minimum: 0, maximum: orderLimits.quantity, description: "Quantity shipped by the source" }),
  ),
});

/** An imported order: a request with the state of the order at its source. */
export const ImportedOrder = Strict({
  ...permanent,
  ...removable,
  lines: Type.Optional(Type.Array(ImportedLine, { maxItems: orderLimits.lines })),
  hold: Type.Optional(
    Nullable(
      Strict({
        reason: Type.Optional(OneOf(holdReasons)),
        note: Type.Optional(Type.String({ maxLength: 500 })),
      }),
    ),
  ),
  deleted: Type.Optional(Type.Boolean()),
  locationExternalId: Type.Optional(
    Line(
      200,
      "ID at the source of the location that ships the order; ignored if the hub has not imported that location",
    ),
  ),
});
export type ImportedOrder = Static<typeof ImportedOrder>;

const removals = PatchFor(Strict(removable));
/** A merge patch: objects are merged, lists are replaced, null removes. */
export const OrderPatchRequest = Type.Unsafe<Static<typeof removals> & Pick<OrderRequest, keyof typeof permanent>>(
  Strict(
    {
      ...permanent,
      ...(removals as unknown as { properties: Record<string, TSchema> }).properties,
      customFields: Type.Optional(Nullable(CustomFields<FieldValue | null>(["string", "number", "boolean", "null"]))),
    },
    { examples: [{ priority: "high", customer: { phone: "+1 518 555 0100" } }] },
  ),
);
export type OrderPatchRequest = Static<typeof OrderPatchRequest>;

/** The second alternative accepts anything: an invalid row fails alone, not the whole request. */
const AnyRow = Type.Unsafe<unknown>({ anyOf: [OrderRequest, {}], description: "As in POST /orders" });

export const BulkRequest = Strict(
  { orders: Type.Array(AnyRow, { minItems: 1, maxItems: maxBulkOrders }) },
  { examples: [{ orders: [example] }] },
);
export type BulkRequest = Static<typeof BulkRequest>;

/** Options in the body, or in the query of a raw upload. */
const importOptions = {
  ...readingOptions,
  preset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        `Format of the file: one of ${orderPresets.map(({ name }) => name).join(", ")}, the name or ID of an import ` +
        "preset, or none. Default: auto, which detects these programs by their columns",
    }),
  ),
  onExisting: Type.Optional(
    OneOf(["reject", "skip", "update"], {
      description:
        "How rows with an existing order number are handled. update: the order is updated by the rules of PATCH; fields that " +
        "the file does not have are unchanged. Default: reject",
    }),
  ),
  watchId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "A UUID of the caller, for GET /orders/import/watch",
    }),
  ),
};

export const ImportQuery = Strict({
  ...importOptions,
  mapping: Type.Optional(MappingText),
  dryRun: Type.Optional(Type.Boolean({ description: "Check the file without importing it" })),
});
export type ImportQuery = Static<typeof ImportQuery>;

export const ImportRequest = Strict(
  {
    ...importRequest({
      csv: "One row per line item; rows with the same order number become one order",
      mapping: "Column name to field, such as customer.name, line.sku or customFields.color; null: ignore the column",
    }),
    ...importOptions,
  },
  { examples: [{ csv: "Order Number,SKU,Quantity\nSHOP-17,MUG-01,2\n", dryRun: true }] },
);
export type ImportRequest = Static<typeof ImportRequest>;

export const ImportWatchQuery = Strict({
  watchId: Type.String({
    format: "uuid",
    description: "The `watchId` of the import, which may start before or after",
  }),
});
