import type { Static } from "typebox";
import { DateTime, Id, linePattern, Nullable, pageQuery, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const maxUnits = 1_000_000_000;
const maxLevels = 5_000;

/** As in the lines of orders: levels and lines are matched by equal texts. */
const Sku = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: linePattern,
  description: "Compared exactly with the SKUs of order lines, including upper and lower case",
});
const Units = Type.Number({
  minimum: -maxUnits,
  maximum: maxUnits,
  description: "Units that can still be sold, as the shop or warehouse reports them; negative: oversold",
});
const Committed = Type.Number({
  minimum: 0,
  maximum: maxUnits,
  description:
    "Units set aside for orders that the shop or warehouse already has; they can be allocated to these orders",
});
const committedText =
  "Units set aside for orders that the source already has. null: not reported; `available` is then without these orders";

/** The form of a level from a bridge, after its transformation. */
export const PulledLevel = Type.Object({
  sku: Sku,
  available: Units,
  committed: Type.Optional(Nullable(Committed)),
  locationId: Type.Optional(Nullable(Id)),
  locationExternalId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
});
export type PulledLevel = Static<typeof PulledLevel>;

export const StockRequest = Strict(
  {
    levels: Type.Array(
      Strict({
        sku: Sku,
        locationId: Id,
        available: Units,
        committed: Type.Optional(Nullable({ ...Committed, description: committedText })),
      }),
      { minItems: 1, maxItems: maxLevels },
    ),
    countedAt: Type.Optional({
      ...DateTime,
      description: "When the stock was as reported; default: now. A level that was counted later is kept",
    }),
  },
  { examples: [{ levels: [{ sku: "MUG-01", locationId: "0199f0a0-0000-7000-8000-000000000002", available: 12 }] }] },
);
export type StockRequest = Static<typeof StockRequest>;

export const StockLevel = Type.Object({
  sku: Type.String(),
  locationId: Id,
  available: Type.Number({ description: "As the shop or warehouse reports it; negative: oversold" }),
  committed: Nullable(Type.Number({ description: committedText })),
  reserved: Type.Number({
    description: "Units that the hub has allocated to orders and that are still part of `available`",
  }),
  allocatable: Type.Number({
    description: "Units that `allocate` can give to orders: available + committed - reserved",
  }),
  bridgeId: Nullable({ ...Id, description: "The bridge that reported the level; null: set through the API" }),
  countedAt: { ...DateTime, description: "When the level was reported" },
  updatedAt: { ...DateTime, description: "When its numbers last changed" },
});
export type StockLevel = Static<typeof StockLevel>;

export const StockOfSku = Type.Object({
  sku: Type.String(),
  available: Type.Number({ description: "Sum of all locations" }),
  reserved: Type.Number({ description: "Sum of all locations" }),
  allocatable: Type.Number({ description: "Sum of all locations" }),
  levels: Type.Array(StockLevel, { description: "By location; empty if no level of this SKU is known" }),
});
export type StockOfSku = Static<typeof StockOfSku>;

export const StockQuery = pageQuery({
  sku: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Exactly this SKU" })),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Part of the SKU, in upper or lower case" }),
  ),
  locationId: Type.Optional(Id),
  below: Type.Optional(
    Type.Number({ minimum: -maxUnits, maximum: maxUnits, description: "Only levels with less than this available" }),
  ),
});
export type StockQuery = Static<typeof StockQuery>;

const count = Type.Integer({ minimum: 0 });

export const StockReplaced = Type.Object({
  created: count,
  updated: count,
  unchanged: count,
  outdated: Type.Integer({ minimum: 0, description: "Not stored: a level that was counted later is known" }),
});
export type StockReplaced = Static<typeof StockReplaced>;
