import type { RateCard } from "@order-operations-hub/sdk/api-types";
import { expect, test } from "vitest";
import { cardWith, draftOf, readDim, readFuel, wrongIn } from "./card-terms.ts";

const card: RateCard = {
  name: "National",
  effectiveFrom: "2026-01-01",
  zoneScheme: "ups",
  fuel: { percent: 14, appliesTo: "subtotal", discountPercent: 10 },
  fuelByService: [
    { services: ["AIR", "GROUND"], percent: 20, appliesTo: "base_list" },
    { mode: "air", percent: 22, appliesTo: "base_list" },
  ],
  surcharges: [
    { code: "RESI", kind: "fixed", amount: 2.1, when: { residential: true } },
    { code: "PEAK", kind: "fixed", amount: 1, when: { from: "2026-10-01", to: "2027-01-15", zones: ["8"] } },
  ],
  services: [
    {
      code: "GROUND",
      level: "ground",
      weightBreaks: [{ upTo: 1 }],
      rates: { "2": [9] },
      dim: { divisor: 139, tiers: [{ upToVolume: 1728, divisor: 194 }], rounding: "up" },
      minimum: { zone: "2", reduction: 1.25 },
    },
    { code: "AIR", level: "two_day", weightBreaks: [{ upTo: 1 }], rates: { "2": [19] } },
  ],
};

test("a card with unchanged terms is the same card", () => {
  expect(cardWith(card, draftOf(card))).toEqual(card);
  const { fuel: _fuel, fuelByService: _own, surcharges: _surcharges, ...plain } = card;
  expect(cardWith(plain, draftOf(plain))).toEqual(plain);
});

test("changed terms replace those of the card and keep what the form does not show", () => {
  const draft = draftOf(card);
  draft.fuel = "2026-02-02 15.5\n2026-01-05 14.25 %";
  Object.assign(draft.services[0]!, { fuel: "18", dim: "166", minimum: "9.50", reduction: "" });
  draft.peaks[0]!.amount = "1.35";
  draft.peaks.push({ code: "PEAK2", label: "Peak, large", amount: "5", from: "2026-11-01", to: "2026-12-31" });
  expect(wrongIn(draft)).toEqual(new Map());
  const next = cardWith(card, draft);
  expect(next.fuel).toEqual({
    table: [
      { from: "2026-01-05", percent: 14.25 },
      { from: "2026-02-02", percent: 15.5 },
    ],
    appliesTo: "subtotal",
    discountPercent: 10,
  });
  expect(next.fuelByService).toEqual([
    { services: ["GROUND"], percent: 18, appliesTo: "base_list" },
    { services: ["AIR"], percent: 20, appliesTo: "base_list" },
    { mode: "air", percent: 22, appliesTo: "base_list" },
  ]);
  expect(next.services[0]).toMatchObject({
    dim: { divisor: 166, rounding: "up" },
    minimum: { zone: "2", amount: 9.5 },
  });
  expect(next.services[0]!.dim).not.toHaveProperty("tiers");
  expect(next.services[0]!.minimum).not.toHaveProperty("reduction");
  expect(next.services[1]).toEqual(card.services[1]);
  expect(next.surcharges).toEqual([
    card.surcharges![0],
    { code: "PEAK", kind: "fixed", amount: 1.35, when: { from: "2026-10-01", to: "2027-01-15", zones: ["8"] } },
    { code: "PEAK2", kind: "fixed", label: "Peak, large", amount: 5, when: { from: "2026-11-01", to: "2026-12-31" } },
  ]);
});

const airCard: RateCard = {
  ...card,
  fuelByService: [{ mode: "air", percent: 22, appliesTo: "base_list" }],
  services: [
    {
      ...card.services[0]!,
      dim: {
        divisor: 139,
        unit: "in",
        dated: [{ from: "2026-06-01", divisor: 166, tiers: [{ upToVolume: 1728, divisor: 194 }], thresholdVolume: 90 }],
      },
    },
    card.services[1]!,
  ],
};

test("a service shows the fuel of its mode, and an empty field gives it the fuel of all services", () => {
  const draft = draftOf(airCard);
  expect(draft.services.map(({ fuel }) => fuel)).toEqual(["", "22"]);
  expect(cardWith(airCard, draft)).toEqual(airCard);
  draft.services[1]!.fuel = "";
  draft.fuel = "15";
  expect(cardWith(airCard, draft).fuelByService).toEqual([
    { services: ["AIR"], percent: 15, appliesTo: "subtotal", discountPercent: 10 },
    { mode: "air", percent: 22, appliesTo: "base_list" },
  ]);
  draft.services[1]!.fuel = "18.5";
  expect(cardWith(airCard, draft).fuelByService).toEqual([
    { services: ["AIR"], percent: 18.5, appliesTo: "base_list" },
    { mode: "air", percent: 22, appliesTo: "base_list" },
  ]);
});

test("an entry for some services of a mode is not widened when its last service gets another fuel", () => {
  const narrow: RateCard = {
    ...card,
    fuelByService: [{ services: ["AIR"], mode: "air", percent: 22, appliesTo: "base_list" }],
  };
  const draft = draftOf(narrow);
  draft.services[1]!.fuel = "19";
  expect(cardWith(narrow, draft).fuelByService).toEqual([{ services: ["AIR"], percent: 19, appliesTo: "base_list" }]);
});

test("a divisor that changes on a day is shown with that day, and both can be changed", () => {
  const draft = draftOf(airCard);
  expect(draft.services[0]!.dim).toBe("139\nfrom 2026-06-01\n1728 194\n166");
  draft.services[0]!.dim = "150\nfrom 2026-09-01\n175\nfrom 2026-06-01\n160";
  expect(wrongIn(draft)).toEqual(new Map());
  expect(cardWith(airCard, draft).services[0]!.dim).toEqual({
    divisor: 150,
    unit: "in",
    dated: [
      { from: "2026-06-01", divisor: 160, thresholdVolume: 90 },
      { from: "2026-09-01", divisor: 175 },
    ],
  });
  draft.services[0]!.dim = "150";
  expect(cardWith(airCard, draft).services[0]!.dim).toEqual({ divisor: 150, unit: "in" });
  for (const wrong of ["from 2026-06-01\n150", "139\nfrom 2026-06-01", "139\nfrom June\n150"])
    expect(readDim(wrong), wrong).toHaveProperty("wrong");
  expect(readDim("139\nfrom 2026-06-01\n150\nfrom 2026-06-01\n160")).toHaveProperty("wrong");
});

test("lines that cannot be read are quoted", () => {
  expect(readFuel("")).toEqual({ terms: undefined });
  expect(readFuel("101")).toMatchObject({ wrong: expect.stringContaining("“101”") });
  expect(readFuel("2026-13-40 5")).toMatchObject({ wrong: expect.stringContaining("“2026-13-40 5”") });
  expect(readDim("1728 194\n139")).toEqual({ terms: { divisor: 139, tiers: [{ upToVolume: 1728, divisor: 194 }] } });
  expect(readDim("1728 194")).toHaveProperty("wrong");
  expect(readDim("1728 0\n139")).toMatchObject({ wrong: expect.stringContaining("“1728 0”") });
  const draft = draftOf(card);
  draft.services[0]!.minimum = "cheap";
  draft.peaks[0]!.to = "2026-09-01";
  expect([...wrongIn(draft).keys()]).toEqual(["GROUND minimum", "0 to"]);
});

const tieredCard: RateCard = {
  ...card,
  weeklyRevenue: [{ from: "2026-01-01", amount: 12_000 }],
  services: [
    {
      ...card.services[0]!,
      rates: { "2": [9], "8": [12] },
      cubic: {
        tiers: [0.1, 0.5],
        rates: { "2": [6.5, 8.8], "8": [null, 10] },
        maxWeight: { value: 20, unit: "lb" },
        maxLength: 18,
        use: "always",
      },
      hundredweight: { weightFrom: [200], rates: { "2": [21.5] }, discountPercent: 10, minimum: 40, minPieces: 3 },
      discounts: [
        { percent: 5 },
        { tiers: [{ revenueFrom: 5000, percent: 10 }], zones: ["2"] },
        { tiers: [{ revenueFrom: 0, percent: 1 }], stacking: "add" },
      ],
      multiPiece: "total",
    },
    { ...card.services[1]!, multiPiece: "each" },
  ],
};

test("tiers are shown as lines, and unchanged ones stay as they are", () => {
  const draft = draftOf(tieredCard);
  expect(draft.services[0]!.tiers).toEqual({
    cubic: "zones 2 8\n0.1 6.5 -\n0.5 8.8 10",
    cubicWeight: "20 lb",
    cubicLength: "18",
    hundredweight: "zones 2\n200 21.5",
    hundredweightDiscount: "10",
    hundredweightMinimum: "40",
    earned: "5000 10",
    multiPiece: "total",
  });
  expect(cardWith(tieredCard, draft)).toEqual(tieredCard);
});

test("changed tiers replace those of the service and keep what the form does not show", () => {
  const draft = draftOf(tieredCard);
  draft.weeklyRevenue = "2026-06-01 21500\n2026-01-01 9000.5";
  Object.assign(draft.services[0]!.tiers, {
    cubic: "zones 8\n1 11\n0.2 9.25",
    cubicWeight: "",
    hundredweight: "",
    earned: "20000 18 %\n1000 2",
    multiPiece: "each",
  });
  Object.assign(draft.services[1]!.tiers, { hundredweight: "zones 2\n100 150", earned: "1 1" });
  expect(wrongIn(draft)).toEqual(new Map());
  const next = cardWith(tieredCard, draft);
  expect(next.weeklyRevenue).toEqual([
    { from: "2026-01-01", amount: 9000.5 },
    { from: "2026-06-01", amount: 21_500 },
  ]);
  const [ground, air] = next.services;
  expect(ground!.cubic).toEqual({ tiers: [0.2, 1], rates: { "8": [9.25, 11] }, maxLength: 18, use: "always" });
  expect(ground).not.toHaveProperty("hundredweight");
  expect(ground).not.toHaveProperty("multiPiece");
  expect(ground!.discounts).toEqual([
    { percent: 5 },
    {
      tiers: [
        { revenueFrom: 1000, percent: 2 },
        { revenueFrom: 20_000, percent: 18 },
      ],
      zones: ["2"],
    },
    { tiers: [{ revenueFrom: 0, percent: 1 }], stacking: "add" },
  ]);
  expect(air).toMatchObject({
    hundredweight: { weightFrom: [100], rates: { "2": [150] } },
    discounts: [{ tiers: [{ revenueFrom: 1, percent: 1 }] }],
  });
});

test("tiers that cannot be read are named by their field", () => {
  const wrongWith = (tiers: object): string[] => {
    const draft = draftOf(tieredCard);
    Object.assign(draft.services[0]!.tiers, tiers);
    return [...wrongIn(draft).keys()];
  };
  for (const cubic of [
    "0.1 6.5",
    "zones 2 9\n0.1 6 7",
    "zones 2\n0.1 6 7",
    "zones 2\n0 6",
    "zones 2",
    "zones 2\n1 1\n1 2",
  ])
    expect(wrongWith({ cubic }), cubic).toEqual(["GROUND cubic"]);
  expect(wrongWith({ hundredweight: "zones 2\n100.5 20" })).toEqual(["GROUND hundredweight"]);
  expect(wrongWith({ cubicWeight: "heavy", cubicLength: "long" })).toEqual([
    "GROUND cubicWeight",
    "GROUND cubicLength",
  ]);
  expect(wrongWith({ hundredweightDiscount: "101", hundredweightMinimum: "-" })).toEqual([
    "GROUND hundredweightDiscount",
    "GROUND hundredweightMinimum",
  ]);
  expect(wrongWith({ earned: "5000 101" })).toEqual(["GROUND earned"]);
  const draft = draftOf(tieredCard);
  for (const weeklyRevenue of ["", "12000", "2026-01-01 1\n2026-01-01 2"]) {
    draft.weeklyRevenue = weeklyRevenue;
    expect([...wrongIn(draft).keys()], weeklyRevenue).toEqual(["weeklyRevenue"]);
  }
});
