import fc from "fast-check";
import { expect, test } from "vitest";
import { anEnv } from "../../testing/an-evaluation.ts";
import { aLine, anOrder } from "../../testing/an-order.ts";
import type { Level } from "../stock/stock.ts";
import { allocate } from "./actions/allocate.ts";
import { distanceBetween } from "./location-ranking.ts";
import type { StockDirectory } from "./stock-directory.ts";
import { needsOf, stockFactsOf } from "./stock-needs.ts";

const bridgeId = "0199f0a0-0000-7000-8000-00000000b001";

type Given = Partial<Level> & { reserved?: number };

/** Stock by location and SKU. */
function stockOf(levels: Record<string, Record<string, Given>>): StockDirectory {
  const levelOf = (locationId: string, sku: string): Level | undefined => {
    const given = levels[locationId]?.[sku];
    const times = { countedAt: "2026-03-02T00:00:00.000Z", updatedAt: "2026-03-02T00:00:00.000Z" };
    return given && { locationId, sku, available: 0, committed: null, bridgeId: null, ...times, ...given };
  };
  return {
    locations: Object.keys(levels).map((id) => ({ id, name: id, address: {} })),
    levelOf,
    freeOf: (locationId, sku) => {
      const level = levelOf(locationId, sku);
      return level ? level.available + (level.committed ?? 0) - (levels[locationId]![sku]!.reserved ?? 0) : 0;
    },
    reservedFor: () => [],
  };
}

test("digital goods and kits need no stock, their components do", () => {
  const lines = [
    aLine({ id: "kit", sku: "KIT", quantity: 1 }),
    aLine({ id: "part", sku: "PART", quantity: 2, parentLineId: "kit" }),
    aLine({ id: "book", sku: "EBOOK", quantity: 1, requiresShipping: false }),
    aLine({ id: "more", sku: "PART", quantity: 3, shippedQuantity: 1 }),
  ];
  expect([...needsOf({ lines })]).toEqual([["PART", 4]]);
});

test("conditions learn whether the order's location, some location or none has everything", () => {
  const stock = stockOf({ here: { A: { available: 3 } }, there: { A: { available: 3 }, B: { available: 2 } } });
  const facts = (given: object) => stockFactsOf(stock, anOrder(given));
  expect(facts({ locationId: "there" })).toEqual({ complete: true, anywhere: true, missing: [] });
  expect(facts({ locationId: "here" })).toEqual({ complete: false, anywhere: true, missing: [] });
  expect(facts({ lines: [aLine({ quantity: 4 })] })).toEqual({ complete: false, anywhere: false, missing: ["A"] });
  expect(facts({ lines: [] })).toEqual({ complete: true, anywhere: true, missing: [] });
});

test("an order of a shop that subtracts its own orders has its units already, unless the shop has oversold", () => {
  const order = anOrder({ bridgeId, orderedAt: "2026-03-01T00:00:00.000Z", lines: [aLine({ quantity: 1 })] });
  const anywhere = (level: Given, given = order): boolean =>
    stockFactsOf(stockOf({ shop: { A: { bridgeId, ...level } } }), given).anywhere;
  expect(anywhere({ available: 0 })).toBe(true);
  expect(anywhere({ available: -1 })).toBe(false);
  expect(anywhere({ available: 0, committed: 0 })).toBe(false);
  expect(anywhere({ available: 0, committed: 1 })).toBe(true);
  expect(anywhere({ available: 0 }, { ...order, bridgeId: null })).toBe(false);
  // The shop had not seen the order yet when it counted.
  expect(anywhere({ available: 0 }, { ...order, orderedAt: "2026-03-03T00:00:00.000Z" })).toBe(false);
});

test("in a split a kit goes with its first component, so that it never needs stock itself", () => {
  const stock = stockOf({ here: { A: { available: 1 } }, there: { B: { available: 1 }, C: { available: 1 } } });
  const lines = [
    aLine({ id: "other", sku: "A" }),
    aLine({ id: "kit", sku: "KIT" }),
    aLine({ id: "b", sku: "B", parentLineId: "kit" }),
    aLine({ id: "c", sku: "C", parentLineId: "kit" }),
    aLine({ id: "book", sku: "EBOOK", requiresShipping: false }),
  ];
  const [outcome] = allocate.applyToAll!([anOrder({ lines })], { allow_split: true }, anEnv({ stock }));
  if (!outcome || "refused" in outcome) throw new Error("the order was not split");
  const parts = [{ ...anOrder(), ...outcome.patch }, ...(outcome.creates ?? [])];
  const kitPart = parts.find((part) => part.lines.some(({ sku }) => sku === "KIT"))!;
  expect(kitPart.locationId).toBe("there");
  expect(parts.map((part) => [...needsOf(part).keys()]).toSorted()).toEqual([["A"], ["B", "C"]]);
});

const skus = ["A", "B", "C"];
const anyLevels = fc.dictionary(
  fc.constantFrom("l1", "l2", "l3"),
  fc.record(
    Object.fromEntries(
      skus.map((sku) => [
        sku,
        fc.record({ available: fc.double({ min: -3, max: 9, noNaN: true }), reserved: fc.nat(3) }),
      ]),
    ),
    { requiredKeys: [] },
  ),
  { minKeys: 1 },
);
const anyOrders = fc
  .array(
    fc.record({
      lines: fc.array(fc.record({ sku: fc.constantFrom(...skus), quantity: fc.integer({ min: 1, max: 6 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      priority: fc.constantFrom("low", "normal", "urgent"),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((orders) =>
    orders.map(({ lines, priority }, i) =>
      anOrder({
        id: `order-${i}`,
        bridgeId: null,
        priority,
        lines: lines.map((line, at) => aLine({ id: `line-${at}`, ...line })),
      }),
    ),
  );

test("orders never get more units than a location has, and each order gets all it needs or nothing", () => {
  fc.assert(
    fc.property(anyLevels, anyOrders, fc.boolean(), (levels, orders, allow_split) => {
      const stock = stockOf(levels as Record<string, Record<string, Given>>);
      const outcomes = allocate.applyToAll!(orders, { allow_split }, anEnv({ stock }));
      const taken = new Map<string, number>();
      for (const [i, outcome] of outcomes.entries()) {
        if ("refused" in outcome) {
          expect(outcome.refused).toBe("out_of_stock");
          continue;
        }
        const got = new Map<string, number>();
        for (const { locationId, sku, quantity } of outcome.reserves ?? []) {
          taken.set(`${locationId} ${sku}`, (taken.get(`${locationId} ${sku}`) ?? 0) + quantity);
          got.set(sku, (got.get(sku) ?? 0) + quantity);
        }
        expect(new Map([...got].toSorted())).toEqual(new Map([...needsOf(orders[i]!)].toSorted()));
        const parts = [{ ...orders[i]!, ...outcome.patch }, ...(outcome.creates ?? [])];
        const shipped = new Map<string, number>();
        for (const part of parts) {
          for (const [sku, units] of needsOf(part)) shipped.set(sku, (shipped.get(sku) ?? 0) + units);
        }
        expect(new Map([...shipped].toSorted())).toEqual(new Map([...needsOf(orders[i]!)].toSorted()));
        expect(parts.every(({ locationId }) => locationId !== null)).toBe(true);
      }
      for (const [key, units] of taken) {
        const [locationId, sku] = key.split(" ") as [string, string];
        expect(units).toBeLessThanOrEqual(stock.freeOf(locationId, sku));
      }
    }),
  );
});

test("the distance is in miles within the US, by postal codes elsewhere, and infinite between countries", () => {
  const at = (countryCode: string, zip: string) => ({ countryCode, zip });
  const newark = at("US", "07114");
  expect(distanceBetween(newark, at("us", "10001"))).toBeLessThan(30);
  expect(distanceBetween(newark, at("US", "90001"))).toBeGreaterThan(2_000);
  expect(distanceBetween(newark, { countryCode: "US", provinceCode: "NY" })).toBeLessThan(400);
  const berlin = at("DE", "10115");
  expect(distanceBetween(berlin, at("DE", "10999"))).toBeLessThan(distanceBetween(berlin, at("DE", "80331")));
  expect(distanceBetween(berlin, newark)).toBe(Infinity);
  expect(distanceBetween({}, newark)).toBe(Infinity);
});
