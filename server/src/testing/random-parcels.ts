import { randomIntegers } from "../core/seeded-random.ts";
import type { RateCard, Surcharge } from "../carriers/rate-card/card.schemas.ts";
import type { ItemRequest } from "../features/rate-comparisons/rate-items.schemas.ts";

export type Random = { below(limit: number): number; pick<T>(list: readonly T[]): T; chance(share: number): boolean };

/** Deterministic by seed, with finer probabilities than `seededRandom`. */
export function createRandom(seed: number): Random {
  const integer = randomIntegers(seed);
  const next = (): number => integer() / 2 ** 32;
  return {
    below: (limit) => Math.floor(next() * limit),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    chance: (share) => next() < share,
  };
}

const services = ["UPS Ground", "FEDEX_2_DAY", "SurePost", "Priority Mail", "Next Day Air", "carrier pigeon", "GROUND"];
const origins = ["07114", "60601", "90001", "30301", "98101", "75201"];
const places =
  "10001 10002 02134 33101 60614 75201 80202 90210 94105 98101 99501 96813 00901 09012 96910 96940 2134 30303".split(
    " ",
  );

export function randomItems(random: Random, count: number): ItemRequest[] {
  return Array.from({ length: count }, (_, index): ItemRequest => {
    const unit = random.pick(["lb", "lb", "oz", "kg", "g"] as const);
    const scale = { lb: 6000, oz: 9000, kg: 2500, g: 2_000_000 }[unit];
    const inches = (): number => (1 + random.below(5000)) / 100;
    return {
      trackingNumber: `T${index}`,
      netCost: random.below(6000) / 100,
      serviceType: random.pick(services),
      originZip: random.pick(origins),
      destinationZip: random.chance(0.3) ? random.pick(places) : String(501 + random.below(99_400)).padStart(5, "0"),
      weight: { value: random.chance(0.3) ? 1 + random.below(60) : random.below(scale) / 100, unit },
      ...(random.chance(0.5)
        ? {
            dimensions: {
              length: inches(),
              width: inches(),
              height: inches(),
              unit: random.pick(["in", "cm"] as const),
            },
          }
        : {}),
      ...(random.chance(0.6) ? { residential: random.chance(0.5) } : {}),
      ...(random.chance(0.5) ? { shipDate: `2026-0${1 + random.below(6)}-${10 + random.below(18)}` } : {}),
    };
  });
}

/** A rate card with every feature. Covers all weights, so that few items have no price. */
export function randomCard(random: Random): RateCard {
  const money = (limit: number): number => random.below(limit) / 100;
  const percent = (): number => random.below(4000) / 100;
  const zones = ["2", "3", "4", "5", "6", "7", "8", "44"];
  const makeService = (code: string, level: RateCard["services"][number]["level"]): RateCard["services"][number] => {
    const breaks = [
      { upTo: 4, unit: "oz" as const },
      { upTo: 12, unit: "oz" as const },
      ...Array.from({ length: 40 }, (_, index) => ({ upTo: index + 1, unit: "lb" as const })),
    ];
    return {
      code,
      level,
      weightBreaks: breaks,
      rates: Object.fromEntries(
        zones.map((zone) => {
          let price = 500 + random.below(500);
          return [zone, breaks.map(() => (random.chance(0.01) ? null : (price += random.below(150)) / 100))];
        }),
      ),
      perUnitAbove: { unit: "lb", rates: Object.fromEntries(zones.map((zone) => [zone, money(100)])) },
      dim: {
        divisor: random.pick([139, 166, 194]),
        rounding: random.pick(["nearest", "up", "none"] as const),
        ...(random.chance(0.5) ? { thresholdVolume: 1728 } : {}),
      },
      limits: { maxWeight: { value: 150, unit: "lb" }, maxLength: 48, maxLengthPlusGirth: 165 },
      discounts: [
        { percent: percent() },
        {
          percent: percent(),
          zones: ["5", "6"],
          weightFrom: { value: 5, unit: "lb" },
          weightTo: { value: 20, unit: "lb" },
        },
        { amount: money(200), zones: ["8"], stacking: "add" },
        { percent: 3.25, stacking: "add" },
      ],
      minimum: random.chance(0.5)
        ? { amount: 7 + money(300) }
        : { zone: "2", weight: { value: 1, unit: "lb" }, reduction: money(200) },
    };
  };
  const surcharges: Surcharge[] = [
    {
      code: "home",
      kind: "fixed",
      amount: money(700),
      when: { residential: true },
      allocationPercent: percent(),
      discountPercent: percent(),
    },
    {
      code: "west",
      kind: "fixed",
      amount: money(500),
      when: { destinationStates: ["CA", "WA", "OR"], zones: ["7", "8"] },
      isFuelApplied: false,
    },
    {
      code: "big",
      kind: "fixed",
      amount: money(5000),
      when: { longestSideOver: 30 },
      group: "handling",
      priority: 1,
      minBillableWeight: { value: 12, unit: "lb" },
    },
    {
      code: "heavy",
      kind: "fixed",
      amount: money(3000),
      when: { weightOver: { value: 30, unit: "lb" } },
      group: "handling",
      priority: 2,
    },
    {
      code: "spring",
      kind: "percent",
      percent: percent(),
      when: { from: "2026-03-01", to: "2026-04-30", services: ["GROUND"] },
    },
    { code: "big_spring", kind: "fixed", amount: money(900), when: { requires: "big", from: "2026-03-01" } },
    {
      code: "pounds",
      kind: "per_weight",
      amount: money(20),
      weightUnit: "lb",
      amountByZone: { "8": money(40) },
      when: { volumeOver: 2000 },
    },
    {
      code: "constructor",
      kind: "fixed",
      amount: money(400),
      when: { secondLongestSideOver: 20, lengthPlusGirthOver: 60 },
    },
  ];
  const table = [
    { from: "2026-01-01", percent: percent() },
    { from: "2026-03-10", percent: percent() },
    { from: "2026-05-01", percent: percent() },
  ];
  return {
    name: "Random",
    effectiveFrom: "2020-01-01",
    zoneScheme: "ups",
    services: [makeService("GROUND", "ground"), makeService("QUICK", "two_day")],
    surcharges,
    fuel: {
      appliesTo: random.pick(["base_list", "base_net", "subtotal"] as const),
      ...(random.chance(0.5) ? { percent: percent() } : { table }),
      ...(random.chance(0.3) ? { discountPercent: percent() } : {}),
    },
  };
}
