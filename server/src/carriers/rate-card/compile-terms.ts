import { prefixesOfState } from "../../core/zip-states.ts";
import { toCents, toPpm } from "../../core/money.ts";
import type { ChartRow, CountryZones, ZoneChart } from "../zones/zone-chart.ts";
import { compileChart } from "../zones/zone-chart.ts";
import type { CardService, RateCard } from "./card.schemas.ts";
import { toFine } from "./fine-money.ts";
import { mgPer, toMg } from "./measures.ts";
import { modeOf } from "./service-level.ts";

/** Prices by zone, in hundredths of a cent; NaN: no price. */
export function compileCells(rates: Record<string, (number | null)[]>): Map<string, number[]> {
  const toCell = (price: number | null): number => (price === null ? Number.NaN : toFine(price));
  return new Map(Object.entries(rates).map(([zone, row]) => [zone, row.map(toCell)]));
}

/** The row in effect on a day: the last one that does not start later, else the first. Rows ascend by `from`. */
export function rowOn<Row extends { from: string }>(rows: readonly Row[], day: string): Row {
  let [low, high] = [1, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.from <= day) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1]!;
}

/** Services that a term is for: those it names, those of its mode, or all. */
function isFor(term: { services?: string[]; mode?: "ground" | "air" }, { code, level }: CardService): boolean {
  if (term.services && !term.services.includes(code)) return false;
  return term.mode === undefined || term.mode === modeOf(level);
}

export type CompiledFuel = {
  appliesTo: "base_list" | "base_net" | "subtotal";
  table: { from: string; ppm: number }[];
  /** Share that remains after the fuel discount. */
  keptPpm: number;
};

export function compileFuel(card: RateCard, service: CardService): CompiledFuel | undefined {
  const fuel = card.fuelByService?.find((term) => isFor(term, service)) ?? card.fuel;
  if (!fuel) return undefined;
  const rows = fuel.table ?? [{ from: "", percent: fuel.percent ?? 0 }];
  return {
    appliesTo: fuel.appliesTo,
    table: rows.map(({ from, percent }) => ({ from, ppm: toPpm(percent) })),
    keptPpm: 1_000_000 - toPpm(fuel.discountPercent ?? 0),
  };
}

export type CompiledDim = ReturnType<typeof compileDims>[number];

/** The terms of dimensional weight in the order of their days; empty: there is none. */
export function compileDims(dim: CardService["dim"]) {
  if (!dim) return [];
  const { unit, dated = [] } = dim;
  return [{ ...dim, from: "" }, ...dated].map(({ from, divisor, tiers = [], thresholdVolume = 0 }, index) => ({
    index,
    from,
    unitMg: mgPer(unit === "cm" ? "kg" : "lb"),
    /** Cubic units per cubic inch. */
    perCubicInch: unit === "cm" ? 2.54 ** 3 : 1,
    threshold: thresholdVolume,
    tiers: [...tiers.map(({ upToVolume, divisor: own }) => ({ upTo: upToVolume, divisor: own })), lastTier(divisor)],
  }));
}

function lastTier(divisor: number): { upTo: number; divisor: number } {
  return { upTo: Infinity, divisor };
}

export type CompiledCubic = ReturnType<typeof compileCubic>;

export function compileCubic({ tiers, rates, maxWeight, maxLength, use }: NonNullable<CardService["cubic"]>) {
  return {
    tiers,
    cells: compileCells(rates),
    maxMg: maxWeight ? toMg(maxWeight) : Infinity,
    maxLength: maxLength ?? Infinity,
    isAlways: use === "always",
  };
}

export type CompiledHundredweight = ReturnType<typeof compileHundredweight>;

export function compileHundredweight(terms: NonNullable<CardService["hundredweight"]>) {
  return {
    unitMg: mgPer(terms.unit ?? "lb"),
    unit: terms.unit ?? ("lb" as const),
    minPieces: terms.minPieces ?? 2,
    from: terms.weightFrom,
    cells: compileCells(terms.rates),
    minPieceMg: terms.minPieceWeight ? toMg(terms.minPieceWeight) : 0,
    discountPpm: toPpm(terms.discountPercent ?? 0),
    minimumCents: toCents(terms.minimum ?? 0),
    isDeficitRated: terms.isDeficitRated ?? false,
    isAlways: terms.use === "always",
  };
}

export type CompiledDiscount = ReturnType<typeof compileDiscount>;

export function compileDiscount(discount: NonNullable<CardService["discounts"]>[number]) {
  return {
    ppm: toPpm(discount.percent ?? 0),
    tiers: discount.tiers?.map(({ revenueFrom, percent }) => ({ from: revenueFrom, ppm: toPpm(percent) })),
    cents: toCents(discount.amount ?? 0),
    zones: discount.zones && new Set(discount.zones),
    fromMg: discount.weightFrom ? toMg(discount.weightFrom) : 0,
    toMg: discount.weightTo ? toMg(discount.weightTo) : Infinity,
    isAdded: discount.stacking === "add",
  };
}

/** The discount at a weekly revenue, with the percentage of its tier. */
export function discountAt(discount: CompiledDiscount, revenue: number): CompiledDiscount {
  if (!discount.tiers) return discount;
  const tier = discount.tiers.findLast(({ from }) => from <= revenue);
  return { ...discount, ppm: tier?.ppm ?? 0 };
}

/** Zones of a service by countries; undefined: the card has prices within the United States only. */
export function compileCountryZones(card: RateCard, service: CardService): CountryZones | undefined {
  return card.countryZones
    ?.filter((one) => isFor(one, service))
    .map(({ origins, destinations, zone }) => ({
      origins: origins && new Set(origins),
      destinations: destinations && new Set(destinations),
      zone,
    }));
}

const everywhere = "000-999";

/** The zone exceptions of a service as a chart; undefined: it has none. */
export function compileExceptions(card: RateCard, service: CardService): ZoneChart | undefined {
  const rows: ChartRow[] = [];
  for (const exception of card.zoneExceptions ?? []) {
    if (!isFor(exception, service)) continue;
    const { destinations = [], destinationStates = [], origins = [everywhere], zone } = exception;
    const places = [...destinations, ...destinationStates.flatMap(prefixesOfState)];
    for (const origin of origins) for (const destination of places) rows.push({ origin, destination, zone });
  }
  return rows.length === 0 ? undefined : compileChart(rows);
}
