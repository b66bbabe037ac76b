import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Name, OneOf, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { serviceLevels } from "./service-level.ts";
import {
  byZone,
  CalendarDate,
  Code,
  CountryZone,
  Cubic,
  Dim,
  Discount,
  Fuel,
  Hundredweight,
  Inches,
  Money,
  Percent,
  Price,
  ServiceFuel,
  SetName,
  WeeklyPieces,
  WeeklyRevenue,
  Zone,
  ZoneException,
  zonePattern,
  Zones,
} from "./term.schemas.ts";

export { CalendarDate, zonePattern };

const WeightBreak = Strict({
  upTo: Type.Unsafe<number | null>({
    type: ["number", "null"],
    exclusiveMinimum: 0,
    maximum: 100_000,
    description: "Upper weight limit of this row. A single null: the price does not depend on the weight",
  }),
  unit: Type.Optional(OneOf(["lb", "oz", "kg", "g"])),
});

export const CardService = Strict({
  code: Code,
  name: Type.Optional(Name),
  level: OneOf(serviceLevels),
  aliases: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 })),
  weightBreaks: Type.Array(WeightBreak, { minItems: 1, maxItems: 300 }),
  rates: byZone(Type.Array(Price, { minItems: 1, maxItems: 300 })),
  perUnitAbove: Type.Optional(Strict({ unit: OneOf(["lb", "oz", "kg", "g"]), rates: byZone(Money) })),
  dim: Type.Optional(Dim),
  cubic: Type.Optional(Cubic),
  hundredweight: Type.Optional(Hundredweight),
  multiPiece: Type.Optional(
    OneOf(["each", "total"], {
      description:
        "The parcels of a shipment are priced one by one (default), or as one weight: the sum of their billable weights",
    }),
  ),
  zoneNames: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 10 }), Zone, {
      description:
        "Zones found by distance, each with its name in the prices of this service, such as 2: 202. Zones of charts stay as they are",
    }),
  ),
  limits: Type.Optional(
    Strict({
      maxWeight: Type.Optional(Weight),
      maxLength: Type.Optional(Inches),
      maxLengthPlusGirth: Type.Optional(Inches),
      destinationSet: Type.Optional(SetName),
    }),
  ),
  discounts: Type.Optional(Type.Array(Discount, { maxItems: 100 })),
  minimum: Type.Optional(
    Strict({
      amount: Type.Optional(Money),
      zone: Type.Optional(Zone),
      weight: Type.Optional(Weight),
      reduction: Type.Optional(Money),
      reductionPercent: Type.Optional(Percent),
    }),
  ),
  transitDays: Type.Optional(byZone(Type.Integer({ minimum: 0, maximum: 60 }))),
  isGuaranteed: Type.Optional(
    Type.Boolean({ description: "The carrier refunds late deliveries; the audit of invoices looks for them" }),
  ),
});
export type CardService = Static<typeof CardService>;

export const Surcharge = Strict({
  code: Code,
  label: Type.Optional(Name),
  kind: OneOf(["fixed", "percent", "per_weight"], {
    description:
      "`percent` is a share of the base price after discount and minimum; `per_weight` is charged per started unit of billable weight",
  }),
  amount: Type.Optional(Money),
  percent: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
  amountByZone: Type.Optional(byZone(Money)),
  weightUnit: Type.Optional(OneOf(["lb", "oz", "kg", "g"])),
  discountPercent: Type.Optional(Percent),
  when: Type.Optional(
    Strict({
      residential: Type.Optional(Type.Boolean()),
      destinationSet: Type.Optional(SetName),
      originSet: Type.Optional(SetName),
      destinationStates: Type.Optional(Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), { minItems: 1 })),
      zones: Type.Optional(Zones),
      services: Type.Optional(Type.Array(Code, { minItems: 1 })),
      weightOver: Type.Optional(Weight),
      longestSideOver: Type.Optional(Inches),
      secondLongestSideOver: Type.Optional(Inches),
      lengthPlusGirthOver: Type.Optional(Inches),
      volumeOver: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      from: Type.Optional(CalendarDate),
      to: Type.Optional(CalendarDate),
      requires: Type.Optional(Code),
      requiresAny: Type.Optional(
        Type.Array(Code, { minItems: 1, maxItems: 60, description: "Applies together with any of these surcharges" }),
      ),
      weeklyPiecesOver: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "More than this many parcels in the week, by `weeklyPieces` of the card",
        }),
      ),
      weeklyPiecesUpTo: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  group: Type.Optional(Code),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
  minBillableWeight: Type.Optional(Weight),
  isFuelApplied: Type.Optional(Type.Boolean()),
  allocationPercent: Type.Optional(Percent),
  per: Type.Optional(
    OneOf(["parcel", "shipment"], { description: "`shipment`: charged once per shipment, with its first parcel" }),
  ),
});
export type Surcharge = Static<typeof Surcharge>;

const cardHeader = {
  name: Name,
  currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  note: Type.Optional(Type.String({ maxLength: 500 })),
  effectiveFrom: CalendarDate,
  effectiveTo: Type.Optional(CalendarDate),
  zoneScheme: OneOf(["usps", "ups", "fedex", "bands", "chart", "flat"], {
    description:
      "How zones are found for ZIPs missing from the account's zone chart: the carrier's zones by distance, the card's " +
      "`bands`, not at all (`chart`), or a single zone `all` (`flat`)",
  }),
  bands: Type.Optional(
    Type.Array(
      Strict({ upToMiles: Type.Unsafe<number | null>({ type: ["number", "null"], minimum: 0 }), zone: Zone }),
      {
        minItems: 1,
        maxItems: 50,
      },
    ),
  ),
  surcharges: Type.Optional(Type.Array(Surcharge, { maxItems: 60 })),
  fuel: Type.Optional(Fuel),
  fuelByService: Type.Optional(Type.Array(ServiceFuel, { minItems: 1, maxItems: 50 })),
  weeklyRevenue: Type.Optional(WeeklyRevenue),
  weeklyPieces: Type.Optional(WeeklyPieces),
  zoneExceptions: Type.Optional(Type.Array(ZoneException, { minItems: 1, maxItems: 500 })),
  countryZones: Type.Optional(
    Type.Array(CountryZone, {
      minItems: 1,
      maxItems: 1_000,
      description:
        "Zones of shipments that are not within the United States, by the countries of origin and destination. The first entry that " +
        "matches counts",
    }),
  ),
  shipmentsBy: Type.Optional(
    OneOf(["lead", "day_and_destination"], {
      description:
        "Which parcels of a comparison are one shipment: those with the same lead tracking number (default), or also those sent " +
        "on the same day with the same service from the same ZIP to the same ZIP",
    }),
  ),
};

export const RateCard = Strict({ ...cardHeader, services: Type.Array(CardService, { minItems: 1, maxItems: 50 }) });
export type RateCard = Static<typeof RateCard>;

/** The rest of a card whose prices come as CSV. `services` complete the services of the file, matched by code. */
export const CardHeader = Strict({
  ...cardHeader,
  services: Type.Optional(
    Type.Array(
      Type.Object(
        {
          ...CardService.properties,
          level: Type.Optional(CardService.properties.level),
          weightBreaks: Type.Optional(CardService.properties.weightBreaks),
          rates: Type.Optional(CardService.properties.rates),
        },
        { additionalProperties: false },
      ),
      { maxItems: 50 },
    ),
  ),
});
export type CardHeader = Static<typeof CardHeader>;
