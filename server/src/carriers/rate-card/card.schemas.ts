import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Name, OneOf, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { serviceLevels } from "./service-level.ts";

/** Also safe unescaped in the COPY lines of rate results. */
export const zonePattern = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,9}$";

export const CalendarDate = Type.String({ format: "date", description: "A calendar date, such as 2026-01-31" });
const Code = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$" });
const Zone = Type.String({ pattern: zonePattern });
const Money = Type.Number({ minimum: 0, maximum: 100_000 });
const Percent = Type.Number({ minimum: 0, maximum: 100 });
const Inches = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
const SetName = Type.String({ minLength: 1, maxLength: 100, description: "Id or name of a condition set" });
const Zones = Type.Array(Zone, { minItems: 1, maxItems: 100 });
const byZone = <Schema extends Parameters<typeof Type.Record>[1]>(schema: Schema) =>
  Type.Record(Type.String({ minLength: 1, maxLength: 10 }), schema);

const WeightBreak = Strict({
  upTo: Type.Unsafe<number | null>({
    type: ["number", "null"],
    exclusiveMinimum: 0,
    maximum: 100_000,
    description: "Upper weight limit of this row. A single null: the price does not depend on the weight",
  }),
  unit: Type.Optional(OneOf(["lb", "oz", "kg", "g"])),
});

const Discount = Strict({
  percent: Type.Optional(Percent),
  amount: Type.Optional(Money),
  zones: Type.Optional(Zones),
  weightFrom: Type.Optional(Weight),
  weightTo: Type.Optional(Weight),
  stacking: Type.Optional(
    OneOf(["replace", "add"], {
      description: "`replace` (default): the last matching discount applies; `add`: applied on top of it",
    }),
  ),
});

const Dim = Strict({
  divisor: Type.Number({ minimum: 1, maximum: 100_000, description: "Cubic inches per pound, or cubic cm per kg" }),
  unit: Type.Optional(OneOf(["in", "cm"])),
  thresholdVolume: Type.Optional(
    Type.Number({ minimum: 0, description: "Parcels up to this volume have no dimensional weight" }),
  ),
  rounding: Type.Optional(
    OneOf(["nearest", "up", "none"], {
      description:
        "Rounding of each side to whole inches or centimeters, for volume, limits and size surcharges. Default `up`, as " +
        "carriers do since August 2025; `nearest` before",
    }),
  ),
});

export const CardService = Strict({
  code: Code,
  name: Type.Optional(Name),
  level: OneOf(serviceLevels),
  aliases: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 })),
  weightBreaks: Type.Array(WeightBreak, { minItems: 1, maxItems: 300 }),
  rates: byZone(
    Type.Array(Type.Unsafe<number | null>({ type: ["number", "null"], minimum: 0, maximum: 100_000 }), {
      minItems: 1,
      maxItems: 300,
    }),
  ),
  perUnitAbove: Type.Optional(Strict({ unit: OneOf(["lb", "oz", "kg", "g"]), rates: byZone(Money) })),
  dim: Type.Optional(Dim),
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
    }),
  ),
  transitDays: Type.Optional(byZone(Type.Integer({ minimum: 0, maximum: 60 }))),
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
    }),
  ),
  group: Type.Optional(Code),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
  minBillableWeight: Type.Optional(Weight),
  isFuelApplied: Type.Optional(Type.Boolean()),
  allocationPercent: Type.Optional(Percent),
});
export type Surcharge = Static<typeof Surcharge>;

const Fuel = Strict({
  percent: Type.Optional(Percent),
  table: Type.Optional(Type.Array(Strict({ from: CalendarDate, percent: Percent }), { minItems: 1, maxItems: 500 })),
  discountPercent: Type.Optional(Percent),
  appliesTo: OneOf(["base_list", "base_net", "subtotal"], {
    description:
      "Which amount the percentage applies to: the list price, the price after discount, or that plus surcharges",
  }),
});

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
