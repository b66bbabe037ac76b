import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Columns, Fields, MappingText, sampledRow, Warnings } from "../../core/csv/import-shapes.ts";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { serviceLevels } from "../../carriers/rate-card/service-level.ts";
import { Count, DateTime, Id, Name, NameList, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { ScenarioShape } from "../carrier-accounts/carrier-accounts.schemas.ts";

export const maxItems = 250_000;

export const comparisonStatuses = [
  "draft",
  "queued",
  "processing",
  "completed",
  "completed_with_errors",
  "failed",
] as const;
export type ComparisonStatus = (typeof comparisonStatuses)[number];
export const itemStatuses = ["pending", "rated", "estimated", "unrateable", "invalid", "excluded"] as const;
const bases = ["weight", "shipment", "flat", "inferred", "profile"] as const;
const itemReasons = [
  "zone_unresolved",
  "service_unmatched",
  "not_serviceable",
  "over_limit",
  "weight_missing",
  "no_rate_cell",
  "invalid_zip",
  "currency_mismatch",
  "duplicate",
  "charge_line",
  "credit",
  "international",
  "amount_out_of_range",
  "sides_implausible",
] as const;

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const zip = Text(20);
const city = Text(100);
const state = Text(50);
const country = Type.Optional(Type.String({ maxLength: 60, description: "Code or name. Default: United States" }));

export const ItemRequest = Strict({
  trackingNumber: Type.String({ minLength: 1, maxLength: 100 }),
  netCost: Type.Number({
    minimum: -1_000_000,
    maximum: 1_000_000,
    description:
      "The amount paid; negative for a credit. A parcel may have several items, one per charge; its weight, dimensions, places " +
      "and ship date are taken from the first item that has them",
  }),
  serviceType: Text(100),
  chargeType: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Name of the charge, such as Fuel Surcharge. Charges with different names are never duplicates. If no item of a parcel " +
        "has a `serviceType`, the service is detected from the charge names",
    }),
  ),
  originZip: zip,
  originCity: city,
  originState: state,
  originCountry: country,
  destinationZip: zip,
  destinationCity: city,
  destinationState: state,
  destinationCountry: country,
  weight: Type.Optional(Weight),
  dimensions: Type.Optional(Dimensions),
  residential: Type.Optional(Nullable(Type.Boolean())),
  shipDate: Type.Optional(CalendarDate),
  currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
});
export type ItemRequest = Static<typeof ItemRequest>;

export const RatingOptions = Strict(
  {
    weightPolicy: Type.Optional(
      OneOf(["profile", "strict"], {
        description:
          "`profile` (default): unknown weights are estimated from usual weights; `strict`: they get no price",
      }),
    ),
    assumedWeight: Type.Optional(Weight),
    serviceFallback: Type.Optional(OneOf(["faster", "slower", "none"])),
    serviceMap: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ minLength: 1, maxLength: 100 }), {
        maxProperties: 500,
      }),
    ),
    residential: Type.Optional(Nullable(Type.Boolean({ description: "Default for items without `residential`" }))),
    duplicates: Type.Optional(
      OneOf(["sum", "exclude", "keep"], {
        description:
          "Items with the same tracking number: `sum` (default) adds their charges up to one parcel and excludes identical " +
          "duplicates; `exclude` uses the first item only; `keep` treats each as a parcel",
      }),
    ),
    rateDate: Type.Optional(CalendarDate),
    scenario: Type.Optional(ScenarioShape),
  },
  { examples: [{ serviceFallback: "faster", scenario: { fuelPercent: 15 } }] },
);
export type RatingOptions = Static<typeof RatingOptions>;

const header = {
  name: Name,
  carrierAccountId: Type.String({ format: "uuid", description: "The contract to compare with" }),
  sourceCarrier: Type.Optional(Type.String({ maxLength: 100, description: "Who carried the parcels" })),
  sourceCarrierAccountId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "The contract that was paid; missing weights are inferred from its prices",
    }),
  ),
  options: Type.Optional(RatingOptions),
};

const anItem = {
  trackingNumber: "1Z999AA10123456784",
  netCost: 14.2,
  serviceType: "Ground",
  originZip: "07114",
  originCity: "Newark",
  originState: "NJ",
  destinationZip: "90210",
  destinationCity: "Beverly Hills",
  destinationState: "CA",
};
const anId = "0198c0de-0000-7000-8000-000000000000";

export const ComparisonRequest = Strict(
  { ...header, items: Type.Optional(Type.Array(ItemRequest, { maxItems })) },
  { examples: [{ name: "Last quarter", carrierAccountId: anId, sourceCarrier: "UPS", items: [anItem] }] },
);
export type ComparisonRequest = Static<typeof ComparisonRequest>;
export type ComparisonHeader = Omit<ComparisonRequest, "items">;

export const ImportRequest = Strict(
  {
    ...header,
    name: Type.Optional(Name),
    carrierAccountId: Type.Optional(header.carrierAccountId),
    csv: Type.String({ minLength: 1 }),
    mapping: Type.Optional(
      Type.Record(Type.String(), Nullable(Type.String()), {
        description: "Column to field, for columns that are not detected by name; null: ignore the column",
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Report how the file is read and create nothing; name and account are optional" }),
    ),
    skipInvalid: Type.Optional(Type.Boolean({ description: "Import the valid rows instead of rejecting the file" })),
  },
  {
    examples: [
      {
        name: "Last quarter",
        carrierAccountId: anId,
        csv: "tracking,cost,service,from,to\n1Z9,14.20,Ground,07114,90210\n",
        mapping: { from: "originZip", to: "destinationZip" },
      },
    ],
  },
);
export type ImportRequest = Static<typeof ImportRequest>;

/** For text/csv bodies, which hold only the file. */
export const ImportQuery = Strict({
  name: Type.Optional(Name),
  carrierAccountId: Type.Optional(Type.String({ format: "uuid" })),
  sourceCarrier: Type.Optional(Type.String({ maxLength: 100 })),
  mapping: Type.Optional(MappingText),
  dryRun: Type.Optional(Type.Boolean()),
  skipInvalid: Type.Optional(Type.Boolean()),
});
export type ImportQuery = Static<typeof ImportQuery>;

export const Counts = Type.Object({
  pending: Count,
  rated: Count,
  estimated: Count,
  unrateable: Count,
  invalid: Count,
  excluded: Count,
});

export const Comparison = Type.Object({
  id: Id,
  name: Type.String(),
  status: OneOf(comparisonStatuses),
  carrierAccountId: Id,
  carrierAccountName: Type.String(),
  sourceCarrier: Type.String(),
  sourceCarrierAccountId: Nullable(Id),
  currency: Type.String(),
  revision: Count,
  itemCount: Count,
  progress: Type.Object({ processed: Count, total: Count, percent: Type.Number() }),
  counts: Counts,
  rateCard: Nullable(Type.Object({ id: Nullable(Id), version: Nullable(Count), name: Type.String() })),
  stale: Type.Boolean({
    description:
      "An input of the prices has changed since processing: the rate card in effect, today or on the parcels' ship dates, a " +
      "zone chart, a condition set or a service alias",
  }),
  options: RatingOptions,
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  createdAt: DateTime,
  updatedAt: DateTime,
  startedAt: Nullable(DateTime),
  finishedAt: Nullable(DateTime),
  version: Version,
});
export type Comparison = Static<typeof Comparison>;

export const ComparisonQuery = pageQuery({
  status: Type.Optional(OneOf(comparisonStatuses)),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name" })),
});
export type ComparisonQuery = Static<typeof ComparisonQuery>;

const RowError = Type.Object({
  row: Count,
  column: Nullable(Type.String()),
  code: Type.String(),
  message: Type.String(),
});
export const ImportAnswer = Type.Object({
  comparison: Nullable(Comparison),
  dryRun: Type.Boolean(),
  summary: Type.Object({ rows: Count, items: Count, skipped: Count }),
  columns: Columns,
  fields: Fields,
  sample: Type.Array(
    Type.Object({
      ...sampledRow,
      item: Nullable(ItemRequest),
    }),
    { description: "The first 20 rows with the items read from them; null: see `errors`" },
  ),
  errors: Type.Array(RowError),
  rejectedCsv: Type.Optional(Type.String({ description: "Up to 10,000 rejected rows, with a column for the reason" })),
  warnings: Warnings,
});
export type ImportAnswer = Static<typeof ImportAnswer>;

const itemFilters = {
  status: Type.Optional(NameList(itemStatuses)),
  zone: Type.Optional(Type.String({ maxLength: 10 })),
  serviceType: Type.Optional(Type.String({ maxLength: 100, description: "Case-insensitive" })),
  search: Type.Optional(Type.String({ maxLength: 100, description: "In tracking numbers, cities, states and ZIPs" })),
  outcome: Type.Optional(OneOf(["win", "loss", "tie"])),
  basis: Type.Optional(NameList(bases)),
  reason: Type.Optional(NameList(itemReasons)),
  minSavings: Type.Optional(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })),
  destinationState: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description:
        "As in `stateBreakdown` of the summary: the given state, else the state of the ZIP, or `unknown`. Additional charges and " +
        "duplicates are left out, unless `reason` or the status `excluded` selects them",
    }),
  ),
  residential: Type.Optional(Type.Boolean({ description: "Rated as residential or commercial" })),
  targetService: Type.Optional(Type.String({ maxLength: 100, description: "Code of the service it was rated with" })),
  charge: Type.Optional(
    Type.String({ maxLength: 100, description: "Code of a line of the target price, such as `fuel` or a surcharge" }),
  ),
  chargeType: Type.Optional(Type.String({ maxLength: 100, description: "Name of the charge; case-insensitive" })),
};

export const ItemQuery = pageQuery(
  {
    ...itemFilters,
    sort: Type.Optional(OneOf(["position", "savings", "-savings", "netCost", "-netCost", "zone"])),
  },
  { limit: 50, max: 500 },
);
export type ItemQuery = Static<typeof ItemQuery>;
export const ExportQuery = Strict(itemFilters);
export type ItemFilter = Static<typeof ExportQuery>;

const Money = Type.Number({ description: "With two decimals" });

export const Item = Type.Object({
  index: Count,
  trackingNumber: Type.String(),
  netCost: Money,
  serviceType: Type.String({
    description:
      "The name by which the service was found: of this item, of another charge of the parcel, or of its shipment",
  }),
  chargeType: Nullable(Type.String()),
  originZip: Nullable(Type.String()),
  originCity: Nullable(Type.String()),
  originState: Nullable(Type.String()),
  destinationZip: Nullable(Type.String()),
  destinationCity: Nullable(Type.String()),
  destinationState: Nullable(Type.String()),
  weight: Nullable(Weight),
  dimensions: Nullable(Dimensions),
  residential: Nullable(Type.Boolean()),
  shipDate: Nullable(CalendarDate),
  currency: Nullable(Type.String()),
  foreignCountry: Nullable(
    Type.String({ description: "Country of origin or destination, if it is not the United States" }),
  ),
  revision: Nullable(Count),
  status: OneOf(itemStatuses),
  reason: Nullable(OneOf(itemReasons)),
  zone: Nullable(Type.String()),
  zoneSource: Nullable(OneOf(["chart", "distance", "state", "flat"])),
  distanceMiles: Nullable(Type.Integer()),
  borderline: Type.Boolean(),
  alternativeZone: Nullable(Type.String()),
  serviceLevel: Nullable(OneOf(serviceLevels)),
  targetService: Nullable(Type.String()),
  basis: Nullable(
    OneOf(bases, {
      description:
        "Source of the weight: the item, the shipment with its tracking number, none needed, inferred from the amount paid, or " +
        "a profile of usual weights",
    }),
  ),
  ratedWeight: Nullable(Weight),
  sourceCost: Type.Number({
    description: "The amount paid for the parcel: all its charges. 0 for its additional charges",
  }),
  targetCost: Nullable(Money),
  targetLow: Nullable(Money),
  targetHigh: Nullable(Money),
  savings: Nullable(Money),
  savingsPct: Nullable(Type.Number()),
  outcome: Nullable(OneOf(["win", "loss", "tie"])),
  breakEvenWeight: Nullable(Weight),
  lines: Type.Array(Type.Object({ code: Type.String(), amount: Money })),
});
export type Item = Static<typeof Item>;

export const SummaryQuery = ScenarioShape;
