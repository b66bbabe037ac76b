import { describe, expect, test } from "vitest";
import type { SetLookup } from "../../core/conditions.ts";
import type { RateCard, Surcharge } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";
import type { Price, Refusal } from "./price.ts";
import { priceParcel } from "./price.ts";
import { toMg, toSides } from "./measures.ts";
import { quoteService } from "./quote.ts";
import { breakEvenBreak, createTariff, situationOf } from "./tariff.ts";

type Service = RateCard["services"][number];
type Asked = {
  lb?: number;
  oz?: number;
  kg?: number;
  size?: [number, number, number];
  zone?: string;
  zip?: string;
  residential?: boolean | null;
  day?: string;
};

const lb = (value: number) => ({ value, unit: "lb" as const });

/** Zone 2: 10, 11, 12 ... by pound; zone 5: 20, 22, 24 ... */
function aCard(service: Partial<Service> = {}, card: Partial<RateCard> = {}): RateCard {
  const breaks = Array.from({ length: 20 }, (_, index) => ({ upTo: index + 1, unit: "lb" as const }));
  return {
    name: "Test",
    effectiveFrom: "2026-01-01",
    zoneScheme: "ups",
    services: [
      {
        code: "GROUND",
        level: "ground",
        weightBreaks: breaks,
        rates: { "2": breaks.map((_, index) => 10 + index), "5": breaks.map((_, index) => 20 + 2 * index) },
        ...service,
      },
    ],
    ...card,
  };
}

const remote: SetLookup = (name) =>
  name === "Remote ZIPs" ? (value) => ["99501", "967"].includes(value) : name === "Homes" ? () => true : undefined;

function price(card: RateCard, asked: Asked): Price | Refusal {
  expect(checkCard(card)).toEqual([]);
  const tariff = createTariff(card, remote);
  const { zone = "2", zip = "10001", residential = false, day = "2026-03-01" } = asked;
  const trip = { zone, destinationZip: zip, residential, shipDate: day };
  const situation = situationOf(tariff, tariff.card.services[0]!, trip);
  if ("reason" in situation) return situation;
  const unit = asked.kg !== undefined ? "kg" : asked.oz !== undefined ? "oz" : "lb";
  const weightMg = toMg({ value: asked[unit] ?? 1, unit });
  const [length, width, height] = asked.size ?? [];
  const sides = asked.size && toSides({ length: length!, width: width!, height: height!, unit: "in" });
  return priceParcel(situation, { weightMg, sides });
}

function cents(card: RateCard, asked: Asked): Record<string, number> | string {
  const found = price(card, asked);
  if ("reason" in found) return found.reason;
  const lines = Object.fromEntries(found.lines.map((line) => [line.code, line.cents]));
  expect(found.lines.reduce((sum, line) => sum + line.cents, 0)).toBe(found.totalCents);
  return { ...lines, total: found.totalCents };
}

describe("weight breaks", () => {
  test("reach up to their weight and not a gram further", () => {
    const card = aCard();
    expect([1, 1.001, 2, 19.01, 20].map((value) => cents(card, { lb: value }))).toEqual(
      [1000, 1100, 1100, 2900, 2900].map((base) => ({ base, total: base })),
    );
    expect(cents(card, { oz: 16 })).toEqual({ base: 1000, total: 1000 });
    expect(cents(card, { oz: 80 })).toEqual({ base: 1400, total: 1400 });
    expect(cents(card, { kg: 0.45359237 })).toEqual({ base: 1000, total: 1000 });
    expect(cents(card, { kg: 0.5 })).toEqual({ base: 1100, total: 1100 });
    expect(cents(card, { lb: 0 })).toEqual({ base: 1000, total: 1000 });
  });

  test("may be ounces first and pounds after, as with the postal service", () => {
    const weightBreaks = [4, 8, 12, 15.999].map((upTo) => ({ upTo, unit: "oz" as const }));
    const card = aCard({
      weightBreaks: [...weightBreaks, { upTo: 1 }, { upTo: 2 }],
      rates: { "2": [7, 8, 9, 10, 11, 12] },
    });
    expect([4, 4.1, 15.999, 16, 16.5].map((oz) => (cents(card, { oz }) as { base: number }).base)).toEqual([
      700, 800, 1000, 1100, 1200,
    ]);
  });

  test("above the last one there is no price, unless the card says what a further pound costs", () => {
    expect(cents(aCard(), { lb: 20.5 })).toBe("over_limit");
    const card = aCard({ perUnitAbove: { unit: "lb", rates: { "2": 0.75 } } });
    // 29.00 for 20 lb, and three begun pounds at 0.75.
    expect(cents(card, { lb: 22.3 })).toEqual({ base: 3125, total: 3125 });
    expect(cents(card, { lb: 23 })).toEqual({ base: 3125, total: 3125 });
    expect(cents(card, { lb: 23, zone: "5" })).toBe("over_limit");
  });

  test("an empty cell and an unknown zone have no price", () => {
    const card = aCard({ weightBreaks: [{ upTo: 1 }, { upTo: 2 }], rates: { "2": [null, 5] } });
    expect(cents(card, { lb: 1 })).toBe("no_rate_cell");
    expect(cents(card, { lb: 2 })).toEqual({ base: 500, total: 500 });
    expect(cents(card, { zone: "9" })).toBe("no_rate_cell");
  });

  test("a price per zone needs no weight", () => {
    const card = aCard({ weightBreaks: [{ upTo: null }], rates: { "2": [6.5] } });
    expect(cents(card, { lb: 0.1 })).toEqual(cents(card, { lb: 149 }));
  });
});

describe("volumetric weight", () => {
  test("is length times width times height by the divisor, and counts when it is more", () => {
    const card = aCard({ dim: { divisor: 139 } });
    // 12 x 12 x 12 = 1728; 1728 / 139 = 12.43, so 13 lb: 10 + 12.
    expect(cents(card, { lb: 5, size: [12, 12, 12] })).toEqual({ base: 2200, total: 2200 });
    expect(cents(card, { lb: 15, size: [12, 12, 12] })).toEqual({ base: 2400, total: 2400 });
    // 10 x 13.9 x 10 with whole inches is 1400; exactly 10 lb would be 1390.
    expect(cents(aCard({ dim: { divisor: 139, rounding: "none" } }), { size: [10, 13.9, 10] })).toEqual({
      base: 1900,
      total: 1900,
    });
    expect(cents(card, { size: [10, 13.9, 10] })).toEqual({ base: 2000, total: 2000 });
  });

  test("rounds each side to the inch, half up, or every fraction up", () => {
    // 10.4 -> 10, 10.5 -> 11: 10 x 10 x 11 = 1100 / 139 = 7.9 -> 8 lb.
    expect(cents(aCard({ dim: { divisor: 139, rounding: "nearest" } }), { size: [10.4, 10.4, 10.5] })).toEqual({
      base: 1700,
      total: 1700,
    });
    // 11 x 11 x 11 = 1331 / 139 = 9.58 -> 10 lb.
    expect(cents(aCard({ dim: { divisor: 139, rounding: "up" } }), { size: [10.4, 10.4, 10.5] })).toEqual({
      base: 1900,
      total: 1900,
    });
  });

  test("does not count below the volume from which the carrier measures", () => {
    const card = aCard({ dim: { divisor: 166, thresholdVolume: 1728 } });
    expect(cents(card, { size: [12, 12, 12] })).toEqual({ base: 1000, total: 1000 });
    // 13 x 12 x 12 = 1872 / 166 = 11.28 -> 12 lb.
    expect(cents(card, { size: [13, 12, 12] })).toEqual({ base: 2100, total: 2100 });
  });

  test("may be metric: 50 x 40 x 30 cm by 5000 is 12 kg", () => {
    const card = aCard({
      weightBreaks: [
        { upTo: 10, unit: "kg" },
        { upTo: 12, unit: "kg" },
        { upTo: 15, unit: "kg" },
      ],
      rates: { "2": [10, 12, 15] },
      dim: { divisor: 5000, unit: "cm" },
    });
    expect(cents(card, { kg: 1, size: [50 / 2.54, 40 / 2.54, 30 / 2.54] })).toEqual({ base: 1200, total: 1200 });
  });

  test("what is too heavy, too long or too thick is not taken", () => {
    const card = aCard({ limits: { maxWeight: lb(15), maxLength: 48, maxLengthPlusGirth: 84 } });
    expect(cents(card, { lb: 15.1 })).toBe("over_limit");
    expect(cents(card, { size: [49, 1, 1] })).toBe("over_limit");
    // 40 + 2 x (12 + 10) = 84.
    expect(cents(card, { size: [40, 12, 10] })).toEqual({ base: 1000, total: 1000 });
    expect(cents(card, { size: [40, 12, 10.1] })).toBe("over_limit");
  });
});

describe("discounts and minimum", () => {
  test("the last discount that fits counts, those that add come on top, never below nothing", () => {
    const card = aCard({
      discounts: [
        { percent: 10 },
        { percent: 30, zones: ["5"] },
        { percent: 40, zones: ["5"], weightFrom: lb(5), weightTo: lb(10) },
        { percent: 2, stacking: "add" },
      ],
    });
    expect(cents(card, { lb: 1 })).toEqual({ base: 1000, discount: -120, total: 880 });
    expect(cents(card, { lb: 1, zone: "5" })).toEqual({ base: 2000, discount: -640, total: 1360 });
    // 4.5 lb is charged as 5 lb: 28.00, 42 %.
    expect(cents(card, { lb: 4.5, zone: "5" })).toEqual({ base: 2800, discount: -1176, total: 1624 });
    expect(cents(card, { lb: 10.5, zone: "5" })).toEqual({ base: 4000, discount: -1280, total: 2720 });
    expect(cents(aCard({ discounts: [{ amount: 99 }] }), {})).toEqual({ base: 1000, discount: -1000, total: 0 });
  });

  test("half a cent is rounded up", () => {
    const card = aCard({ weightBreaks: [{ upTo: 1 }], rates: { "2": [10.1] }, discounts: [{ percent: 12.5 }] });
    // 12.5 % of 10.10 is 1.2625; 12.5 % of 10.12 is 1.265.
    expect(cents(card, {})).toMatchObject({ discount: -126 });
    const other = aCard({ weightBreaks: [{ upTo: 1 }], rates: { "2": [10.12] }, discounts: [{ percent: 12.5 }] });
    expect(cents(other, {})).toMatchObject({ discount: -127 });
  });

  test("after the discount the price is raised to the minimum, an amount or a cell less something", () => {
    const half = { discounts: [{ percent: 50 }] };
    expect(cents(aCard({ ...half, minimum: { amount: 8 } }), {})).toEqual({
      base: 1000,
      discount: -500,
      minimum: 300,
      total: 800,
    });
    expect(cents(aCard({ ...half, minimum: { amount: 8 } }), { lb: 7 })).toEqual({
      base: 1600,
      discount: -800,
      total: 800,
    });
    // Zone 2, 2 lb is 11.00, less 1.25.
    expect(cents(aCard({ ...half, minimum: { zone: "2", weight: lb(2), reduction: 1.25 } }), {})).toMatchObject({
      total: 975,
    });
  });
});

describe("fuel", () => {
  const card = (appliesTo: "base_list" | "base_net" | "subtotal"): RateCard =>
    aCard(
      { discounts: [{ percent: 20 }] },
      {
        fuel: { percent: 10, appliesTo },
        surcharges: [
          { code: "area", kind: "fixed", amount: 3 },
          { code: "signature", kind: "fixed", amount: 5, isFuelApplied: false },
        ],
      },
    );

  test("is taken of the list price, of the discounted price, or of that and the surcharges that carry it", () => {
    const rest = { base: 1000, discount: -200, area: 300, signature: 500 };
    expect(cents(card("base_list"), {})).toEqual({ ...rest, fuel: 100, total: 1700 });
    expect(cents(card("base_net"), {})).toEqual({ ...rest, fuel: 80, total: 1680 });
    expect(cents(card("subtotal"), {})).toEqual({ ...rest, fuel: 110, total: 1710 });
  });

  test("follows its table by the day of shipping, each row from its first day on", () => {
    const table = [
      { from: "2026-02-01", percent: 10 },
      { from: "2026-03-02", percent: 20 },
    ];
    const dated = aCard({}, { fuel: { table, appliesTo: "base_net" } });
    expect(["2026-01-15", "2026-03-01", "2026-03-02"].map((day) => cents(dated, { day }))).toEqual(
      [100, 100, 200].map((fuel) => ({ base: 1000, fuel, total: 1000 + fuel })),
    );
  });

  test("has a discount of its own", () => {
    expect(cents(aCard({}, { fuel: { percent: 18, discountPercent: 25, appliesTo: "base_net" } }), {})).toMatchObject({
      fuel: 135,
    });
  });
});

describe("surcharges", () => {
  const handling: Surcharge[] = [
    {
      code: "size",
      kind: "fixed",
      amount: 32.75,
      when: { longestSideOver: 48 },
      group: "handling",
      priority: 1,
      minBillableWeight: lb(8),
    },
    { code: "weight", kind: "fixed", amount: 50.25, when: { weightOver: lb(10) }, group: "handling", priority: 2 },
    {
      code: "oversize",
      kind: "fixed",
      amount: 275,
      when: { lengthPlusGirthOver: 130 },
      group: "handling",
      priority: 3,
    },
    { code: "peak", kind: "fixed", amount: 90, when: { requires: "oversize", from: "2026-10-01", to: "2026-10-31" } },
  ];
  const card = aCard({}, { surcharges: handling });

  test("of a group only the most important applies", () => {
    expect(cents(card, { lb: 12, size: [50, 10, 10] })).toEqual({ base: 2100, weight: 5025, total: 7125 });
    expect(cents(card, { lb: 12, size: [100, 10, 10] })).toEqual({ base: 2100, oversize: 27_500, total: 29_600 });
    expect(cents(card, { lb: 10, size: [48, 10, 10] })).toEqual({ base: 1900, total: 1900 });
  });

  test("can raise the weight that is charged", () => {
    expect(cents(card, { lb: 2, size: [50, 1, 1] })).toEqual({ base: 1700, size: 3275, total: 4975 });
  });

  test("can build on another one, from their first to their last day", () => {
    const size: [number, number, number] = [100, 10, 10];
    const peak = { base: 1000, oversize: 27_500, peak: 9000, total: 37_500 };
    const days = ["2026-09-30", "2026-10-01", "2026-10-31", "2026-11-01"];
    const plain = { base: 1000, oversize: 27_500, total: 28_500 };
    expect(days.map((day) => cents(card, { size, day }))).toEqual([plain, peak, peak, plain]);
    expect(cents(card, { day: "2026-10-15" })).toEqual({ base: 1000, total: 1000 });
  });

  test("for homes count in part while it is unknown whether the address is one", () => {
    const homes = aCard(
      {},
      {
        surcharges: [{ code: "home", kind: "fixed", amount: 6.45, when: { residential: true }, allocationPercent: 70 }],
      },
    );
    expect(cents(homes, { residential: true })).toMatchObject({ home: 645 });
    expect(cents(homes, { residential: null })).toMatchObject({ home: 452 });
    expect(cents(homes, { residential: false })).toEqual({ base: 1000, total: 1000 });
  });

  test("for delivery areas look into condition sets of ZIPs or ZIP3s", () => {
    const areas = aCard(
      { limits: { destinationSet: "Homes" } },
      { surcharges: [{ code: "area", kind: "fixed", amount: 4, when: { destinationSet: "Remote ZIPs" } }] },
    );
    expect(cents(areas, { zip: "99501" })).toMatchObject({ area: 400 });
    expect(cents(areas, { zip: "96701" })).toMatchObject({ area: 400 });
    expect(cents(areas, { zip: "99502" })).toEqual({ base: 1000, total: 1000 });
    expect(cents(aCard({ limits: { destinationSet: "Remote ZIPs" } }), {})).toBe("not_serviceable");
  });

  test("can be a percentage, or by begun pound, or differ by zone, less a discount", () => {
    const surcharges: Surcharge[] = [
      { code: "share", kind: "percent", percent: 7.5 },
      { code: "pounds", kind: "per_weight", amount: 0.3, weightUnit: "lb" },
      { code: "zoned", kind: "fixed", amount: 1, amountByZone: { "5": 2.5 }, discountPercent: 10 },
    ];
    // 13 lb, zone 5: 44.00; 7.5 % is 3.30; 13 x 0.30; 2.50 less 10 %.
    expect(cents(aCard({}, { surcharges }), { lb: 12.2, zone: "5" })).toEqual({
      base: 4400,
      share: 330,
      pounds: 390,
      zoned: 225,
      total: 5345,
    });
  });
});

describe("a quote", () => {
  test("explains every line, and gives both prices near the end of a zone", () => {
    const card = aCard(
      {
        rates: { "4": Array.from({ length: 20 }, () => 15), "5": Array.from({ length: 20 }, () => 20) },
        discounts: [{ percent: 12 }],
      },
      { fuel: { percent: 10, appliesTo: "base_net" }, zoneScheme: "usps" },
    );
    const tariff = createTariff(card, remote);
    const quote = quoteService(tariff, tariff.card.services[0]!, {
      origin: { zip: "30301" },
      destination: { zip: "33101" },
      weight: lb(3),
      shipDate: "2026-03-01",
    });
    expect(quote).toMatchObject({
      zone: "5",
      borderline: true,
      alternative: { zone: "4", total: 14.52 },
      total: 19.36,
      weight: { rated: { value: 3, unit: "lb" }, dimensional: null },
      lines: [
        { code: "base", amount: 20, explanation: "GROUND, zone 5, up to 3 lb" },
        { code: "discount", amount: -2.4, explanation: "12 % of 20.00" },
        { code: "fuel", amount: 1.76, explanation: "10 % of 17.60, the base price after discount and minimum" },
      ],
    });
  });

  test("knows the heaviest parcel that costs no more than what was paid", () => {
    const tariff = createTariff(aCard(), remote);
    const trip = { zone: "2", residential: false, shipDate: "2026-03-01" };
    const situation = situationOf(tariff, tariff.card.services[0]!, trip);
    if ("reason" in situation) throw new Error(situation.message);
    expect([999, 1000, 1250, 2900, 9999].map((paid) => breakEvenBreak(situation, paid))).toEqual([null, 0, 2, 19, 19]);
  });

  test("answers what if fuel, discount and divisor were others", () => {
    const card = aCard({ dim: { divisor: 139 } }, { fuel: { percent: 10, appliesTo: "base_net" } });
    const total = (scenario: object): number => {
      const tariff = createTariff(card, remote, undefined, scenario);
      const quote = quoteService(tariff, tariff.card.services[0]!, {
        origin: { zip: "10001" },
        destination: { zip: "10002" },
        weight: lb(1),
        dimensions: { length: 12, width: 12, height: 12, unit: "in" },
        shipDate: "2026-03-01",
      });
      return "total" in quote ? quote.total : Number.NaN;
    };
    expect([
      total({}),
      total({ fuelPercent: 0 }),
      total({ extraDiscountPercent: 50 }),
      total({ dimDivisor: 250 }),
    ]).toEqual(
      // 13 lb 22.00 and fuel; without fuel; half of it and fuel; 7 lb 16.00 and fuel.
      [24.2, 22, 12.1, 17.6],
    );
  });
});
