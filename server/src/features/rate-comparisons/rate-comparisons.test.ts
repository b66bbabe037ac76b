import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anItem, contract as card, far, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, anAccount, aComparison, processed, itemsOf } = await comparisonFixture(hub, org);

describe("a comparison", () => {
  test("is created as a draft, processed, read and deleted", async () => {
    const path = await aComparison([anItem(), anItem({ ...far, netCost: 20 })]);
    const draft = await org.get(path);
    expect(draft.body).toMatchObject({
      status: "draft",
      revision: 0,
      itemCount: 2,
      sourceCarrier: "UPS",
      progress: { processed: 0, total: 2 },
      counts: { pending: 2 },
      rateCard: null,
    });
    expect((await org.get(`${path}/summary`)).body).toMatchObject({
      status: "draft",
      totals: { sourceCost: 0, savingsPct: null },
      zoneBreakdown: [],
      coverage: { items: 2, pending: 2, compared: 0 },
    });
    expect((await itemsOf(path))[0]).toMatchObject({ status: "pending", zone: null, targetCost: null, sourceCost: 15 });
    expect(await org.post(`${path}/process`)).toMatchObject({ status: 200, body: { status: "queued" } });
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject({
      status: "completed",
      revision: 1,
      progress: { processed: 2, total: 2, percent: 100 },
      counts: { pending: 0, rated: 2 },
      rateCard: { name: "Contract", version: 1 },
      stale: false,
    });
    // 3 lb near: 12.00 and 1.20; far: 24.00 and 2.40.
    expect(await itemsOf(path)).toMatchObject([
      {
        index: 0,
        status: "rated",
        basis: "weight",
        zone: "2",
        zoneSource: "distance",
        targetService: "GROUND",
        serviceLevel: "ground",
        ratedWeight: { value: 5, unit: "lb" },
        sourceCost: 15,
        targetCost: 13.2,
        savings: 1.8,
        savingsPct: 12,
        outcome: "win",
        breakEvenWeight: { value: 5, unit: "lb" },
        lines: [
          { code: "base", amount: 12 },
          { code: "fuel", amount: 1.2 },
        ],
      },
      { zone: "8", targetCost: 26.4, savings: -6.4, outcome: "loss", breakEvenWeight: null },
    ]);
    const { body } = await org.get(`${path}/summary`);
    expect(body).toMatchObject({
      totals: { sourceCost: 35, targetCost: 39.6, savings: -4.6, savingsPct: -13.14 },
      outcomes: { wins: 1, losses: 1, ties: 0, winAmount: 1.8, lossAmount: 6.4 },
      cheapestMix: { cost: 33.2, savings: 1.8, targetItems: 1, sourceItems: 1 },
      costBreakdown: { source: { net: 35 }, target: { base: 36, fuel: 3.6, discount: 0, total: 39.6 } },
      zoneBreakdown: [
        { zone: "2", items: 1, sourceCost: 15, targetCost: 13.2, savings: 1.8 },
        { zone: "8", items: 1, sourceCost: 20, targetCost: 26.4, savings: -6.4 },
      ],
      distribution: { p50: -6.4 },
      top: { savings: [{ savings: 1.8 }], losses: [{ savings: -6.4 }] },
    });
    expect((await org.get("/rate-comparisons?status=completed")).body.data[0].id).toBe((await org.get(path)).body.id);
    expect((await org.delete(path)).body.deleted).toBe(true);
    expect((await org.get(path)).body.code).toBe("rate_comparison_not_found");
    expect((await org.delete(path)).status).toBe(404);
  });

  test("is rejected with all invalid items at once, and nothing is stored", async () => {
    const before = (await org.get("/rate-comparisons")).body.pagination.total;
    const answer = await org.post("/rate-comparisons", {
      name: "Wrong",
      carrierAccountId,
      items: [
        anItem(),
        anItem({ netCost: -1_000_001 }),
        { netCost: "12" },
        anItem({ weight: { value: 1, unit: "stone" } }),
      ],
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/items/1/netCost",
      "/items/2/trackingNumber",
      "/items/2/netCost",
      "/items/3/weight/unit",
    ]);
    const unknown = await org.post("/rate-comparisons", { name: "x", carrierAccountId: randomUUID(), items: [] });
    expect(unknown.body).toMatchObject({ status: 404, code: "carrier_account_not_found" });
    expect((await org.get("/rate-comparisons")).body.pagination.total).toBe(before);
  });

  test("without items, without a rate card or in progress cannot be processed", async () => {
    const empty = await aComparison([]);
    expect((await org.post(`${empty}/process`)).body).toMatchObject({ status: 400, errors: [{ code: "no_items" }] });
    const { body } = await org.post("/carrier-accounts", { name: "No card", carrier: "rate-card" });
    const cardless = await aComparison([anItem()], { carrierAccountId: body.id });
    expect((await org.post(`${cardless}/process`)).body).toMatchObject({ status: 409, code: "no_rate_card" });
    const busy = await aComparison([anItem()]);
    await org.post(`${busy}/process`);
    expect((await org.post(`${busy}/process`)).body).toMatchObject({ status: 409, code: "already_processing" });
    expect((await org.delete(busy)).status).toBe(200);
    await workOff(hub.world, comparisonWork);
  });

  test("is processed again as a new revision, and reports a changed rate card", async () => {
    const account = await anAccount();
    const path = await processed([anItem()], { carrierAccountId: account });
    expect((await org.get(path)).body).toMatchObject({ revision: 1, stale: false });
    await org.post(`/carrier-accounts/${account}/rate-cards`, {
      card: { ...card, fuel: { percent: 20, appliesTo: "base_net" } },
    });
    expect((await org.get(path)).body).toMatchObject({ revision: 1, stale: true });
    const listed = (await org.get("/rate-comparisons?limit=100")).body.data as { id: string; stale: boolean }[];
    expect(listed.filter(({ stale }) => stale).map(({ id }) => `/rate-comparisons/${id}`)).toEqual([path]);
    expect((await org.get(`${path}/summary`)).body).toMatchObject({ stale: true, totals: { targetCost: 13.2 } });
    await org.post(`${path}/process`);
    await workOff(hub.world, comparisonWork);
    expect((await org.get(path)).body).toMatchObject({ revision: 2, stale: false, rateCard: { version: 2 } });
    expect((await itemsOf(path))[0]).toMatchObject({ revision: 2, targetCost: 14.4 });
    // What was compared stays readable without the account.
    await org.delete(`/carrier-accounts/${account}`);
    expect((await org.get(`${path}/summary`)).body.totals.targetCost).toBe(14.4);
    expect((await org.post(`${path}/process`)).body.code).toBe("carrier_account_not_found");
  });

  test("with the demo carrier needs no rate card", async () => {
    const { body } = await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
    const path = await processed([anItem()], { carrierAccountId: body.id });
    expect((await org.get(path)).body).toMatchObject({ status: "completed", rateCard: { id: null } });
  });
});

describe("items", () => {
  test("that cannot be compared have a reason, and their cost is counted separately", async () => {
    const path = await processed([
      anItem(),
      anItem({ serviceType: "carrier pigeon" }),
      anItem({ destinationZip: "what", destinationState: undefined }),
      anItem({ destinationZip: "00000", destinationState: undefined }),
      anItem({ weight: lb(11) }),
      anItem({ destinationZip: "09012", destinationState: "AE" }),
      anItem({ currency: "EUR" }),
      anItem({ trackingNumber: "twice" }),
      anItem({ trackingNumber: "twice" }),
      anItem({ destinationZip: undefined, destinationState: undefined }),
      anItem({ serviceType: undefined }),
    ]);
    const found = await itemsOf(path);
    expect(found.map(({ status, reason }: { status: string; reason: string }) => [status, reason])).toEqual([
      ["rated", null],
      ["unrateable", "service_unmatched"],
      ["invalid", "invalid_zip"],
      ["unrateable", "zone_unresolved"],
      ["unrateable", "over_limit"],
      ["unrateable", "not_serviceable"],
      ["invalid", "currency_mismatch"],
      ["rated", null],
      ["excluded", "duplicate"],
      ["unrateable", "zone_unresolved"],
      ["unrateable", "service_unmatched"],
    ]);
    expect((await org.get(path)).body.status).toBe("completed_with_errors");
    const { coverage, totals } = (await org.get(`${path}/summary`)).body;
    expect(coverage).toMatchObject({
      items: 11,
      compared: 2,
      rated: 2,
      unrateable: 6,
      invalid: 2,
      excluded: 1,
      pending: 0,
    });
    expect(coverage.byReason).toEqual({
      service_unmatched: 2,
      invalid_zip: 1,
      zone_unresolved: 2,
      over_limit: 1,
      not_serviceable: 1,
      currency_mismatch: 1,
      duplicate: 1,
    });
    expect(totals).toMatchObject({ sourceCost: 30, sourceCostUnrated: 135 });
  });

  test("without a weight use a flat price, the paid contract or usual weights, and report it", async () => {
    const source = await anAccount({
      ...card,
      services: [{ ...card.services[0], rates: { "2": [11, 13, 16], "8": [21, 25, 31] } }],
    });
    const unknown = (more: object) => anItem({ weight: undefined, ...more });
    const path = await processed(
      [
        unknown({ serviceType: "2nd Day Air" }),
        // 13.00 and fuel is five pounds; 15.00 is between five and ten.
        unknown({ netCost: 14.3 }),
        unknown({ netCost: 15 }),
        unknown({ netCost: 200 }),
      ],
      { sourceCarrierAccountId: source },
      { assumedWeight: lb(10) },
    );
    expect(await itemsOf(path)).toMatchObject([
      { status: "rated", basis: "flat", targetCost: 27.5, breakEvenWeight: null },
      { status: "estimated", basis: "inferred", targetCost: 13.2, targetLow: 13.2, targetHigh: 13.2 },
      { status: "estimated", basis: "inferred", targetCost: 16.5, targetLow: 13.2, targetHigh: 16.5 },
      { status: "estimated", basis: "profile", targetCost: 16.5, breakEvenWeight: { value: 10, unit: "lb" } },
    ]);
    const { body } = await org.get(`${path}/summary`);
    expect(body.coverage.byBasis).toEqual({ flat: 1, inferred: 2, profile: 1 });
    expect(body.assumptions.map(({ code }: { code: string }) => code)).toEqual(
      expect.arrayContaining(["weight_profile", "weight_inferred", "zone_distance"]),
    );
    const strict = await processed([unknown({})], {}, { weightPolicy: "strict" });
    expect((await itemsOf(strict))[0]).toMatchObject({
      status: "unrateable",
      reason: "weight_missing",
      breakEvenWeight: { value: 5, unit: "lb" },
    });
  });

  test("of unknown weight use the weights of the others if there are enough", async () => {
    const known = Array.from({ length: 30 }, (_, index) =>
      anItem({ weight: lb(index < 15 ? 1 : 10), serviceType: "House Brand" }),
    );
    // Under another name too, if the service was mapped.
    const options = { serviceMap: { "house brand": "GROUND" } };
    const path = await processed([...known, anItem({ weight: undefined })], { options });
    const last = (await itemsOf(path)).at(-1);
    // Half at 11.00, half at 16.50.
    expect(last).toMatchObject({ basis: "profile", targetCost: 13.75, targetLow: 11, targetHigh: 16.5 });
    expect(last.lines.reduce((sum: number, line: { amount: number }) => sum + Math.round(line.amount * 100), 0)).toBe(
      1375,
    );
  });

  test("use the mapped service, whatever its name means elsewhere", async () => {
    const flat = { weightBreaks: [{ upTo: null }] };
    const services = [
      { code: "PRIORITY", level: "two_day", rates: { "2": [25] }, ...flat },
      { code: "SAVER", level: "three_day", rates: { "2": [5] }, ...flat },
    ];
    const account = await anAccount({ ...card, services });
    const items = [anItem({ serviceType: "our two days" }), anItem({ serviceType: "Priority Mail" })];
    const options = { serviceMap: { "Our Two Days": "PRIORITY" } };
    const path = await processed(items, { carrierAccountId: account, options });
    expect(await itemsOf(path)).toMatchObject([{ targetService: "PRIORITY" }, { targetService: "SAVER" }]);
    const parcel = { origin: { zip: "07114" }, destination: { zip: "10001" }, weight: lb(3), services: ["PRIORITY"] };
    const { body } = await org.post(`/carrier-accounts/${account}/quote`, parcel);
    expect(body.quotes).toMatchObject([{ service: "PRIORITY", total: 27.5 }]);
  });

  test("pay the surcharge of their state in any spelling, or derived from the ZIP", async () => {
    const surcharges = [{ code: "NEW_YORK", kind: "fixed", amount: 5, when: { destinationStates: ["NY"] } }];
    const account = await anAccount({ ...card, surcharges });
    const states = ["NY", "ny", " Ny ", "New York", "", undefined, "NJ"];
    const items = states.map((destinationState) => anItem({ destinationState }));
    const rated = await itemsOf(await processed(items, { carrierAccountId: account }));
    const costs = rated.map(({ targetCost }: { targetCost: number }) => targetCost);
    expect(costs).toEqual([18.2, 18.2, 18.2, 18.2, 18.2, 18.2, 13.2]);
  });

  test("near a zone boundary have both prices", async () => {
    const zones = { "4": [10, 12, 15], "5": [20, 24, 30] };
    const account = await anAccount({ ...card, zoneScheme: "usps", services: [{ ...card.services[0], rates: zones }] });
    const path = await processed([anItem({ originZip: "30301", destinationZip: "33101" })], {
      carrierAccountId: account,
    });
    expect((await itemsOf(path))[0]).toMatchObject({
      zone: "5",
      borderline: true,
      alternativeZone: "4",
      targetCost: 26.4,
      targetLow: 13.2,
      targetHigh: 26.4,
    });
    expect((await org.get(`${path}/summary`)).body.totals).toMatchObject({ targetLow: 13.2, targetHigh: 26.4 });
  });

  test("are filtered, searched and sorted", async () => {
    const path = await processed([
      anItem({ trackingNumber: "ABC-1", netCost: 20, destinationCity: "New York" }),
      anItem({ trackingNumber: "ABC-2", netCost: 13.2 }),
      anItem({ trackingNumber: "XYZ-3", ...far, netCost: 12, serviceType: "FedEx Ground" }),
      anItem({ trackingNumber: "XYZ-4", serviceType: "pigeon" }),
    ]);
    const found = async (query: string): Promise<string[]> =>
      (await itemsOf(path, `?${query}`)).map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
    expect(await found("status=rated")).toEqual(["ABC-1", "ABC-2", "XYZ-3"]);
    expect(await found("status=unrateable,invalid")).toEqual(["XYZ-4"]);
    expect(await found("zone=8")).toEqual(["XYZ-3"]);
    expect(await found("serviceType=ups%20ground")).toEqual(["ABC-1", "ABC-2"]);
    expect(await found("search=abc")).toEqual(["ABC-1", "ABC-2"]);
    expect(await found("search=york")).toEqual(["ABC-1"]);
    expect(await found("search=90210")).toEqual(["XYZ-3"]);
    expect(await found("outcome=tie")).toEqual(["ABC-2"]);
    expect(await found("minSavings=0.01")).toEqual(["ABC-1"]);
    expect(await found("sort=-savings&status=rated")).toEqual(["ABC-1", "ABC-2", "XYZ-3"]);
    expect(await found("sort=netCost")).toEqual(["XYZ-3", "ABC-2", "XYZ-4", "ABC-1"]);
    expect(await found("reason=service_unmatched&basis=weight")).toEqual([]);
    expect((await org.get(`${path}/items?limit=501`)).status).toBe(400);
    expect((await org.get(`${path}/items?status=nonsense`)).status).toBe(400);
    expect((await org.get(`${path}/items?limit=1&page=2`)).body.pagination).toMatchObject({
      total: 4,
      pages: 4,
      hasMore: true,
    });
  });
});

describe("the summary and the list of items", () => {
  test("agree on each service in any spelling", async () => {
    const spellings = ["UPS Ground", "UPS GROUND", "UPS Ground", "ups ground", "Overnight"];
    const path = await processed(spellings.map((serviceType) => anItem({ serviceType })));
    const { serviceBreakdown, totals } = (await org.get(`${path}/summary`)).body;
    expect(serviceBreakdown).toMatchObject([{ serviceType: "UPS Ground", items: 4, sourceCost: 60 }]);
    expect(totals.sourceCost).toBe(60);
    const listed = await org.get(`${path}/items?status=rated&serviceType=UPS%20Ground&limit=1`);
    expect(listed.body.pagination.total).toBe(4);
  });

  test("list the allowed statuses for an unknown one", async () => {
    const path = await aComparison([anItem()]);
    const { status, body } = await org.get(`${path}/items?status=rated,estimatd`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        pointer: "query/status",
        code: "enum",
        message: "estimatd is not one of the allowed names.",
        allowed: ["pending", "rated", "estimated", "unrateable", "invalid", "excluded"],
        suggestion: "estimated",
      },
    ]);
  });
});
