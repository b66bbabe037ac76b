import { expect, test } from "vitest";
import { anItem, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, processed, itemsOf } = await comparisonFixture(hub, org);

type Row = { netCost: number; sourceCost: number; status: string; reason: string | null; savings: number | null };
const told = (rows: Row[]) =>
  rows.map(({ netCost, sourceCost, status, reason, savings }) => [netCost, sourceCost, status, reason, savings]);

/** As an invoice lists it: freight, fuel, a charge for homes, one of them once more, and something that came back. */
const charges = [
  anItem({ trackingNumber: "1ZONE", netCost: 11 }),
  anItem({ trackingNumber: "1ZONE", netCost: 2.2, serviceType: "Fuel Surcharge" }),
  anItem({ trackingNumber: "OTHER", netCost: 12 }),
  anItem({ trackingNumber: "1ZONE", netCost: 6.45, serviceType: "Residential" }),
  anItem({ trackingNumber: "1ZONE", netCost: 6.45, serviceType: "Residential" }),
  anItem({ trackingNumber: "1ZONE", netCost: -1.5, serviceType: "Address Correction Refund" }),
  anItem({ trackingNumber: "GONE", netCost: -20 }),
];

test("D20: charges with one tracking number are one parcel; copies, and credits without a parcel, are ignored", async () => {
  const path = await processed(charges);
  // 3 lb cost 13.20 with the other contract.
  expect(told(await itemsOf(path))).toEqual([
    [11, 18.15, "rated", null, 4.95],
    [2.2, 0, "excluded", "charge_line", null],
    [12, 12, "rated", null, -1.2],
    [6.45, 0, "excluded", "charge_line", null],
    [6.45, 6.45, "excluded", "duplicate", null],
    [-1.5, 0, "excluded", "charge_line", null],
    [-20, -20, "excluded", "credit", null],
  ]);
  const { body } = await org.get(`${path}/summary`);
  expect(body.totals).toMatchObject({ sourceCost: 30.15, targetCost: 26.4, savings: 3.75 });
  expect(body.coverage).toMatchObject({ compared: 2, byReason: { charge_line: 3, duplicate: 1, credit: 1 } });
  expect(body.assumptions).toContainEqual({ code: "charge_line", items: 3, message: expect.any(String) });
  expect(body.top.savings).toMatchObject([{ trackingNumber: "1ZONE", savings: 4.95 }]);
  expect((await itemsOf(path, "?outcome=win")).map(({ netCost }: Row) => netCost)).toEqual([11]);
  // A scenario goes by the same parcels.
  expect((await org.get(`${path}/summary?fuelPercent=0`)).body.totals).toMatchObject({ sourceCost: 30.15 });
});

test("D20: the amount paid for a parcel without a price is the sum of its charges as well", async () => {
  const path = await processed(charges.map((item) => ({ ...item, destinationZip: "96799", destinationState: "" })));
  expect(told(await itemsOf(path)).slice(0, 2)).toEqual([
    [11, 18.15, "unrateable", expect.any(String), null],
    [2.2, 0, "excluded", "charge_line", null],
  ]);
});

test.each([
  ["exclude", 23, 2],
  ["keep", 38.1, 5],
])("D20: the first charge counts alone, or each for itself: %s", async (duplicates, sourceCost, compared) => {
  const serviceMap = { "Fuel Surcharge": "GROUND", Residential: "GROUND" };
  const path = await processed(charges, {}, { duplicates, serviceMap });
  const { body } = await org.get(`${path}/summary`);
  expect(body.totals.sourceCost).toBe(sourceCost);
  expect(body.coverage.compared).toBe(compared);
});

test("D20: an invoice file is read with its credits, in any notation", async () => {
  const csv =
    "Tracking Number,Net Charge,Service,Origin Zip,Zip,Weight (lb)\n" +
    "A,14.00,UPS Ground,07114,10001,3\nA,1.40,Fuel,,,\nA,(2.00),Credit,,,\nA,0.50-,Credit,,,\nA,-0.10,Credit,,,\n";
  const { body } = await org.post("/rate-comparisons/import", { name: "Invoice", carrierAccountId, csv });
  const path = `/rate-comparisons/${body.comparison.id}`;
  await org.post(`${path}/process`);
  await workOff(hub.world, comparisonWork);
  expect((await org.get(`${path}/summary`)).body.totals).toMatchObject({ sourceCost: 12.8, targetCost: 13.2 });
});
