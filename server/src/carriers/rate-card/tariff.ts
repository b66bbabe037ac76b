import type { SetLookup } from "../../core/conditions.ts";
import type { ZoneChart } from "../zones/zone-chart.ts";
import type { FoundZone, NoZone, Place, ZoneRules } from "../zones/resolve-zone.ts";
import { resolveZone, zoneRules } from "../zones/resolve-zone.ts";
import type { Scenario } from "./apply-scenario.ts";
import { applyScenario } from "./apply-scenario.ts";
import type { RateCard } from "./card.schemas.ts";
import type { CompiledCard, CompiledService } from "./compile-card.ts";
import { compileCard } from "./compile-card.ts";
import type { Refusal, Situation, Trip } from "./price.ts";
import { isRefusal, priceOfBreak, situate, situationKey } from "./price.ts";

export type { Scenario };

/** A compiled card with its zone rules. */
export type Tariff = {
  card: CompiledCard;
  zones: ZoneRules;
  /** Cache by `situationKey`. */
  situations: Map<string, Situation | Refusal>;
};

export function createTariff(card: RateCard, sets: SetLookup, chart?: ZoneChart, scenario: Scenario = {}): Tariff {
  return {
    card: compileCard(applyScenario(card, scenario), sets),
    zones: zoneRules(card.zoneScheme, card.bands, chart),
    situations: new Map(),
  };
}

export function zoneOf(
  tariff: Tariff,
  origin: Place,
  destination: Place,
  service: CompiledService,
  weightMg?: number,
): FoundZone | NoZone {
  return resolveZone(tariff.zones, origin, destination, service, weightMg);
}

// ZIP sets and seasons produce a few hundred situations; beyond this limit they are not cached.
const maxSituations = 5_000;

export function situationOf(tariff: Tariff, service: CompiledService, trip: Trip): Situation | Refusal {
  const key = situationKey(tariff.card, service, trip);
  const known = tariff.situations.get(key);
  if (known) return known;
  const made = situate(tariff.card, service, trip);
  if (tariff.situations.size < maxSituations) tariff.situations.set(key, made);
  return made;
}

/** Index of the heaviest weight break that costs at most `cents`; null if even the lightest costs more. */
export function breakEvenBreak(situation: Situation, cents: number): number | null {
  const { totals, isAscending } = (situation.ladderTotals ??= totalsOf(situation));
  if (!isAscending) {
    const index = totals.findLastIndex((total) => total <= cents);
    return index === -1 ? null : index;
  }
  let [low, high] = [0, totals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (totals[middle]! <= cents) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : low - 1;
}

/** Infinity: no price. */
function totalsOf(situation: Situation): { totals: number[]; isAscending: boolean } {
  const totals = situation.service.breaksMg.map((_, index) => {
    const price = priceOfBreak(situation, index);
    return isRefusal(price) ? Infinity : price.totalCents;
  });
  return { totals, isAscending: totals.every((total, index) => index === 0 || totals[index - 1]! <= total) };
}

/** Total of a parcel at this weight break; Infinity: no price. */
export function totalOfBreak(situation: Situation, index: number): number {
  return (situation.ladderTotals ??= totalsOf(situation)).totals[index]!;
}

export function haveSameTotals(a: Situation, b: Situation): boolean {
  return a === b || a.service.breaksMg.every((_, index) => totalOfBreak(a, index) === totalOfBreak(b, index));
}

/** The weight breaks whose total equals `cents` within the rounding tolerance of carriers, lightest first. */
export function breaksThatCost(situation: Situation, cents: number): number[] {
  const { totals } = (situation.ladderTotals ??= totalsOf(situation));
  const tolerance = Math.max(2, Math.round(cents * 0.002));
  return totals.flatMap((total, index) => (Math.abs(total - cents) <= tolerance ? [index] : []));
}

/** The weight breaks just below and just above this price; undefined if it does not lie between two of them. */
export function breaksAround(situation: Situation, cents: number): [below: number, above: number] | undefined {
  const { totals } = (situation.ladderTotals ??= totalsOf(situation));
  const above = totals.findIndex((total) => total > cents && total < Infinity);
  const below = totals.findLastIndex((total) => total <= cents);
  return above <= 0 || below === -1 || below > above ? undefined : [below, above];
}
