import type { SetLookup } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import type { CardService, RateCard, Surcharge } from "./card.schemas.ts";
import { shareOf, toCents, toPpm } from "../../core/money.ts";
import {
  compileCells,
  compileCountryZones,
  compileCubic,
  compileDims,
  compileDiscount,
  compileExceptions,
  compileFuel,
  compileHundredweight,
} from "./compile-terms.ts";
import { fineToCents, toFine } from "./fine-money.ts";
import { mgPer, toMg } from "./measures.ts";
import type { ServiceFallback, ServiceLevel } from "./service-level.ts";
import { foldService, levelOfService, levelsToTry } from "./service-level.ts";

type Member = (value: string) => boolean;

export type CompiledService = ReturnType<typeof compileService>;
export type CompiledSurcharge = ReturnType<typeof compileSurcharge>;

export type CompiledCard = {
  card: RateCard;
  currency: string;
  services: CompiledService[];
  surcharges: CompiledSurcharge[];
  byAlias: Map<string, CompiledService>;
  byLevel: Map<ServiceLevel, CompiledService>;
};

/** The condition sets a card refers to; they must be loaded before it is compiled. */
export function setsOfCard(card: RateCard): string[] {
  const found = [
    ...card.services.map((service) => service.limits?.destinationSet),
    ...(card.surcharges ?? []).flatMap(({ when }) => [when?.destinationSet, when?.originSet]),
  ];
  return [...new Set(found.filter((name) => name !== undefined))];
}

/** Precomputes everything that does not depend on the parcel. The card must have passed `checkCard`. */
export function compileCard(card: RateCard, sets: SetLookup): CompiledCard {
  const services = card.services.map((service, index) => compileService(card, service, index, sets));
  const byAlias = new Map<string, CompiledService>();
  const byLevel = new Map<ServiceLevel, CompiledService>();
  for (const service of services) {
    for (const key of service.names) if (!byAlias.has(key)) byAlias.set(key, service);
    if (!byLevel.has(service.level)) byLevel.set(service.level, service);
  }
  return {
    card,
    currency: card.currency ?? "USD",
    services,
    surcharges: (card.surcharges ?? []).map((surcharge, index) => compileSurcharge(surcharge, index, sets)),
    byAlias,
    byLevel,
  };
}

/** Condition sets that a card names but that do not exist. */
export function missingSets(card: RateCard, sets: SetLookup, pointer = ""): FieldError[] {
  const errors: FieldError[] = [];
  const check = (name: string | undefined, at: string): void => {
    if (name !== undefined && !sets(name))
      errors.push({
        pointer: pointer + at,
        code: "condition_set_not_found",
        message: `Condition set ${name} not found.`,
      });
  };
  for (const [index, { limits }] of card.services.entries())
    check(limits?.destinationSet, `/services/${index}/limits/destinationSet`);
  for (const [index, { when }] of (card.surcharges ?? []).entries()) {
    check(when?.destinationSet, `/surcharges/${index}/when/destinationSet`);
    check(when?.originSet, `/surcharges/${index}/when/originSet`);
  }
  return errors;
}

export type ServiceMatch = { service: CompiledService; level: ServiceLevel; isSubstitute: boolean };

/**
 * The service of the card that corresponds to a service of another carrier: by name, by level, or by what the fallback
 * allows. A name that conventionally means another level, such as Priority, is matched by that level only.
 */
export function matchService(
  compiled: CompiledCard,
  serviceType: string,
  fallback: ServiceFallback,
): ServiceMatch | undefined {
  const named = compiled.byAlias.get(foldService(serviceType));
  const level = levelOfService(serviceType);
  if (named && (level === undefined || named.level === level))
    return { service: named, level: named.level, isSubstitute: false };
  if (level === undefined) return undefined;
  for (const candidate of levelsToTry(level, fallback)) {
    const service = compiled.byLevel.get(candidate);
    if (service) return { service, level, isSubstitute: candidate !== level };
  }
  return undefined;
}

/** The service a caller names explicitly: by its code, an alias, or a name for its level. */
export function findService(compiled: CompiledCard, name: string): ServiceMatch | undefined {
  const named = compiled.services.find(({ code }) => code === name) ?? compiled.byAlias.get(foldService(name));
  if (!named) return matchService(compiled, name, "none");
  return { service: named, level: named.level, isSubstitute: false };
}

function compileService(card: RateCard, service: CardService, index: number, sets: SetLookup) {
  const isFlat = service.weightBreaks[0]!.upTo === null;
  // Upper limits. A single Infinity: the price does not depend on the weight.
  const breaksMg = service.weightBreaks.map(({ upTo, unit }) =>
    upTo === null ? Infinity : toMg({ value: upTo, unit: unit ?? "lb" }),
  );
  // Hundredths of a cent per weight break, by zone; NaN: no price.
  const cells = compileCells(service.rates);
  const discounts = (service.discounts ?? []).map(compileDiscount);
  const { limits = {}, dim, perUnitAbove } = service;
  return {
    index,
    code: service.code,
    name: service.name ?? service.code,
    level: service.level,
    /** Folded. */
    names: new Set([service.code, service.name ?? service.code, ...(service.aliases ?? [])].map(foldService)),
    breaksMg,
    breakUnit: service.weightBreaks.at(-1)!.unit ?? "lb",
    isFlat,
    cells,
    above: perUnitAbove && {
      stepMg: mgPer(perUnitAbove.unit),
      fine: new Map(Object.entries(perUnitAbove.rates).map(([zone, amount]) => [zone, toFine(amount)])),
    },
    dims: compileDims(dim),
    cubic: service.cubic && compileCubic(service.cubic),
    hundredweight: service.hundredweight && compileHundredweight(service.hundredweight),
    isRatedByTotal: service.multiPiece === "total",
    fuel: compileFuel(card, service),
    /** Zones that the card itself assigns to places, and names of the zones that are found by distance. */
    ownZones: compileExceptions(card, service),
    countryZones: compileCountryZones(card, service),
    zoneNames: service.zoneNames && new Map(Object.entries(service.zoneNames)),
    /** How sides are rounded, for volume, limits and surcharges alike. */
    sides: { rounding: dim?.rounding ?? ("up" as const), unit: dim?.unit ?? ("in" as const) },
    maxMg: limits.maxWeight ? toMg(limits.maxWeight) : Infinity,
    maxLength: limits.maxLength ?? Infinity,
    maxLengthPlusGirth: limits.maxLengthPlusGirth ?? Infinity,
    serves: memberOf(limits.destinationSet, sets),
    discounts,
    /** Some discount depends on the weekly revenue. */
    isEarned: discounts.some(({ tiers }) => tiers !== undefined),
    minimumCents: minimumOf(service, breaksMg, cells),
    transitDays: service.transitDays ?? {},
    isGuaranteed: service.isGuaranteed ?? false,
  };
}

function minimumOf({ minimum }: CardService, breaksMg: number[], cells: Map<string, number[]>): number {
  if (!minimum) return 0;
  if (minimum.amount !== undefined) return toCents(minimum.amount);
  const mg = toMg(minimum.weight!);
  const cell = cells.get(minimum.zone!)?.[breaksMg.findIndex((upTo) => mg <= upTo)] ?? Number.NaN;
  const list = Number.isNaN(cell) ? 0 : fineToCents(cell);
  return Math.max(0, list - shareOf(list, toPpm(minimum.reductionPercent ?? 0)) - toCents(minimum.reduction ?? 0));
}

function compileSurcharge(surcharge: Surcharge, index: number, sets: SetLookup) {
  const when = surcharge.when ?? {};
  const bySides = [when.longestSideOver, when.secondLongestSideOver, when.lengthPlusGirthOver, when.volumeOver];
  return {
    index,
    code: surcharge.code,
    label: surcharge.label ?? surcharge.code,
    kind: surcharge.kind,
    fine: toFine(surcharge.amount ?? 0),
    fineByZone:
      surcharge.amountByZone &&
      new Map(Object.entries(surcharge.amountByZone).map(([zone, amount]) => [zone, toFine(amount)])),
    ppm: toPpm(surcharge.percent ?? 0),
    unitMg: mgPer(surcharge.weightUnit ?? "lb"),
    /** Share that remains after the surcharge's discount. */
    keptPpm: 1_000_000 - toPpm(surcharge.discountPercent ?? 0),
    residential: when.residential,
    destination: memberOf(when.destinationSet, sets),
    origin: memberOf(when.originSet, sets),
    states: setOf(when.destinationStates),
    zones: setOf(when.zones),
    services: setOf(when.services),
    weightOverMg: when.weightOver ? toMg(when.weightOver) : -1,
    longestSideOver: when.longestSideOver ?? -1,
    secondLongestSideOver: when.secondLongestSideOver ?? -1,
    lengthPlusGirthOver: when.lengthPlusGirthOver ?? -1,
    volumeOver: when.volumeOver ?? -1,
    /** Depends on the weight or size of the parcel. */
    isByParcel: [when.weightOver, ...bySides].some((over) => over !== undefined),
    isBySides: bySides.some((over) => over !== undefined),
    from: when.from ?? "",
    to: when.to ?? "9999-12-31",
    /** Applies only together with one of these. */
    requires: when.requiresAny ?? (when.requires === undefined ? undefined : [when.requires]),
    piecesOver: when.weeklyPiecesOver ?? -1,
    piecesUpTo: when.weeklyPiecesUpTo ?? Infinity,
    isPerShipment: surcharge.per === "shipment",
    group: surcharge.group,
    priority: surcharge.priority ?? 0,
    minBillableMg: surcharge.minBillableWeight ? toMg(surcharge.minBillableWeight) : 0,
    isFuelApplied: surcharge.isFuelApplied ?? true,
    allocationPpm: surcharge.allocationPercent === undefined ? undefined : toPpm(surcharge.allocationPercent),
  };
}

/** The set may contain ZIPs, ZIP3 prefixes or states. */
function memberOf(name: string | undefined, sets: SetLookup): Member | undefined {
  return name === undefined ? undefined : (sets(name) ?? (() => false));
}

function setOf(values: string[] | undefined): Set<string> | undefined {
  return values && new Set(values);
}
