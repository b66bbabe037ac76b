import { describe, expect, test } from "vitest";
import { anItem, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { processed, itemsOf } = await comparisonFixture(hub, org);

const unweighed = (trackingNumber: string, more: object = {}) => anItem({ weight: undefined, trackingNumber, ...more });

describe("items without a weight that match a stored shipment", () => {
  test("are priced with its weight, and report that basis", async () => {
    await org.post("/shipments", { trackingNumber: "1Z 999-A", weight: lb(10) });
    await org.post("/shipments", { trackingNumber: "1ZNOWEIGHT" });
    const path = await processed([
      // As people copy it.
      unweighed("1z999a"),
      unweighed("1ZNOWEIGHT"),
      unweighed("1ZUNHEARDOF"),
      anItem({ trackingNumber: "1Z999A-OWN" }),
    ]);
    expect(await itemsOf(path)).toMatchObject([
      { status: "rated", basis: "shipment", targetCost: 16.5, ratedWeight: lb(10), weight: null },
      { status: "estimated", basis: "profile" },
      { status: "estimated", basis: "profile" },
      { status: "rated", basis: "weight", targetCost: 13.2 },
    ]);
    const { body } = await org.get(`${path}/summary`);
    expect(body.coverage.byBasis).toEqual({ shipment: 1, profile: 2, weight: 1 });
    expect((await itemsOf(path, "?basis=shipment")).map((item: { index: number }) => item.index)).toEqual([0]);
    // A scenario is worked out from the same weights.
    const { body: scenario } = await org.get(`${path}/summary?fuelPercent=10`);
    expect(scenario.totals).toEqual(body.totals);
  });

  test("keep their own data", async () => {
    await org.post("/shipments", { trackingNumber: "1ZHEAVY", weight: lb(10), service: "2nd Day Air" });
    const path = await processed(
      [
        anItem({ trackingNumber: "1ZHEAVY" }),
        unweighed("1ZHEAVY", { serviceType: "UPS Ground" }),
        unweighed("1ZHEAVY", { serviceType: undefined }),
      ],
      {},
      { duplicates: "keep" },
    );
    expect(await itemsOf(path)).toMatchObject([
      { basis: "weight", targetService: "GROUND", targetCost: 13.2 },
      { basis: "shipment", targetService: "GROUND", targetCost: 16.5 },
      // Without a service of their own they take that of the shipment as well.
      { basis: "shipment", targetService: "FLAT", targetCost: 27.5 },
    ]);
  });

  test("count as exact weights", async () => {
    await org.post("/shipments", { trackingNumber: "1ZSTRICT", weight: { value: 16, unit: "oz" } });
    const path = await processed([unweighed("1ZSTRICT"), unweighed("1ZNOTHING")], {}, { weightPolicy: "strict" });
    expect(await itemsOf(path)).toMatchObject([
      { status: "rated", basis: "shipment", targetCost: 11 },
      { status: "unrateable", reason: "weight_missing" },
    ]);
  });

  test("use the newest of several shipments, no voided one, and none of another organization", async () => {
    const other = await hub.org();
    await other.post("/shipments", { trackingNumber: "1ZFOREIGN", weight: lb(10) });
    await org.post("/shipments", { trackingNumber: "1ZTWICE", weight: lb(10), carrier: "UPS" });
    await org.post("/shipments", { trackingNumber: "1ZTWICE", weight: lb(1), carrier: "FedEx" });
    const { body: voided } = await org.post("/shipments", { trackingNumber: "1ZVOID", weight: lb(10) });
    expect((await org.post(`/shipments/${voided.id}/void`)).status).toBe(200);
    const path = await processed([unweighed("1ZFOREIGN"), unweighed("1ZTWICE"), unweighed("1ZVOID")]);
    expect(await itemsOf(path)).toMatchObject([
      { basis: "profile" },
      { basis: "shipment", targetCost: 11 },
      { basis: "profile" },
    ]);
  });
});
