import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { modes } from "./service-level.ts";

/** Also safe unescaped in the COPY lines of rate results. */
export const zonePattern = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,9}$";

export const CalendarDate = Type.String({ format: "date", description: "A calendar date, such as 2026-01-31" });
export const Code = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$" });
export const Zone = Type.String({ pattern: zonePattern });
export const Money = Type.Number({ minimum: 0, maximum: 100_000 });
export const Percent = Type.Number({ minimum: 0, maximum: 100 });
export const Inches = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
export const SetName = Type.String({ minLength: 1, maxLength: 100, description: "Id or name of a condition set" });
export const Zones = Type.Array(Zone, { minItems: 1, maxItems: 100 });
export const byZone = <Schema extends Parameters<typeof Type.Record>[1]>(schema: Schema) =>
  Type.Record(Type.String({ minLength: 1, maxLength: 10 }), schema);

/** Up to ten-thousandths of a dollar. Null: no price. */
export const Price = Type.Unsafe<number | null>({ type: ["number", "null"], minimum: 0, maximum: 100_000 });

const Revenue = Type.Number({ minimum: 0, maximum: 1_000_000_000 });

export const Discount = Strict({
  percent: Type.Optional(Percent),
  tiers: Type.Optional(
    Type.Array(Strict({ revenueFrom: Revenue, percent: Percent }), {
      minItems: 1,
      maxItems: 50,
      description:
        "An earned discount: the last tier whose `revenueFrom` is not above `weeklyRevenue` of the card counts; below the first " +
        "there is none",
    }),
  ),
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

const Divisor = Type.Number({
  minimum: 1,
  maximum: 100_000,
  description: "Cubic inches per pound, or cubic cm per kg",
});
const Volume = Type.Number({ minimum: 0, maximum: 1_000_000_000 });

const dimTerms = {
  divisor: Divisor,
  tiers: Type.Optional(
    Type.Array(Strict({ upToVolume: Volume, divisor: Divisor }), {
      minItems: 1,
      maxItems: 20,
      description: "Divisors of smaller parcels: the first `upToVolume` that is not below the volume counts",
    }),
  ),
  thresholdVolume: Type.Optional(
    Type.Number({ minimum: 0, description: "Parcels up to this volume have no dimensional weight" }),
  ),
};

export const Dim = Strict({
  ...dimTerms,
  unit: Type.Optional(OneOf(["in", "cm"])),
  dated: Type.Optional(
    Type.Array(Strict({ from: CalendarDate, ...dimTerms }), {
      minItems: 1,
      maxItems: 100,
      description: "Terms from a day on, in place of divisor, tiers and threshold",
    }),
  ),
  rounding: Type.Optional(
    OneOf(["nearest", "up", "none"], {
      description:
        "Rounding of each side to whole inches or centimeters, for volume, limits and size surcharges. Default `up`, as " +
        "carriers do since August 2025; `nearest` before",
    }),
  ),
});

export const Fuel = Strict({
  percent: Type.Optional(Percent),
  table: Type.Optional(Type.Array(Strict({ from: CalendarDate, percent: Percent }), { minItems: 1, maxItems: 500 })),
  discountPercent: Type.Optional(Percent),
  appliesTo: OneOf(["base_list", "base_net", "subtotal"], {
    description:
      "Which amount the percentage applies to: the list price, the price after discount, or that plus surcharges",
  }),
});

const fuelOfService = {
  services: Type.Optional(Type.Array(Code, { minItems: 1, maxItems: 50 })),
  mode: Type.Optional(OneOf(modes)),
};

/** The fuel of some services; the first entry that names the service or its mode counts, else `fuel` of the card. */
export const ServiceFuel = Strict({ ...fuelOfService, ...Fuel.properties });

const LowerOrAlways = OneOf(["lower", "always"], {
  description: "`lower` (default): only if its base price is lower than the price by weight; `always`: in place of it",
});

export const Cubic = Strict({
  tiers: Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 1_000 }), {
    minItems: 1,
    maxItems: 50,
    description: "Upper limits in cubic feet, ascending. Each side is first rounded down to a quarter of an inch",
  }),
  rates: byZone(Type.Array(Price, { minItems: 1, maxItems: 50 })),
  maxWeight: Type.Optional(Weight),
  maxLength: Type.Optional(Inches),
  use: Type.Optional(LowerOrAlways),
});

export const Hundredweight = Strict({
  unit: Type.Optional(OneOf(["lb", "kg"], { description: "Prices are per hundred of this unit; default lb" })),
  minPieces: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: "Default 2" })),
  weightFrom: Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    minItems: 1,
    maxItems: 20,
    description: "Lower limits of the weight bands, ascending; lighter shipments are priced parcel by parcel",
  }),
  rates: byZone(Type.Array(Price, { minItems: 1, maxItems: 20, description: "Per hundred units, one per band" })),
  minPieceWeight: Type.Optional(Weight),
  discountPercent: Type.Optional(Percent),
  minimum: Type.Optional(Money),
  isDeficitRated: Type.Optional(
    Type.Boolean({ description: "The next band's price for its lowest weight is used if it is lower" }),
  ),
  use: Type.Optional(LowerOrAlways),
});

export const WeeklyRevenue = Type.Array(Strict({ from: CalendarDate, amount: Revenue }), {
  minItems: 1,
  maxItems: 500,
  description: "What the carrier counts as the weekly revenue, from a day on; it decides the tiers of earned discounts",
});

export const WeeklyPieces = Type.Array(Strict({ from: CalendarDate, pieces: Type.Integer({ minimum: 0 }) }), {
  minItems: 1,
  maxItems: 500,
  description: "Parcels per week, from a day on; they decide surcharges with `weeklyPiecesOver` and `weeklyPiecesUpTo`",
});

const zipPattern = "^(\\d{3}|\\d{5})(-(\\d{3}|\\d{5}))?$";
const ZipRanges = Type.Array(Type.String({ pattern: zipPattern }), { minItems: 1, maxItems: 1_000 });

const Countries = Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), {
  minItems: 1,
  maxItems: 260,
  description: "ISO codes, such as DE; US stands for the territories as well. Default: all",
});

export const CountryZone = Strict({
  origins: Type.Optional(Countries),
  destinations: Type.Optional(Countries),
  ...fuelOfService,
  zone: Type.Unsafe<string | null>({ type: ["string", "null"], pattern: zonePattern, description: "null: not served" }),
});

export const ZoneException = Strict({
  destinationStates: Type.Optional(Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), { minItems: 1, maxItems: 60 })),
  destinations: Type.Optional({ ...ZipRanges, description: "ZIPs, ZIP3s or ranges: 99501, 995, 995-997" }),
  origins: Type.Optional({ ...ZipRanges, description: "Default: everywhere" }),
  ...fuelOfService,
  zone: Type.Unsafe<string | null>({ type: ["string", "null"], pattern: zonePattern, description: "null: not served" }),
});
