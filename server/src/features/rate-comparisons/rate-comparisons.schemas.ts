import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Columns, Fields, MappingText, sampledRow, Warnings } from "../../core/csv/import-shapes.ts";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { Count, DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { ScenarioShape } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { InvoiceDates } from "../invoices/invoices.schemas.ts";
import { ItemRequest } from "./rate-items.schemas.ts";
import { maxTargets, Target, TargetRequests } from "./rate-targets.schemas.ts";

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
  carrierAccountId: Type.Optional(
    Type.String({ format: "uuid", description: "The contract to compare with; required without `targets`" }),
  ),
  targets: Type.Optional(TargetRequests),
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
  {
    ...header,
    items: Type.Optional(Type.Array(ItemRequest, { maxItems })),
    invoiceIds: Type.Optional(
      Type.Array(Type.String({ format: "uuid" }), {
        minItems: 1,
        maxItems: 1_000,
        description: "Instead of `items`: the parcels of these carrier invoices. Requires invoices:read",
      }),
    ),
    invoiceDates: Type.Optional({
      ...InvoiceDates,
      description: "Instead of `items`: the parcels of all invoices of these days. Requires invoices:read",
    }),
  },
  { examples: [{ name: "Last quarter", carrierAccountId: anId, sourceCarrier: "UPS", items: [anItem] }] },
);
export type ComparisonRequest = Static<typeof ComparisonRequest>;
export type ComparisonHeader = Omit<ComparisonRequest, "items" | "invoiceIds" | "invoiceDates">;

const Preset = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Name or ID of an import preset for comparisons: its mapping and settings",
});

export const ImportRequest = Strict(
  {
    ...header,
    name: Type.Optional(Name),
    csv: Type.String({ minLength: 1 }),
    preset: Type.Optional(Preset),
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
  targets: Type.Optional(
    Type.String({
      maxLength: 50_000,
      description: 'As in the body, as JSON text: [{"carrierAccountId": "...", "name": "Contract A"}]',
    }),
  ),
  sourceCarrier: Type.Optional(Type.String({ maxLength: 100 })),
  sourceCarrierAccountId: Type.Optional(Type.String({ format: "uuid" })),
  preset: Type.Optional(Preset),
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
  targets: Type.Optional(
    Type.Array(Target, { description: "The contracts of a comparison with several; see `GET .../mix`" }),
  ),
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

export const SummaryQuery = Strict({
  ...ScenarioShape.properties,
  target: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxTargets,
      description: "Number of the target of a comparison with several contracts. Default 1",
    }),
  ),
});
export type SummaryQuery = Static<typeof SummaryQuery>;
