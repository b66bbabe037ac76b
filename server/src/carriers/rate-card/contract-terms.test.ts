import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dimensions, Weight } from "../../core/weight.ts";
import type { RateCard } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";
import { countUnits, mgPer, toMg, toSides } from "./measures.ts";
import type { Price } from "./price.ts";
import { priceParcel } from "./price.ts";
import type { Scenario } from "./tariff.ts";
import { createTariff, situationOf } from "./tariff.ts";

type Service = RateCard["services"][number];

/** Ten for a pound, twelve for five, fifteen for ten, and a dollar for each pound above. */
const ground: Service = {
  code: "GROUND",
  level: "ground",
  weightBreaks: [{ upTo: 1 }, { upTo: 5 }, { upTo: 10 }],
  rates: { "2": [10, 12, 15] },
  perUnitAbove: { unit: "lb", rates: { "2": 1 } },
};

function aCard(service: Partial<Service> = {}, card: Partial<RateCard> = {}): RateCard {
  return {
    name: "Terms",
    effectiveFrom: "2026-01-01",
    zoneScheme: "ups",
    services: [{ ...ground, ...service }],
    ...card,
  };
}

function price(card: RateCard, weight: Weight, size?: Dimensions, scenario: Scenario = {}): Price {
  expect(checkCard(card)).toEqual([]);
  const tariff = createTariff(card, () => undefined, undefined, scenario);
  const trip = { zone: "2", residential: false, shipDate: "2026-03-01" };
  const situation = situationOf(tariff, tariff.card.services[0]!, trip);
  if ("reason" in situation) throw new Error(situation.message);
  const found = priceParcel(situation, { weightMg: toMg(weight), sides: size && toSides(size) });
  if ("reason" in found) throw new Error(found.message);
  return found;
}

const cents = (...asked: Parameters<typeof price>): number => price(...asked).totalCents;
const lb = (value: number): Weight => ({ value, unit: "lb" });
const inches = (length: number, width: number, height: number): Dimensions => ({ length, width, height, unit: "in" });

describe("scenarios", () => {
  const box = inches(20, 20, 20);

  test("D3: another divisor in cubic inches leaves services alone that measure in centimetres, or only weigh", () => {
    const metric = aCard({ dim: { divisor: 5000, unit: "cm" } });
    expect(cents(metric, lb(1), box, { dimDivisor: 139 })).toBe(cents(metric, lb(1), box));
    expect(cents(aCard(), lb(1), box, { dimDivisor: 139 })).toBe(1000);
    // 8000 / 139 = 57.6, so 15.00 for ten pounds and 48 more; 8000 / 250 = 32.
    const imperial = aCard({ dim: { divisor: 139 } });
    expect([cents(imperial, lb(1), box), cents(imperial, lb(1), box, { dimDivisor: 250 })]).toEqual([6300, 3700]);
  });

  test("D13: another fuel keeps its base and its discount", () => {
    const card = aCard(
      { discounts: [{ percent: 20 }] },
      { fuel: { percent: 18, discountPercent: 25, appliesTo: "base_list" } },
    );
    // 25 % off 18 % of 10.00; 25 % off 20 % of it.
    expect([cents(card, lb(1)), cents(card, lb(1), undefined, { fuelPercent: 20 })]).toEqual([935, 950]);
    const table = [{ from: "2026-01-01", percent: 18 }];
    const dated = aCard({}, { fuel: { table, discountPercent: 50, appliesTo: "base_net" } });
    expect(cents(dated, lb(1), undefined, { fuelPercent: 10 })).toBe(1050);
  });
});

describe("size", () => {
  const handling = (when: object): RateCard["surcharges"] => [{ code: "handling", kind: "fixed", amount: 30, when }];

  test("D8: a parcel is as large for surcharges and limits as it is for its volume", () => {
    const card = (dim: Partial<NonNullable<Service["dim"]>>) =>
      aCard({ dim: { divisor: 100_000, ...dim } }, { surcharges: handling({ lengthPlusGirthOver: 105 }) });
    // 47.2 + 2 x (14.2 + 14.2) = 104; rounded up it is 48 + 2 x (15 + 15) = 108.
    const long = inches(47.2, 14.2, 14.2);
    expect(cents(card({ rounding: "up" }), lb(1), long)).toBe(4000);
    expect(cents(card({ rounding: "nearest" }), lb(1), long)).toBe(1000);
    expect(cents(card({ rounding: "none" }), lb(1), long)).toBe(1000);
    const wide = aCard({ dim: { divisor: 100_000, rounding: "up" } }, { surcharges: handling({ volumeOver: 3375 }) });
    expect([cents(wide, lb(1), inches(15, 15, 15)), cents(wide, lb(1), inches(15, 15, 15.01))]).toEqual([1000, 4000]);
    const limited = aCard({ limits: { maxLengthPlusGirth: 107 } });
    expect(() => cents(limited, lb(1), long)).toThrow("length plus girth");
  });

  test("D8: without another word every fraction of an inch is a whole one", () => {
    // 11 x 11 x 11 / 139 = 9.6; to the nearest inch it were 10 x 10 x 10 / 139 = 7.2, the same row, so 12.01 of them.
    const card = aCard({ dim: { divisor: 139 } }, { surcharges: handling({ volumeOver: 1330 }) });
    expect(cents(card, lb(1), inches(10.1, 10.1, 10.1))).toBe(4500);
  });

  test("D8: what measures in centimetres rounds centimetres", () => {
    const card = aCard({ dim: { divisor: 5000, unit: "cm", rounding: "up" } });
    // 30.1 x 30.1 x 20 cm is 31 x 31 x 20 / 5000 = 3.844 kg, which is 8.47 lb.
    const found = price(card, lb(1), { length: 30.1, width: 30.1, height: 20, unit: "cm" });
    expect(found.dimMg).toBe(3_844_000);
  });
});

describe("weight", () => {
  const units = ["lb", "oz", "kg", "g"] as const;

  test("D9: a whole number of units begins no further one, and a little more does", () => {
    fc.assert(
      fc.property(fc.constantFrom(...units), fc.integer({ min: 0, max: 5000 }), (unit, count) => {
        expect(countUnits(toMg({ value: count, unit }), mgPer(unit))).toBe(count);
        expect(countUnits(toMg({ value: count, unit }) + 3, mgPer(unit))).toBe(count + 1);
      }),
      { numRuns: 2000 },
    );
    // The same weight written in another unit.
    for (let pounds = 1; pounds <= 150; pounds++) {
      expect(countUnits(toMg({ value: pounds * 16, unit: "oz" }), mgPer("lb"))).toBe(pounds);
      expect(countUnits(toMg(lb(pounds)), mgPer("oz"))).toBe(pounds * 16);
    }
  });

  test("D9: pounds above the last row are counted from there", () => {
    for (let pounds = 11; pounds <= 150; pounds++) expect(cents(aCard(), lb(pounds))).toBe(1500 + 100 * (pounds - 10));
  });

  test("D10: a surcharge by weight counts the pounds of the parcel, not those of its row", () => {
    const card = aCard({}, { surcharges: [{ code: "each", kind: "per_weight", amount: 0.3, weightUnit: "lb" }] });
    // 2.4 lb is charged in the row up to five: three begun pounds all the same.
    expect(price(card, lb(2.4)).lines).toMatchObject([
      { code: "base", cents: 1200 },
      { code: "each", cents: 90, quantity: 3 },
    ]);
    const large = { ...card, services: [{ ...ground, dim: { divisor: 139 } }] };
    // 12 x 12 x 8 / 139 = 8.3 lb.
    expect(price(large, lb(2.4), inches(12, 12, 8)).lines).toMatchObject([{ cents: 1500 }, { quantity: 9 }]);
  });
});

/** A decimal percentage as a fraction of whole numbers. */
function fraction(percent: number): [above: bigint, below: bigint] {
  return [BigInt(Math.round(percent * 100)), 10_000n];
}

/** Half up, of exact fractions. */
function exactly(amount: bigint, ...shares: [bigint, bigint][]): number {
  const above = shares.reduce((product, [share]) => product * share, amount);
  const below = shares.reduce((product, [, whole]) => product * whole, 1n);
  return Number((2n * above + below) / (2n * below));
}

describe("shares of shares", () => {
  const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);
  const base = fc.integer({ min: 1, max: 9_999_999 });

  test("D11: a fuel with a discount is rounded once, to the cent", () => {
    fc.assert(
      fc.property(base, percent, percent, (list, fuel, off) => {
        const card = aCard(
          { weightBreaks: [{ upTo: 1 }], rates: { "2": [list / 100] } },
          { fuel: { percent: fuel, discountPercent: off, appliesTo: "base_net" } },
        );
        expect(cents(card, lb(1)) - list).toBe(exactly(BigInt(list), fraction(fuel), fraction(100 - off)));
      }),
      { numRuns: 500 },
    );
    const card = aCard(
      { weightBreaks: [{ upTo: 1 }], rates: { "2": [53_191.49] } },
      { fuel: { percent: 18.75, discountPercent: 33.33, appliesTo: "base_net" } },
    );
    expect(cents(card, lb(1)) - 5_319_149).toBe(exactly(5_319_149n, fraction(18.75), fraction(66.67)));
  });

  test("D11: so is a percentage less its discount of which only a share is expected", () => {
    fc.assert(
      fc.property(base, percent, percent, percent, (list, share, off, expected) => {
        const card = aCard(
          { weightBreaks: [{ upTo: 1 }], rates: { "2": [list / 100] } },
          {
            surcharges: [
              {
                code: "home",
                kind: "percent",
                percent: share,
                discountPercent: off,
                allocationPercent: expected,
                when: { residential: true },
              },
            ],
          },
        );
        const tariff = createTariff(card, () => undefined);
        const trip = { zone: "2", residential: null, shipDate: "2026-03-01" };
        const situation = situationOf(tariff, tariff.card.services[0]!, trip);
        const found = priceParcel(situation as Exclude<typeof situation, { reason: string }>, { weightMg: 1 }) as Price;
        const wanted = exactly(BigInt(list), fraction(share), fraction(100 - off), fraction(expected));
        expect(found.totalCents - list).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });
});
