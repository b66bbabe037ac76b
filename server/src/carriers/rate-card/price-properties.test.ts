import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateCard, Surcharge } from "./card.schemas.ts";
import { formatCents, shareOf, toPpm } from "../../core/money.ts";
import { checkCard } from "./check-card.ts";
import type { Price } from "./price.ts";
import { priceParcel } from "./price.ts";
import { toMg, toSides } from "./measures.ts";
import { createTariff, situationOf } from "./tariff.ts";

const money = fc.integer({ min: 0, max: 50_000 }).map((cents) => cents / 100);
const percent = fc.integer({ min: 0, max: 10_000 }).map((share) => share / 100);
const breakCount = 12;

const surcharge: fc.Arbitrary<Omit<Surcharge, "code">> = fc.record(
  {
    kind: fc.constant("fixed" as const),
    amount: money,
    when: fc.record(
      {
        residential: fc.boolean(),
        weightOver: fc.record({ value: fc.integer({ min: 1, max: 12 }), unit: fc.constant("lb" as const) }),
        longestSideOver: fc.integer({ min: 1, max: 60 }),
      },
      { requiredKeys: [] },
    ),
    group: fc.constantFrom("a", "b"),
    priority: fc.integer({ min: 0, max: 3 }),
    isFuelApplied: fc.boolean(),
    discountPercent: percent,
    allocationPercent: percent,
  },
  { requiredKeys: ["kind", "amount"] },
);

const card: fc.Arbitrary<RateCard> = fc
  .record({
    steps: fc.array(money, { minLength: breakCount, maxLength: breakCount }),
    surcharges: fc.array(surcharge, { maxLength: 6 }),
    discount: percent,
    minimum: money,
    fuel: fc.record({
      percent,
      appliesTo: fc.constantFrom("base_list" as const, "base_net" as const, "subtotal" as const),
    }),
    divisor: fc.integer({ min: 50, max: 400 }),
  })
  .map(({ steps, surcharges, discount, minimum, fuel, divisor }) => {
    let sum = 0;
    const cells = steps.map((step) => Math.round((sum += step) * 100) / 100);
    return {
      name: "Any",
      effectiveFrom: "2026-01-01",
      zoneScheme: "ups" as const,
      services: [
        {
          code: "GROUND",
          level: "ground" as const,
          weightBreaks: cells.map((_, index) => ({ upTo: index + 1, unit: "lb" as const })),
          rates: { "2": cells },
          perUnitAbove: { unit: "lb" as const, rates: { "2": steps[0]! } },
          discounts: [{ percent: discount }],
          minimum: { amount: minimum },
          dim: { divisor },
        },
      ],
      surcharges: surcharges.map((one, index) => ({ ...one, code: `s${index}` })),
      fuel,
    };
  });

const side = fc.double({ min: 0.5, max: 60, noNaN: true });
const parcel = fc.record({
  pounds: fc.double({ min: 0, max: 30, noNaN: true }),
  size: fc.option(fc.tuple(side, side, side), { nil: undefined }),
  residential: fc.constantFrom(true, false, null),
});

function priceOf(
  given: RateCard,
  asked: { pounds: number; size?: [number, number, number] | undefined; residential: boolean | null },
): Price {
  const tariff = createTariff(given, () => undefined);
  const trip = { zone: "2", residential: asked.residential, shipDate: "2026-03-01" };
  const situation = situationOf(tariff, tariff.card.services[0]!, trip);
  const [length, width, height] = asked.size ?? [];
  const sides = asked.size && toSides({ length: length!, width: width!, height: height!, unit: "in" });
  const weightMg = toMg({ value: asked.pounds, unit: "lb" });
  return priceParcel(situation as Exclude<typeof situation, { reason: string }>, { weightMg, sides }) as Price;
}

describe("whatever the card", () => {
  test("the lines add up to the total, in whole cents, and none but the discount is negative", () => {
    fc.assert(
      fc.property(card, parcel, (given, asked) => {
        expect(checkCard(given)).toEqual([]);
        const price = priceOf(given, asked);
        expect(price.lines.reduce((sum, line) => sum + line.cents, 0)).toBe(price.totalCents);
        for (const line of price.lines) {
          expect(Number.isSafeInteger(line.cents)).toBe(true);
          expect(line.cents < 0).toBe(line.code === "discount");
        }
      }),
      { numRuns: 200 },
    );
  });

  test("heavier never costs less where neither prices nor surcharges fall with the weight", () => {
    fc.assert(
      fc.property(card, parcel, fc.double({ min: 0, max: 10, noNaN: true }), (given, asked, more) => {
        // A group may swap a dear surcharge for a cheap one that weighs more; that is the card's doing.
        const ungrouped = {
          ...given,
          surcharges: given.surcharges!.map((one, index) => ({ ...one, group: `own${index}` })),
        };
        const [light, heavy] = [asked, { ...asked, pounds: asked.pounds + more }].map((one) => priceOf(ungrouped, one));
        expect(heavy!.totalCents).toBeGreaterThanOrEqual(light!.totalCents);
      }),
      { numRuns: 200 },
    );
  });

  test("of each group at most one surcharge applies", () => {
    fc.assert(
      fc.property(card, parcel, (given, asked) => {
        const codes = new Set(priceOf(given, asked).lines.map((line) => line.code));
        for (const group of ["a", "b"]) {
          const applied = given.surcharges!.filter((one) => one.group === group && codes.has(one.code));
          expect(applied.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("a share of cents is what exact arithmetic says, half up", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      (cents, millionths) => {
        const exact = (BigInt(cents) * BigInt(millionths) * 2n + 1_000_000n) / 2_000_000n;
        expect(shareOf(cents, millionths)).toBe(Number(exact));
        expect(shareOf(-cents, millionths) + 0).toBe(-Number(exact) + 0);
      },
    ),
  );
  expect([toPpm(19.25), formatCents(5), formatCents(-1234)]).toEqual([192_500, "0.05", "-12.34"]);
});

test("sides are the same three numbers, longest first, whatever the order they are given in", () => {
  const side = fc.double({ min: 0.1, max: 300, noNaN: true });
  fc.assert(
    fc.property(side, side, side, fc.constantFrom("in" as const, "cm" as const), (length, width, height, unit) => {
      const sorted = [length, width, height].map((one) => (unit === "cm" ? one / 2.54 : one)).toSorted((a, b) => b - a);
      expect(toSides({ length, width, height, unit })).toEqual(sorted);
    }),
  );
});
