import type { CardService, RateCard, Surcharge } from "../carriers/rate-card/card.schemas.ts";

/** A term of contracts, and the same card without it. A feature decides a price if the price is another one without it. */
export type ContractFeature = { name: string; without: (card: RateCard) => RateCard };

const services = (name: string, change: (service: CardService) => Partial<CardService>): ContractFeature => ({
  name,
  without: (card) => ({ ...card, services: card.services.map((one) => ({ ...one, ...change(one) })) }),
});
const surcharges = (name: string, change: (surcharge: Surcharge) => Surcharge[]): ContractFeature => ({
  name,
  without: (card) => ({ ...card, surcharges: card.surcharges?.flatMap(change) }),
});
const zones = (name: string, state: string, prefix: string): ContractFeature => ({
  name,
  without: (card) => ({
    ...card,
    zoneExceptions: card.zoneExceptions?.filter(
      (one) => !(one.destinationStates?.includes(state) || one.destinations?.some((zip) => zip.startsWith(prefix))),
    ),
  }),
});

const cent = (amount: number | null): number | null => (amount === null ? null : Math.round(amount * 100) / 100);
const toCents = (rates: Record<string, (number | null)[]>) =>
  Object.fromEntries(Object.entries(rates).map(([zone, row]) => [zone, row.map(cent)]));
const withoutMinimumReduction = ({ minimum }: CardService): Partial<CardService> =>
  minimum?.zone === undefined ? {} : { minimum: { zone: minimum.zone, weight: minimum.weight } };

type Dim = NonNullable<CardService["dim"]>;
const dim = (name: string, change: (terms: Dim) => Dim): ContractFeature =>
  services(name, (one) => (one.dim ? { dim: change(one.dim) } : {}));

export const contractFeatures: ContractFeature[] = [
  { name: "fuel of a service", without: (card) => ({ ...card, fuelByService: fuelWhere(card, "services") }) },
  { name: "fuel of a mode", without: (card) => ({ ...card, fuelByService: fuelWhere(card, "mode") }) },
  {
    name: "dated fuel",
    without: (card) => ({
      ...card,
      fuel: card.fuel && undated(card.fuel),
      fuelByService: card.fuelByService?.map(undated),
    }),
  },
  dim("divisors by size", ({ tiers: _tiers, ...terms }) => ({
    ...terms,
    dated: terms.dated?.map(({ tiers: _own, ...one }) => one),
  })),
  dim("dated divisors", ({ dated: _dated, ...terms }) => terms),
  dim("volume threshold", ({ thresholdVolume: _threshold, ...terms }) => ({
    ...terms,
    dated: terms.dated?.map(({ thresholdVolume: _own, ...one }) => one),
  })),
  services("cubic", () => ({ cubic: undefined })),
  services("earned discount", (one) => ({ discounts: one.discounts?.filter(({ tiers }) => !tiers) })),
  services("hundredweight", () => ({ hundredweight: undefined })),
  services("deficit weight", ({ hundredweight }) => ({
    hundredweight: hundredweight && { ...hundredweight, isDeficitRated: false },
  })),
  services("multi-piece", () => ({ multiPiece: "each" })),
  services("minimum reduction", withoutMinimumReduction),
  services("zones of a service", () => ({ zoneNames: undefined })),
  services("prices below a cent", (one) => ({
    rates: toCents(one.rates),
    cubic: one.cubic && { ...one.cubic, rates: toCents(one.cubic.rates) },
    hundredweight: one.hundredweight && { ...one.hundredweight, rates: toCents(one.hundredweight.rates) },
  })),
  surcharges("amounts below a cent", (one) => [
    one.amount === undefined ? one : { ...one, amount: Math.round(one.amount * 100) / 100 },
  ]),
  surcharges("peak by date", (one) => [{ ...one, when: one.when && { ...one.when, from: undefined, to: undefined } }]),
  surcharges("peak by volume", (one) => (one.group === "volume" ? [] : [one])),
  surcharges("requires", (one) => (one.when?.requires ? [] : [one])),
  surcharges("requires any of", (one) => (one.when?.requiresAny ? [] : [one])),
  surcharges("charged once per shipment", (one) => [{ ...one, per: "parcel" }]),
  surcharges("surcharge by zone", ({ amountByZone: _amounts, ...one }) => [one]),
  zones("zones of Alaska", "AK", "99"),
  zones("zones of Hawaii", "HI", "967"),
  zones("zones of Puerto Rico", "PR", "006"),
];

type Fuel = NonNullable<RateCard["fuel"]>;
const undated = <Terms extends Fuel>({ table, ...terms }: Terms) =>
  table ? { ...terms, percent: table[0]!.percent } : terms;
/** Without the terms of named services, or of a mode; an empty list means as much as none. */
const fuelWhere = ({ fuelByService }: RateCard, left: "services" | "mode") =>
  fuelByService?.filter((term) => term[left] === undefined);
