import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anItem, contract, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, anAccount, processed, itemsOf } = await comparisonFixture(hub, org);

const dearer = (factor: number, more: object) => ({
  ...contract,
  ...more,
  services: contract.services.map((service) => ({
    ...service,
    rates: Object.fromEntries(
      Object.entries(service.rates).map(([zone, row]) => [zone, row.map((price) => price * factor)]),
    ),
  })),
});
const uploadTo = async (account: string, card: object): Promise<string> => {
  const { status, body } = await org.post(`/carrier-accounts/${account}/rate-cards`, { card });
  expect(status).toBe(201);
  return body.id;
};
const costsOf = async (path: string): Promise<number[]> =>
  (await itemsOf(path)).map(({ targetCost }: { targetCost: number }) => targetCost);

describe("D19: the card of the ship date", () => {
  test("prices each parcel like a quote for that day; without a card for that day, today's card is used", async () => {
    const account = await anAccount(
      dearer(1, { name: "2024", effectiveFrom: "2024-01-01", effectiveTo: "2024-12-31" }),
    );
    await uploadTo(account, dearer(2, { name: "2025", effectiveFrom: "2025-01-01", effectiveTo: "2025-12-31" }));
    await uploadTo(account, dearer(3, { name: "2026", effectiveFrom: "2026-01-01" }));
    const days = ["2024-06-30", "2025-12-31", "2026-01-01", "2019-05-05", undefined];
    const items = days.map((shipDate) => anItem({ shipDate }));
    const path = await processed(items, { carrierAccountId: account });
    expect(await costsOf(path)).toEqual([13.2, 26.4, 39.6, 39.6, 39.6]);
    const quoted = await Promise.all(
      days.slice(0, 3).map(async (shipDate) => {
        const { body } = await org.post(`/carrier-accounts/${account}/quote`, {
          origin: { zip: "07114" },
          destination: { zip: "10001" },
          weight: lb(3),
          services: ["GROUND"],
          shipDate,
        });
        return body.quotes[0].total;
      }),
    );
    expect(quoted).toEqual([13.2, 26.4, 39.6]);
    // A scenario as well, and a day that was named for all goes before.
    expect((await org.get(`${path}/summary?fuelPercent=0`)).body.totals.targetCost).toBe(144);
    const named = await processed(items, { carrierAccountId: account }, { rateDate: "2025-06-01" });
    expect(await costsOf(named)).toEqual([26.4, 26.4, 26.4, 26.4, 26.4]);
  });

  test("is found also with names that look like dates", async () => {
    const account = await anAccount(
      dearer(1, { name: "2025", effectiveFrom: "2025-01-01", effectiveTo: "2025-12-31" }),
    );
    await uploadTo(account, dearer(2, { name: "2026", effectiveFrom: "2026-01-01" }));
    const serviceMap = { "2026-01-31": "GROUND" };
    const items = [anItem({ shipDate: "2025-06-30", serviceType: "2026-01-31" })];
    expect(await costsOf(await processed(items, { carrierAccountId: account }, { serviceMap }))).toEqual([13.2]);
  });

  test("is used to infer the weight from the paid amount as well", async () => {
    const source = await anAccount(dearer(1, { name: "Old", effectiveFrom: "2024-01-01", effectiveTo: "2024-12-31" }));
    await uploadTo(source, dearer(2, { name: "New", effectiveFrom: "2025-01-01" }));
    const paid = (netCost: number, shipDate: string) => anItem({ netCost, shipDate, weight: undefined });
    const items = [paid(16.5, "2024-05-05"), paid(33, "2025-05-05")];
    const path = await processed(items, { sourceCarrierAccountId: source });
    expect(await itemsOf(path)).toMatchObject([
      { basis: "inferred", ratedWeight: lb(10) },
      { basis: "inferred", ratedWeight: lb(10) },
    ]);
  });
});

describe("D14: a comparison becomes stale", () => {
  const remote = { code: "REMOTE", kind: "fixed", amount: 5, when: { destinationSet: "" } };

  test("when a condition set, zone chart or service name that it used is changed; a scenario reports that it uses the new ones", async () => {
    const set = (await org.post("/condition-sets", { name: `Remote ${randomUUID()}` })).body;
    await org.post(`/condition-sets/${set.id}/values`, { values: ["10001"] });
    const account = await anAccount({ ...contract, surcharges: [{ ...remote, when: { destinationSet: set.name } }] });
    const other = await processed([anItem()]);
    const path = await processed([anItem()], { carrierAccountId: account });
    const isStale = async (): Promise<boolean[]> => [
      (await org.get(path)).body.stale,
      (await org.get(`${path}/summary`)).body.stale,
      (await org.get("/rate-comparisons?limit=100")).body.data.find(({ id }: { id: string }) => path.endsWith(id))
        .stale,
    ];
    const scenario = async () => (await org.get(`${path}/summary?fuelPercent=10`)).body;
    expect(await isStale()).toEqual([false, false, false]);
    expect((await scenario()).assumptions.map(({ code }: { code: string }) => code)).not.toContain("inputs_changed");
    const changes: (() => Promise<{ status: number }>)[] = [
      () => org.post(`/condition-sets/${set.id}/values`, { values: ["90210"] }),
      () =>
        org.call("PUT", `/carrier-accounts/${account}/zone-chart`, { csv: "origin,destination,zone\n07114,10001,2\n" }),
      () => org.patch(`/carrier-accounts/${account}`, { serviceAliases: { "Next week": "GROUND" } }),
    ];
    for (const make of changes) {
      expect((await make()).status).toBeLessThan(300);
      expect(await isStale()).toEqual([true, true, true]);
      expect((await scenario()).assumptions).toContainEqual(expect.objectContaining({ code: "inputs_changed" }));
      await org.post(`${path}/process`);
      await workOff(hub.world, comparisonWork);
      expect(await isStale()).toEqual([false, false, false]);
    }
    expect((await org.get(other)).body.stale).toBe(false);
  });

  test("only when another card applies on the ship date of one of its parcels", async () => {
    const account = await anAccount({ ...contract, effectiveFrom: "2024-01-01" });
    const source = await anAccount({ ...contract, effectiveFrom: "2024-01-01" });
    const items = ["2025-03-10", "2025-06-20"].map((shipDate) => anItem({ shipDate }));
    const path = await processed(items, { carrierAccountId: account, sourceCarrierAccountId: source });
    const isStale = async (): Promise<boolean> => (await org.get(path)).body.stale;
    const upload = (to: string, effectiveFrom: string, effectiveTo: string) =>
      uploadTo(to, { ...contract, name: effectiveFrom, effectiveFrom, effectiveTo });
    // Before the first, after the last, and under another card all the time.
    await upload(account, "2025-01-01", "2025-03-09");
    await upload(account, "2025-06-21", "2025-06-30");
    await upload(account, "2023-01-01", "2025-12-31");
    expect(await isStale()).toBe(false);
    for (const to of [account, source]) {
      const card = await upload(to, "2025-04-01", "2025-06-20");
      expect(await isStale()).toBe(true);
      await org.post(`/carrier-accounts/${to}/rate-cards/${card}/deactivate`);
      expect(await isStale()).toBe(false);
    }
    await upload(account, "2025-03-01", "2025-03-10");
    expect(await isStale()).toBe(true);
    await org.post(`${path}/process`);
    await workOff(hub.world, comparisonWork);
    expect(await isStale()).toBe(false);
  });
});

describe("D12: the break-even discount", () => {
  const terms = {
    ...contract,
    services: contract.services.map((service) => ({
      ...service,
      discounts: [{ percent: 20 }],
      minimum: { amount: 8 },
    })),
    surcharges: [{ code: "RES", kind: "fixed", amount: 4, when: { residential: true }, isFuelApplied: true }],
    fuel: { percent: 18, appliesTo: "subtotal", discountPercent: 10 },
  };

  test("gives equal costs when it is applied, including minimums, fuel and surcharges", async () => {
    const account = await anAccount(terms);
    const items = Array.from({ length: 60 }, (_, index) =>
      anItem({ netCost: 9 + (index % 7), weight: lb(1 + (index % 10)), residential: index % 3 === 0 }),
    );
    const path = await processed(items, { carrierAccountId: account });
    const { breakEven, totals } = (await org.get(`${path}/summary`)).body;
    expect(totals.savings).toBeLessThan(0);
    expect(breakEven.discountPct).toBeGreaterThan(0);
    const given = (await org.get(`${path}/summary?extraDiscountPercent=${breakEven.discountPct}`)).body;
    expect(given.totals.savings).toBeGreaterThanOrEqual(0);
    // The next smaller discount is not enough.
    const less = Math.round((breakEven.discountPct - 0.01) * 100) / 100;
    expect((await org.get(`${path}/summary?extraDiscountPercent=${less}`)).body.totals.savings).toBeLessThan(0);
    expect(given.breakEven.discountPct).toBeLessThanOrEqual(0);
  });

  test("does not exist if fuel, minimums and surcharges alone cost more", async () => {
    const account = await anAccount(terms);
    const path = await processed([anItem({ netCost: 5 })], { carrierAccountId: account });
    const { breakEven } = (await org.get(`${path}/summary`)).body;
    expect(breakEven).toMatchObject({ discountPct: null, description: expect.stringContaining("No discount") });
  });
});

test("a weight of zero counts as missing and is not priced as the lightest parcel", async () => {
  const path = await processed([anItem({ weight: lb(0) })], {}, { weightPolicy: "strict" });
  expect(await itemsOf(path)).toMatchObject([{ status: "unrateable", reason: "weight_missing", weight: lb(0) }]);
});

test("an international parcel is not priced as a domestic one", async () => {
  const items = [
    anItem({ destinationCountry: "Canada", destinationZip: "K1A 0B1", destinationState: "ON" }),
    anItem({ originCountry: "DE" }),
    anItem({ originCountry: "us", destinationCountry: "United States" }),
    anItem({ destinationCountry: "" }),
  ];
  const told = (rows: { status: string; reason: string | null }[]) =>
    rows.map(({ status, reason }) => [status, reason]);
  const path = await processed(items);
  expect(told(await itemsOf(path))).toEqual([
    ["unrateable", "international"],
    ["unrateable", "international"],
    ["rated", null],
    ["rated", null],
  ]);
  const csv = "Tracking,Cost,Service,From Zip,Zip,Country,Weight (lb)\nX1,15,UPS Ground,07114,10115,Germany,3\n";
  const { body } = await org.post("/rate-comparisons/import", { name: "Abroad", carrierAccountId, csv });
  await org.post(`/rate-comparisons/${body.comparison.id}/process`);
  await workOff(hub.world, comparisonWork);
  expect(told(await itemsOf(`/rate-comparisons/${body.comparison.id}`))).toEqual([["unrateable", "international"]]);
});
