import { shareOf, toPpm } from "../../core/money.ts";
import type { CardService, RateCard, Surcharge } from "./card.schemas.ts";
import { toFine } from "./fine-money.ts";

/** Other terms of a card, to see what they would cost. */
export type Scenario = {
  fuelPercent?: number;
  extraDiscountPercent?: number;
  dimDivisor?: number;
  /** A general increase of all list prices; negative: a decrease. */
  increasePercent?: number;
  /** Increase of single surcharges, by code; -100: free. */
  surchargePercents?: Record<string, number>;
  /** Added to the minimum of each service that has one. */
  minimumChange?: number;
};

/** The card with the terms of a what-if scenario. */
export function applyScenario(card: RateCard, scenario: Scenario): RateCard {
  const { fuelPercent } = scenario;
  // Another fuel percentage keeps the agreed `appliesTo` and discount.
  const { table: _table, ...agreed } = card.fuel ?? { appliesTo: "base_net" as const };
  const fuel = fuelPercent === undefined ? card.fuel : { ...agreed, percent: fuelPercent };
  const fuelByService = card.fuelByService?.map((term) => {
    if (fuelPercent === undefined) return term;
    const { table: _dated, ...kept } = term;
    return { ...kept, percent: fuelPercent };
  });
  const { surchargePercents } = scenario;
  return {
    ...card,
    services: card.services.map((service) => changeService(service, scenario)),
    ...(surchargePercents && card.surcharges && { surcharges: raiseSurcharges(card.surcharges, surchargePercents) }),
    ...(fuel === undefined ? {} : { fuel }),
    ...(fuelByService && { fuelByService }),
  };
}

function changeService(service: CardService, scenario: Scenario): CardService {
  const { extraDiscountPercent, dimDivisor, increasePercent, minimumChange } = scenario;
  return {
    ...service,
    ...(increasePercent === undefined ? {} : raisePrices(service, increasePercent)),
    ...(extraDiscountPercent === undefined
      ? {}
      : {
          discounts: [...(service.discounts ?? []), { percent: extraDiscountPercent, stacking: "add" as const }],
        }),
    // A divisor in cubic inches per pound does not apply to services in centimeters, or without dimensional weight.
    ...(dimDivisor === undefined || !service.dim || service.dim.unit === "cm"
      ? {}
      : { dim: { ...withoutTiers(service.dim), divisor: dimDivisor } }),
    ...(minimumChange === undefined || !service.minimum
      ? {}
      : { minimum: changeMinimum(service.minimum, minimumChange) }),
  };
}

function withoutTiers({ tiers: _tiers, dated: _dated, ...dim }: NonNullable<CardService["dim"]>) {
  return dim;
}

/** Rounded to four decimals, half up, as prices of a card are. */
function raise(amount: number, percent: number): number {
  return shareOf(toFine(amount), 1_000_000 + toPpm(percent)) / 10_000;
}

function raisePrices(service: CardService, percent: number): Partial<CardService> {
  const { rates, perUnitAbove, cubic, hundredweight } = service;
  const raised = (prices: (number | null)[]) => prices.map((price) => (price === null ? null : raise(price, percent)));
  return {
    rates: mapZones(rates, raised),
    ...(perUnitAbove && {
      perUnitAbove: { ...perUnitAbove, rates: mapZones(perUnitAbove.rates, (amount) => raise(amount, percent)) },
    }),
    ...(cubic && { cubic: { ...cubic, rates: mapZones(cubic.rates, raised) } }),
    ...(hundredweight && { hundredweight: { ...hundredweight, rates: mapZones(hundredweight.rates, raised) } }),
  };
}

function mapZones<T>(byZone: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(byZone).map(([zone, value]) => [zone, map(value)]));
}

/** A minimum by zone and weight follows the list price, so the change is taken from its reduction. */
function changeMinimum(minimum: NonNullable<CardService["minimum"]>, change: number) {
  if (minimum.amount === undefined) return { ...minimum, reduction: (minimum.reduction ?? 0) - change };
  return { ...minimum, amount: Math.max(0, minimum.amount + change) };
}

function raiseSurcharges(surcharges: Surcharge[], percents: Record<string, number>): Surcharge[] {
  return surcharges.map((surcharge) => {
    if (!Object.hasOwn(percents, surcharge.code)) return surcharge;
    const by = percents[surcharge.code]!;
    const { amount, percent, amountByZone } = surcharge;
    return {
      ...surcharge,
      ...(amount === undefined ? {} : { amount: raise(amount, by) }),
      ...(percent === undefined ? {} : { percent: raise(percent, by) }),
      ...(amountByZone && { amountByZone: mapZones(amountByZone, (one) => raise(one, by)) }),
    };
  });
}
