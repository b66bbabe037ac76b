import { read, utils } from "@e965/xlsx";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anItem, contract, far, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, processed, itemsOf } = await comparisonFixture(hub, org);

type Cells = Record<string, string | number | null>;

/** By the readers of another program, and with sums in a way of our own: no code of the export is used. */
async function exportsOf(path: string): Promise<Record<string, Cells[]>> {
  const headers = { authorization: `Bearer ${org.token}` };
  const download = async (kind: string) =>
    Buffer.from(await (await fetch(`${hub.url}/api/v1${path}/export.${kind}`, { headers })).arrayBuffer());
  const csv = read(await download("csv"), { raw: true });
  const xlsx = read(await download("xlsx"));
  return {
    csv: utils.sheet_to_json<Cells>(csv.Sheets[csv.SheetNames[0]!]!, { defval: null }),
    xlsx: utils.sheet_to_json<Cells>(xlsx.Sheets.Items!, { defval: null }),
  };
}

const centsOf = (cell: string | number | null): number => Math.round(Number(cell ?? 0) * 100);
const sum = (rows: Cells[], column: string): number => rows.reduce((all, row) => all + centsOf(row[column]!), 0);

const aLine = fc.record({
  trackingNumber: fc.constantFrom("A", "B", "C", "D", "E", "F"),
  netCost: fc.integer({ min: -800, max: 3000 }).map((cents) => cents / 100),
  serviceType: fc.constantFrom("UPS Ground", "2nd Day Air", "Fuel Surcharge", "Unheard of"),
  chargeType: fc.constantFrom("Freight", "Fuel"),
  weight: fc.constantFrom(lb(1), lb(4), lb(900)),
});

describe("N2: the export", () => {
  test("adds up to the summary, in both formats, however many charges a parcel has", async () => {
    const lines = fc.array(aLine, { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom("sum", "exclude", "keep"), async (items, duplicates) => {
        const path = await processed(items.map(anItem), {}, { duplicates });
        const { totals, coverage } = (await org.get(`${path}/summary`)).body;
        for (const rows of Object.values(await exportsOf(path))) {
          const compared = rows.filter((row) => row.targetCost !== null && row.targetCost !== "");
          expect(compared).toHaveLength(coverage.compared);
          expect(sum(compared, "sourceCost")).toBe(centsOf(totals.sourceCost));
          expect(sum(rows, "targetCost")).toBe(centsOf(totals.targetCost));
          expect(sum(rows, "savings")).toBe(centsOf(totals.savings));
          expect(sum(rows, "sourceCost")).toBe(centsOf(totals.sourceCost) + centsOf(totals.sourceCostUnrated));
          for (const row of compared)
            expect(centsOf(row.sourceCost!) - centsOf(row.targetCost!)).toBe(centsOf(row.savings!));
          // Nothing that was paid is in it twice, or not at all.
          if (duplicates === "sum") expect(sum(rows, "sourceCost")).toBe(sum(rows, "netCost"));
        }
      }),
      { numRuns: 8 },
    );
  });
});

describe("N14: counts", () => {
  test("are of parcels in shares and states, and of rows in lists of items", async () => {
    const charges = ["Freight", "Fuel", "Residential"];
    const parcels = ["A", "B", "C"].flatMap((trackingNumber) =>
      charges.map((chargeType) => anItem({ trackingNumber, chargeType, ...far })),
    );
    const path = await processed([...parcels, anItem({ serviceType: "Unheard of" })]);
    const { body } = await org.get(`${path}/summary`);
    expect(body.coverage).toMatchObject({ items: 10, parcels: 4, compared: 3, excluded: 6, ratedPct: 75 });
    const [california] = body.stateBreakdown;
    expect(california).toMatchObject({ destinationState: "CA", items: 3 });
    const listed = (await org.get(`${path}/items?destinationState=CA`)).body;
    expect(listed.pagination.total).toBe(3);
    expect(listed.data.map((item: { index: number }) => item.index)).toEqual([0, 3, 6]);
    expect(await itemsOf(path, "?destinationState=CA&reason=charge_line")).toHaveLength(6);
    expect(await itemsOf(path, "?destinationState=CA&status=excluded")).toHaveLength(6);
    const clean = await processed(parcels);
    expect((await org.get(clean)).body.status).toBe("completed");
    expect((await org.get(`${clean}/summary`)).body.coverage.ratedPct).toBe(100);
  });
});

describe("N8: an implausible parcel", () => {
  test("fails its item, not the comparison: an excessive price", async () => {
    const dear = {
      ...contract,
      services: [{ ...contract.services[0], perUnitAbove: { unit: "g", rates: { "2": 1000 } } }],
    };
    const carrierAccountId = await anAccount(dear);
    const path = await processed([anItem(), anItem({ weight: lb(100) }), anItem({ weight: lb(9) })], {
      carrierAccountId,
    });
    expect(await itemsOf(path)).toMatchObject([
      { status: "rated", targetCost: 13.2 },
      { status: "unrateable", reason: "amount_out_of_range", targetCost: null, lines: [] },
      { status: "rated", targetCost: 16.5 },
    ]);
    const { body } = await org.get(`${path}/summary`);
    expect(body).toMatchObject({ status: "completed_with_errors", totals: { targetCost: 29.7 } });
    expect(body.coverage.byReason).toEqual({ amount_out_of_range: 1 });
  });

  test("fails its item: excessive charges for one tracking number", async () => {
    const lines = Array.from({ length: 30 }, (_, index) =>
      anItem({ trackingNumber: "1ZRICH", netCost: 1_000_000, chargeType: `Charge ${index}` }),
    );
    const path = await processed([anItem(), ...lines]);
    const [one, rich] = await itemsOf(path);
    expect(one).toMatchObject({ status: "rated" });
    expect(rich).toMatchObject({ reason: "amount_out_of_range", sourceCost: 30_000_000 });
  });

  test("fails its item: sides in millimetres read as inches, unless the card allows them", async () => {
    const dimensions = { length: 305, width: 254, height: 203, unit: "in" };
    const box = { length: 300, width: 254, height: 203, unit: "cm" };
    const items = [anItem({ dimensions }), anItem({ dimensions: box, weight: lb(1) })];
    const path = await processed(items);
    expect(await itemsOf(path)).toMatchObject([
      { status: "invalid", reason: "sides_implausible", targetCost: null },
      { reason: expect.not.stringContaining("sides") },
    ]);
    const [ground] = contract.services;
    const limits = { maxLength: 400 };
    const services = [{ ...ground, limits, perUnitAbove: { unit: "lb", rates: { "2": 1 } } }];
    const carrierAccountId = await anAccount({ ...contract, services });
    expect(await itemsOf(await processed(items, { carrierAccountId }))).toMatchObject([
      { status: "rated" },
      { status: "rated" },
    ]);
  });
});

describe("N9: an assumption of a price", () => {
  const codes = async (path: string) => {
    const { assumptions } = (await org.get(`${path}/summary`)).body as {
      assumptions: { code: string; items: number }[];
    };
    const wanted = new Set(["sides_missing", "card_not_in_effect"]);
    return Object.fromEntries(assumptions.flatMap(({ code, items }) => (wanted.has(code) ? [[code, items]] : [])));
  };
  const dimensions = { length: 10, width: 8, height: 4, unit: "in" };

  test("is reported: missing sides if the card uses them", async () => {
    const path = await processed([anItem(), anItem({ dimensions }), anItem({ serviceType: "2nd Day Air" })]);
    expect(await codes(path)).toEqual({ sides_missing: 1 });
    const services = contract.services.map(({ code, level, weightBreaks, rates }) => ({
      code,
      level,
      weightBreaks,
      rates,
    }));
    expect(
      await codes(await processed([anItem()], { carrierAccountId: await anAccount({ ...contract, services }) })),
    ).toEqual({});
    const surcharges = [{ code: "LONG", kind: "fixed", amount: 20, when: { longestSideOver: 48 } }];
    const bySize = await anAccount({ ...contract, services, surcharges });
    expect(await codes(await processed([anItem(), anItem({ dimensions })], { carrierAccountId: bySize }))).toEqual({
      sides_missing: 1,
    });
  });

  test("is reported: a ship date before every card of the account", async () => {
    const items = ["2019-12-31", "2020-01-01", undefined].map((shipDate) => anItem({ dimensions, shipDate }));
    expect(await codes(await processed(items))).toEqual({ card_not_in_effect: 1 });
    // Who names a day for all has chosen the card.
    expect(await codes(await processed(items, {}, { rateDate: "2026-01-01" }))).toEqual({});
  });
});
