import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { carrierNames } from "../../carriers/installed-carriers.ts";
import { accountParts } from "../../carriers/seam/carrier.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
import { ShipOptions } from "../../carriers/seam/ship-options.ts";
import { Address } from "../../core/address.ts";
import { Origin } from "../../core/extension-point.ts";
import { PickupRules } from "../../carriers/seam/pickup-rules.ts";
import { cardColumnFields } from "../../carriers/rate-card/card-csv.ts";
import { termNames } from "../../carriers/rate-card/terms-csv.ts";
import { CalendarDate, CardHeader, RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { serviceLevels } from "../../carriers/rate-card/service-level.ts";
import { ChartRow } from "../../carriers/zones/zone-chart.ts";
import { Warnings } from "../../core/csv/import-shapes.ts";
import { PatchFor } from "../../core/merge-patch.ts";
import { Count, DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";

const Description = Type.String({ maxLength: 500 });
const Settings = Type.Record(Type.String(), Type.Unknown());
const Credentials = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: "Stored encrypted and never returned",
});
export const maxAliases = 500;
const ServiceName = Type.String({ minLength: 1, maxLength: 100 });
const ComparisonOnly = Type.Boolean({
  description: "Its prices are compared, not used: `choose_rate` leaves the account out unless it is named",
});
const aliases = {
  maxProperties: maxAliases,
  description: "Names that others use for a service, each with the service of the rate card it stands for",
};
const Aliases = Type.Record(ServiceName, ServiceName, aliases);

export const CarrierAccountRequest = Strict(
  {
    name: Name,
    carrier: OneOf(carrierNames),
    description: Type.Optional(Description),
    settings: Type.Optional(Settings),
    credentials: Type.Optional(Credentials),
    pickupRules: Type.Optional(PickupRules),
    serviceAliases: Type.Optional(Aliases),
    isActive: Type.Optional(Type.Boolean()),
    comparisonOnly: Type.Optional(ComparisonOnly),
  },
  { examples: [{ name: "Ground contract 2026", carrier: "rate-card", pickupRules: { cutoffLocalTime: "14:00" } }] },
);
export type CarrierAccountRequest = Static<typeof CarrierAccountRequest>;

export const CarrierAccountPatch = Strict(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    settings: Type.Optional(Settings),
    credentials: Type.Optional(Nullable(Credentials)),
    pickupRules: Type.Optional(Nullable(PatchFor(PickupRules))),
    serviceAliases: Type.Optional(Type.Record(ServiceName, Nullable(ServiceName), aliases)),
    isActive: Type.Optional(Type.Boolean()),
    comparisonOnly: Type.Optional(ComparisonOnly),
  },
  { examples: [{ description: "Renewed in May" }] },
);
export type CarrierAccountPatch = Static<typeof CarrierAccountPatch>;

const CardRef = Type.Object({
  id: Id,
  version: Count,
  name: Type.String(),
  effectiveFrom: CalendarDate,
  effectiveTo: Nullable(CalendarDate),
});

export const ZoneChartInfo = Type.Object({
  name: Type.String(),
  version: Count,
  rowCount: Count,
  uploadedAt: DateTime,
});
export type ZoneChartInfo = Static<typeof ZoneChartInfo>;

const Webhook = Type.Object(
  {
    url: Type.String({ description: "Where the carrier sends its webhooks" }),
    isSubscribed: Type.Boolean({ description: "The carrier has confirmed the subscription; it is renewed once a day" }),
    subscribedAt: Nullable(DateTime),
    problem: Nullable({ ...Type.String(), description: "Why the last attempt to subscribe failed" }),
    lastReceivedAt: Nullable(DateTime),
    accepted: Count,
    unmatched: Type.Integer({
      minimum: 0,
      description: "News about tracking numbers that the organization does not have",
    }),
    refused: Type.Integer({ minimum: 0, description: "Webhooks with a wrong or missing signature" }),
    lastRefusedAt: Nullable(DateTime),
    lastWebhookProblem: Nullable({ ...Type.String(), description: "Why the last refused webhook was refused" }),
  },
  { description: "Webhooks that the carrier sends; null: none were asked for" },
);

export const CarrierAccount = Type.Object({
  id: Id,
  name: Type.String(),
  carrier: Type.String(),
  description: Type.String(),
  settings: Type.Record(Type.String(), Type.Unknown()),
  credentialFields: Type.Array(Type.String(), {
    description: "Names of the credentials that are set, without their values",
  }),
  pickupRules: PickupRules,
  serviceAliases: Type.Record(Type.String(), Type.String()),
  isActive: Type.Boolean(),
  comparisonOnly: ComparisonOnly,
  rateCard: Nullable(CardRef),
  zoneChart: Nullable(ZoneChartInfo),
  webhook: Nullable(Webhook),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type CarrierAccount = Static<typeof CarrierAccount>;

export const WebhookRequest = Strict(
  {
    publicUrl: Type.Optional(
      Type.String({
        maxLength: 300,
        description: "Origin at which the carrier reaches the hub. Default: the first of HUB_PUBLIC_URLS",
      }),
    ),
  },
  { examples: [{ publicUrl: "https://hub.example.com" }] },
);
export type WebhookRequest = Static<typeof WebhookRequest>;

export const AccountWebhook = Type.Object({
  ...Webhook.properties,
  setup: Nullable({
    ...Type.String(),
    description: "What you have to enter at the carrier for its webhooks to arrive; null: nothing",
  }),
  secret: Nullable({ ...Type.String(), description: "The credential to enter there; null: none" }),
});
export type AccountWebhook = Static<typeof AccountWebhook>;

export const AddressCheckRequest = Strict(
  { address: Address },
  {
    examples: [
      {
        address: { address1: "350 5th Ave", city: "New York", provinceCode: "NY", zip: "10118", countryCode: "US" },
      },
    ],
  },
);
export type AddressCheckRequest = Static<typeof AddressCheckRequest>;

export const AddressCheckAnswer = Type.Object({
  verdict: OneOf(["valid", "corrected", "invalid", "unknown"], {
    description: "corrected: deliverable with the changes in `address`. unknown: the carrier could not decide",
  }),
  address: Nullable({ ...Address, description: "The address as the carrier writes it; null: not corrected" }),
  residential: Nullable({ ...Type.Boolean(), description: "A home rather than a business; null: unknown" }),
  messages: Type.Array(Type.String()),
});
export type AddressCheckAnswer = Static<typeof AddressCheckAnswer>;

export const CarrierAccountQuery = pageQuery({
  carrier: Type.Optional(OneOf(carrierNames)),
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name" })),
});
export type CarrierAccountQuery = Static<typeof CarrierAccountQuery>;

const AnySchema = Type.Record(Type.String(), Type.Unknown());
export const CarrierCatalog = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      description: Type.String(),
      plugin: Origin,
      usesRateCards: Type.Boolean(),
      capabilities: Type.Array(OneOf(["rate", "pickup", "track", "label"])),
      supports: Type.Object(
        {
          quotes: Type.Boolean(),
          labels: Type.Boolean(),
          voids: Type.Boolean(),
          pickups: Type.Boolean(),
          tracking: Type.Boolean(),
          manifests: Type.Boolean(),
          addressCheck: Type.Boolean(),
          webhooks: Type.Boolean(),
          accountTest: Type.Boolean(),
        },
        { description: "What the carrier can be asked for" },
      ),
      labelTypes: Type.Array(OneOf(labelTypes), { description: "Files of its labels; the first is the default" }),
      extraOptions: Nullable({
        ...AnySchema,
        description: "Schema of `options.extra` of a label; null: there are none",
      }),
      settings: AnySchema,
      credentials: AnySchema,
      pickupRules: PickupRules,
    }),
  ),
});

export const AccountTest = Type.Object({
  ok: Type.Boolean(),
  problems: Type.Array(
    Type.Object({
      part: OneOf(accountParts, { description: "What has to be corrected" }),
      message: Type.String(),
    }),
  ),
});
export type AccountTest = Static<typeof AccountTest>;

export const aSmallCard = {
  name: "Ground 2026",
  effectiveFrom: "2026-01-01",
  zoneScheme: "ups",
  services: [
    {
      code: "GROUND",
      level: "ground",
      weightBreaks: [{ upTo: 1 }, { upTo: 5 }, { upTo: 10 }],
      rates: { "2": [9.5, 11, 13], "5": [11.2, 14, 18], "8": [12.4, 17.5, 24] },
      dim: { divisor: 139 },
    },
  ],
  fuel: { percent: 18, appliesTo: "base_net" },
} as const;

export const RateCardUpload = Strict(
  {
    card: Type.Optional(RateCard),
    csv: Type.Optional(
      Type.String({
        maxLength: 16 * 1024 * 1024,
        description: "The prices; requires `header` for the rest of the card",
      }),
    ),
    header: Type.Optional(CardHeader),
    fuelCsv: Type.Optional(
      Type.String({
        maxLength: 1024 * 1024,
        description:
          "Percentages of fuel by day, with `card` or `header`: a column `from` and one for each mode (`ground`, `air`) or service of " +
          "`fuelByService`, or `fuel`. Their tables are replaced",
      }),
    ),
    termsCsv: Type.Optional(
      Type.String({
        maxLength: 1024 * 1024,
        description:
          "Tiers of a contract, with `card` or `header`: the columns `service`, `term`, `from`, `value` and one for each zone. Terms: " +
          `${termNames.join(", ")}. The tiers of a service are replaced`,
      }),
    ),
    mapping: Type.Optional(
      Type.Record(
        Type.String(),
        Nullable(Type.String({ pattern: `^(?:${cardColumnFields.join("|")}|zone:\\s*\\w{1,10})$` })),
        {
          description:
            `With \`csv\`: fields of columns that are not recognized by their names: ${cardColumnFields.join(", ")}, or \`zone:2\` for the ` +
            "prices of a zone; null: the column is ignored",
        },
      ),
    ),
    isActive: Type.Optional(Type.Boolean({ description: "false: upload as a draft" })),
  },
  { examples: [{ card: aSmallCard }] },
);
export type RateCardUpload = Static<typeof RateCardUpload>;

export const RateCardInfo = Type.Object({
  ...CardRef.properties,
  carrierAccountId: Id,
  currency: Type.String(),
  isActive: Type.Boolean(),
  isInEffect: Type.Boolean({ description: "Today's prices come from this card" }),
  serviceCount: Count,
  createdAt: DateTime,
});
export type RateCardInfo = Static<typeof RateCardInfo>;

export const RateCardDetail = Type.Object({ ...RateCardInfo.properties, card: RateCard });
export type RateCardDetail = Static<typeof RateCardDetail>;

export const UploadedRateCard = Type.Object({ ...RateCardDetail.properties, warnings: Warnings });
export type UploadedRateCard = Static<typeof UploadedRateCard>;

export const RateCardQuery = pageQuery({ isActive: Type.Optional(Type.Boolean()) });
export type RateCardQuery = Static<typeof RateCardQuery>;

export const ActivateRequest = Strict(
  { effectiveFrom: Type.Optional(CalendarDate), effectiveTo: Type.Optional(Nullable(CalendarDate)) },
  { examples: [{ effectiveFrom: "2026-07-01" }] },
);
export type ActivateRequest = Static<typeof ActivateRequest>;

const ChartOrigin = Type.String({
  maxLength: 11,
  description: "Origin of all rows of the file: 902, 90210 or 900-902. Default: the one in its title",
});
export const ZoneChartFileQuery = Strict({ name: Type.Optional(Name), origin: Type.Optional(ChartOrigin) });
export type ZoneChartFileQuery = Static<typeof ZoneChartFileQuery>;

export const ZoneChartUpload = Strict(
  {
    name: Type.Optional(Name),
    rows: Type.Optional(Type.Array(ChartRow, { minItems: 1, maxItems: 300_000 })),
    csv: Type.Optional(Type.String({ maxLength: 30 * 1024 * 1024 })),
    origin: Type.Optional(ChartOrigin),
  },
  { examples: [{ name: "Newark 2026", rows: [{ origin: "070-073", destination: "900-902", zone: "8" }] }] },
);
export const ZoneChartQuery = pageQuery({}, { limit: 500, max: 10_000 });
export type ZoneChartQuery = Static<typeof ZoneChartQuery>;

export type ZoneChartUpload = Static<typeof ZoneChartUpload>;

/** Rate cards need the ZIP or state; other carriers also city, country and, to tell homes from businesses, the street. */
const Place = Strict({
  ...Address.properties,
  zip: Type.Optional(Type.String({ maxLength: 20 })),
  state: Type.Optional(Type.String({ maxLength: 20, description: "Short for provinceCode" })),
});

export const ScenarioShape = Strict({
  fuelPercent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Replaces the card's fuel percentage or table; `appliesTo` and the fuel discount stay",
    }),
  ),
  extraDiscountPercent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Percentage of the list price, on top of the card's discounts",
    }),
  ),
  dimDivisor: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 100_000,
      description: "Cubic inches per pound, for services with a divisor in inches; other services are unchanged",
    }),
  ),
});

export const QuoteRequest = Strict(
  {
    origin: Place,
    destination: Place,
    weight: Weight,
    dimensions: Type.Optional(Dimensions),
    residential: Type.Optional(Nullable(Type.Boolean())),
    options: Type.Optional({ ...ShipOptions, description: "As for a label; `residential` may be in either place" }),
    shipDate: Type.Optional(CalendarDate),
    services: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 })),
    scenario: Type.Optional(ScenarioShape),
  },
  {
    examples: [
      { origin: { zip: "07114" }, destination: { zip: "90210" }, weight: { value: 3, unit: "lb" }, residential: true },
    ],
  },
);
export type QuoteRequest = Static<typeof QuoteRequest>;

const QuotedService = { service: Type.String(), serviceName: Type.String() };
export const QuoteAnswer = Type.Object({
  carrierAccountId: Id,
  rateCard: Nullable(CardRef),
  shipDate: CalendarDate,
  quotes: Type.Array(
    Type.Object({
      ...QuotedService,
      level: Nullable(OneOf(serviceLevels)),
      zone: Nullable({
        ...Type.String(),
        description: "Null: the carrier does not say; also for zoneSource and weight",
      }),
      zoneSource: Nullable(OneOf(["chart", "distance", "state", "flat"])),
      distanceMiles: Nullable(Type.Integer()),
      borderline: Type.Boolean({ description: "So close to the next zone that the carrier may assign that zone" }),
      alternative: Nullable(Type.Object({ zone: Type.String(), total: Nullable(Type.Number()) })),
      total: Type.Number(),
      currency: Type.String(),
      listTotal: Nullable({ ...Type.Number(), description: "The published price, if it differs from the account's" }),
      transitDays: Nullable(Type.Integer()),
      deliverBy: Nullable({
        ...Type.String(),
        description: "The carrier's promise for this parcel: a date or an instant",
      }),
      isGuaranteed: Type.Boolean(),
      expiresAt: Nullable({ ...Type.String(), description: "Until then the carrier sells at this price" }),
      weight: Nullable(
        Type.Object({
          actual: Weight,
          dimensional: Nullable(Weight),
          billable: Weight,
          rated: Weight,
        }),
      ),
      lines: Type.Array(
        Type.Object({ code: Type.String(), label: Type.String(), amount: Type.Number(), explanation: Type.String() }),
      ),
    }),
    { description: "Cheapest first" },
  ),
  unavailable: Type.Array(Type.Object({ ...QuotedService, reason: Type.String(), message: Type.String() })),
});
export type QuoteAnswer = Static<typeof QuoteAnswer>;
