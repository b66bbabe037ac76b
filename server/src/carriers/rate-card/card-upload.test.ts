import { describe, expect, test } from "vitest";
import { demoCards } from "../demo/demo-cards.ts";
import { servicesFromCsv } from "./card-csv.ts";
import { checkCard } from "./check-card.ts";
import { compileCard, matchService } from "./compile-card.ts";
import { foldService, levelOfService } from "./service-level.ts";

describe("a card", () => {
  test("is refused with all of its mistakes at once, each with its place", () => {
    const errors = checkCard({
      name: "Wrong",
      effectiveFrom: "2026-02-01",
      effectiveTo: "2026-01-01",
      zoneScheme: "bands",
      services: [
        {
          code: "A",
          level: "ground",
          weightBreaks: [{ upTo: 2 }, { upTo: 1 }],
          rates: { "2": [1, 2, 3], "3": [1.00005, 2] },
          discounts: [{ zones: ["7"], percent: 5, amount: 1 }],
          minimum: { zone: "2" },
        },
        { code: "A", level: "ground", weightBreaks: [{ upTo: 1 }], rates: { "2": [1] } },
      ],
      surcharges: [
        { code: "fuel", kind: "percent", amount: 3 },
        {
          code: "x",
          kind: "fixed",
          amount: 1,
          when: { requires: "y", services: ["B"], from: "2026-02-02", to: "2026-02-01" },
        },
      ],
      fuel: { appliesTo: "subtotal" },
    });
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      "/effectiveTo ends_before_start",
      "/bands required",
      "/services/1/code duplicate",
      "/services/0/weightBreaks/1/upTo not_ascending",
      "/services/0/rates/2 cell_count",
      "/services/0/rates/3/0 more_than_four_decimals",
      "/services/0/discounts/0 one_of",
      "/services/0/discounts/0/zones unknown_zone",
      "/services/0/minimum/weight required",
      "/surcharges/0/code reserved",
      "/surcharges/0/percent required",
      "/surcharges/0/amount unused",
      "/surcharges/1/when/to ends_before_start",
      "/surcharges/1/when/services unknown_service",
      "/surcharges/1/when/requires unknown_surcharge",
      "/fuel one_of",
    ]);
  });

  test("is refused with a minimum that is none, and with zones that no parcel is in", () => {
    const service = { code: "A", level: "ground", weightBreaks: [{ upTo: 1 }, { upTo: 2 }], rates: { "2": [1, null] } };
    const codes = (more: object, zoneScheme = "ups") =>
      checkCard({ name: "x", effectiveFrom: "2026-01-01", zoneScheme, services: [{ ...service, ...more }] }).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      );
    const cell = (pounds: number) => ({ minimum: { zone: "2", weight: { value: pounds, unit: "lb" } } });
    expect(codes(cell(1))).toEqual([]);
    expect(codes(cell(2))).toEqual(["/services/0/minimum/weight no_rate_cell"]);
    expect(codes(cell(3))).toEqual(["/services/0/minimum/weight no_rate_cell"]);
    expect(codes({ minimum: { amount: 5.005, reduction: 1 } })).toEqual([
      "/services/0/minimum/amount more_than_cents",
      "/services/0/minimum/reduction unused",
    ]);
    expect(codes({}, "flat")).toEqual(["/services/0/rates unknown_zone"]);
    expect(codes({ rates: { all: [1, 2] } }, "flat")).toEqual([]);
  });

  test("of another shape is refused by its shape", () => {
    const errors = checkCard({ name: "x", effectiveFrom: "soon", zoneScheme: "ups", services: [], extra: 1 }, "/card");
    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
      "/card/effectiveFrom",
      "/card/extra",
      "/card/services",
    ]);
  });

  test("comes in four illustrative kinds, all of them sound", () => {
    const cards = demoCards();
    expect(cards.map(({ account }) => account)).toEqual([
      "Demo Postal",
      "Demo National",
      "Demo Express",
      "Demo Regional",
    ]);
    for (const { card } of cards) {
      expect(checkCard(card)).toEqual([]);
      expect(card.note).toContain("Illustrative");
    }
    const [ground] = cards[0]!.card.services;
    // The anchors of October 2025: 5 lb, zones 1 to 8.
    expect(["1", "4", "8"].map((zone) => ground!.rates[zone]![8])).toEqual([11.95, 14.45, 23.75]);
  });
});

describe("prices from a spreadsheet", () => {
  test("may have a column for each zone, with ounces, dollars and thousands", async () => {
    const csv =
      'Service,Weight,Zone 2,Zone 3,044\nGROUND,8 oz,$7.10,7.20,-\nGROUND,1 lb,8,"1,008.50",\n2DAY,1,20,21,22\n';
    const read = await servicesFromCsv(csv);
    expect("services" in read && read.services).toEqual([
      {
        code: "GROUND",
        level: "ground",
        weightBreaks: [
          { upTo: 8, unit: "oz" },
          { upTo: 1, unit: "lb" },
        ],
        rates: { "2": [7.1, 8], "3": [7.2, 1008.5], "44": [null, null] },
      },
      {
        code: "2DAY",
        level: "two_day",
        weightBreaks: [{ upTo: 1, unit: "lb" }],
        rates: { "2": [20], "3": [21], "44": [22] },
      },
    ]);
  });

  test.each([
    ["Weight (lb)", "lb"],
    ["Weight (oz)", "oz"],
    ["weight_kg", "kg"],
    ["Weight not over (lbs.)", "lb"],
    ["Max weight", "lb"],
  ])("may name the unit in the column %s", async (column, unit) => {
    const read = await servicesFromCsv(`${column},Zone 2\n1,9.5\n`);
    expect("services" in read && read.services).toMatchObject([
      { weightBreaks: [{ upTo: 1, unit }], rates: { 2: [9.5] } },
    ]);
  });

  test("may have one row for each price, and semicolons", async () => {
    const csv =
      "service;level;zone;weight;unit;rate\nECO;economy;2;1;kg;5\nECO;economy;3;1;kg;6\nECO;economy;2;2;kg;7\n";
    const read = await servicesFromCsv(csv, {
      services: [{ code: "ECO", name: "Economy", dim: { divisor: 5000, unit: "cm" } }],
    });
    expect("services" in read && read.services).toEqual([
      {
        code: "ECO",
        name: "Economy",
        level: "economy",
        dim: { divisor: 5000, unit: "cm" },
        weightBreaks: [
          { upTo: 1, unit: "kg" },
          { upTo: 2, unit: "kg" },
        ],
        rates: { "2": [5, 7], "3": [6, null] },
      },
    ]);
  });

  test("are read with decimal commas and other currencies, and refused when columns have moved", async () => {
    const read = await servicesFromCsv("weight;2;3\n1;10,50;€ 20\n2;1.020,5;3\n");
    expect(read).toMatchObject({ errors: [{ row: 3, column: "2", code: "price" }] });
    const sound = await servicesFromCsv("weight;2;3\r\n1;10,50;€ 20\n");
    expect(sound).toMatchObject({ services: [{ rates: { "2": [10.5], "3": [20] } }] });
    const moved = await servicesFromCsv("weight,2,3\n1,1,020.50,3\n");
    expect(moved).toMatchObject({ errors: [{ row: 2, column: null, code: "too_many_cells" }] });
    const twice = await servicesFromCsv("weight,Max Weight,2\n1,2,3\n");
    expect(twice).toMatchObject({ errors: [{ row: 1, code: "columns" }] });
  });

  test("are read from a carrier's own list: prices of its envelopes are left out and said to be, notes are passed over", async () => {
    const csv = "Weight,Zone 2,Zone 3\nLtr,9.50,9.75\n1 Lbs.,10.25*,11[1]\n2,12,13\n* By air only,,\n[1] See page 7\n";
    expect(await servicesFromCsv(csv)).toEqual({
      services: [
        {
          code: "GROUND",
          level: "ground",
          weightBreaks: [
            { upTo: 1, unit: "lb" },
            { upTo: 2, unit: "lb" },
          ],
          rates: { "2": [10.25, 12], "3": [11, 13] },
        },
      ],
      warnings: [
        { column: "Weight", code: "packaging_row", message: expect.stringContaining("Row 2 was skipped: Ltr") },
      ],
    });
  });

  test("are refused at once when a column has a name without end", async () => {
    const started = performance.now();
    const read = await servicesFromCsv(`weight,zn${" ".repeat(100_000)}!\n1,2\n`);
    expect(read).toMatchObject({ errors: [{ row: 1, code: "columns" }] });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("are refused with row and column of every mistake", async () => {
    const read = await servicesFromCsv("service,weight,2,3\nA,heavy,1,2\nA,1,free,2\nA,2,1,1\nA,2,1,1\n");
    expect("errors" in read && read.errors.map(({ row, column, code }) => [row, column, code])).toEqual([
      [2, "weight", "weight"],
      [3, "2", "price"],
      [5, "2", "duplicate"],
      [5, "3", "duplicate"],
    ]);
    expect(await servicesFromCsv("a,b\n1,2\n")).toMatchObject({ errors: [{ row: 1, code: "columns" }] });
    expect(await servicesFromCsv("")).toMatchObject({ errors: [{ code: "empty" }] });
    expect(await servicesFromCsv('weight,2\n"1,2')).toMatchObject({ errors: [{ code: "malformed_csv" }] });
  });
});

describe("services", () => {
  test("are the same in any spelling", () => {
    expect(
      ["UPS® Ground", "ups_ground", "FedEx Home Delivery", "USPS_GROUND_ADVANTAGE", "03", "GND"].map(levelOfService),
    ).toEqual(Array.from({ length: 6 }, () => "ground"));
    expect(
      ["2nd Day Air", "UPS 2DA", "FEDEX_2_DAY", "Priority Mail", "SUREPOST", "1DA", "teleport"].map(levelOfService),
    ).toEqual(["two_day", "two_day", "two_day", "three_day", "economy", "overnight", undefined]);
    expect(foldService("FedEx 2Day® A.M.")).toBe("2 DAY AM");
  });

  test("are matched by name, then by level, then by a faster one, never by a slower one unless asked", () => {
    const card = compileCard(demoCards()[1]!.card, () => undefined);
    expect(matchService(card, "NAT_GROUND", "none")?.service.code).toBe("NAT_GROUND");
    expect(matchService(card, "UPS Ground", "none")?.service.code).toBe("NAT_GROUND");
    expect(matchService(card, "SurePost", "faster")).toMatchObject({
      isSubstitute: true,
      service: { code: "NAT_GROUND" },
    });
    expect(matchService(card, "SurePost", "none")).toBeUndefined();
    expect(matchService(card, "First Overnight", "faster")).toBeUndefined();
    expect(matchService(card, "First Overnight", "slower")?.service.code).toBe("NAT_OVERNIGHT");
    expect(matchService(card, "carrier pigeon", "faster")).toBeUndefined();
  });
});
