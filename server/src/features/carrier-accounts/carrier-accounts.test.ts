import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { demoCards } from "../../carriers/demo/demo-cards.ts";
import { systemContext } from "../../context.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "../rate-comparisons/rate-comparisons.ts";
import { seedPreview } from "../preview/preview.ts";
import { aSmallCard } from "./carrier-accounts.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();

async function anAccount(more: object = {}): Promise<string> {
  const { body } = await org.post("/carrier-accounts", {
    name: `Account ${randomUUID()}`,
    carrier: "rate-card",
    ...more,
  });
  return `/carrier-accounts/${body.id}`;
}

async function withCard(card: object = {}): Promise<string> {
  const account = await anAccount();
  expect((await org.post(`${account}/rate-cards`, { card: { ...aSmallCard, ...card } })).status).toBe(201);
  return account;
}

const parcel = { origin: { zip: "07114" }, destination: { zip: "90210" }, weight: { value: 3, unit: "lb" } };

describe("a carrier account", () => {
  test("holds the names in its records to their rules, and says which", async () => {
    const long = "k".repeat(101);
    const about = {
      name: "Long names",
      carrier: "demo",
      credentials: { [long]: "x" },
      serviceAliases: { "": "GROUND" },
    };
    const { status, body } = await org.post("/carrier-accounts", about);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { pointer: `/credentials/${long}`, code: "maxLength" },
      { pointer: "/serviceAliases/", code: "minLength" },
    ]);
  });

  test("is created, read, changed and deleted, and starts with the pickup rules of its carrier", async () => {
    const created = await org.post("/carrier-accounts", {
      name: "Ground contract",
      carrier: "rate-card",
      pickupRules: { cutoffLocalTime: "14:00", holidays: ["2026-12-24"] },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      carrier: "rate-card",
      isActive: true,
      rateCard: null,
      zoneChart: null,
      pickupRules: { cutoffLocalTime: "14:00", holidays: ["2026-12-24"], minWindowMinutes: 120, maxPackages: 99 },
    });
    const path = `/carrier-accounts/${created.body.id}`;
    const changed = await org.patch(path, { isActive: false, pickupRules: { maxPackages: 10, cutoffLocalTime: null } });
    expect(changed.body).toMatchObject({
      isActive: false,
      version: 2,
      pickupRules: { maxPackages: 10, cutoffLocalTime: "15:00", holidays: ["2026-12-24"] },
    });
    expect((await org.get("/carrier-accounts?isActive=false&search=ground")).body.data).toEqual([changed.body]);
    expect((await org.delete(path)).body.deleted).toBe(true);
    expect((await org.get(path)).body.code).toBe("carrier_account_not_found");
  });

  test("is refused with rules that together let no pickup through", async () => {
    const send = async (pickupRules: object) =>
      (await org.post("/carrier-accounts", { name: "Never", carrier: "rate-card", pickupRules })).body.errors;
    expect(await send({ earliestReadyTime: "18:00", latestCloseTime: "09:00" })).toMatchObject([
      { pointer: "/pickupRules/latestCloseTime", code: "ends_before_start" },
    ]);
    expect(await send({ earliestReadyTime: "08:00", latestCloseTime: "09:00" })).toMatchObject([
      { pointer: "/pickupRules/minWindowMinutes", code: "window_impossible" },
    ]);
    const path = await anAccount({ pickupRules: { earliestReadyTime: "08:00", latestCloseTime: "10:00" } });
    const narrower = await org.patch(path, { pickupRules: { earliestReadyTime: "09:00" } });
    expect(narrower.body.errors).toMatchObject([{ code: "window_impossible" }]);
  });

  test("gets names of services one by one, and loses the one that is set to null", async () => {
    const path = await anAccount({ serviceAliases: { House: "GROUND", Fast: "AIR" } });
    const { body } = await org.patch(path, { serviceAliases: { Fast: null, Slow: "ECO" } });
    expect(body.serviceAliases).toEqual({ House: "GROUND", Slow: "ECO" });
    const more = Object.fromEntries(Array.from({ length: 499 }, (_, index) => [`n${index}`, "GROUND"]));
    expect((await org.patch(path, { serviceAliases: more })).body.errors).toMatchObject([{ code: "maxProperties" }]);
  });

  test("keeps its credentials sealed: they are named, never shown, and can be changed and removed", async () => {
    const path = await anAccount({ carrier: "demo", credentials: { apiKey: "top-secret-7731" } });
    const answer = await org.get(path);
    expect(answer.body.credentialFields).toEqual(["apiKey"]);
    expect(answer.text).not.toContain("top-secret");
    const rows = await hub.world.db.query<{ credentials: string }>("select credentials from carrier_accounts");
    expect(JSON.stringify(rows)).not.toContain("top-secret");
    const audit = await org.get("/audit");
    expect(audit.text).not.toContain("top-secret");
    await org.patch(path, { credentials: { apiKey: "another-8842" } });
    expect((await org.get("/audit")).text).not.toContain("another-8842");
    expect((await org.patch(path, { credentials: null })).body.credentialFields).toEqual([]);
    expect(hub.logs.join("")).not.toMatch(/top-secret|another-8842/);
  });

  test("whose credentials cannot be opened any more, say after the key of the hub was lost, says so and takes new ones", async () => {
    const path = await anAccount({ carrier: "demo", credentials: { apiKey: "an-old-key" } });
    const id = path.split("/").at(-1);
    await hub.world.db.query("update carrier_accounts set credentials = 's1.ffffffff.AAAA' where id = $1", [id]);
    const refused = await org.post(`${path}/quote`, parcel);
    expect(refused.body).toMatchObject({ status: 409, code: "credentials_unreadable" });
    expect((await org.patch(path, { description: "still changeable" })).status).toBe(200);
    expect((await org.patch(path, { credentials: { apiKey: "a-new-key" } })).status).toBe(200);
    expect((await org.post(`${path}/quote`, parcel)).status).toBe(200);
  });

  test("is refused with every wrong field: setting, credential, pickup rule, name", async () => {
    const wrong = await org.post("/carrier-accounts", {
      name: "Wrong",
      carrier: "demo",
      settings: { refusePickup: true },
      credentials: { apiKey: 5 },
    });
    expect(wrong.body.errors).toEqual([
      expect.objectContaining({ pointer: "/settings/refusePickup", suggestion: "refusePickups" }),
      expect.objectContaining({ pointer: "/credentials/apiKey", code: "type" }),
    ]);
    const rules = await org.post("/carrier-accounts", {
      name: "x",
      carrier: "carrier-pigeon",
      pickupRules: { cutoffLocalTime: "25:00", serviceDays: [0] },
    });
    const pointers = rules.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(
      expect.arrayContaining(["/carrier", "/pickupRules/cutoffLocalTime", "/pickupRules/serviceDays/0"]),
    );
    await anAccount({ name: "Taken" });
    expect((await org.post("/carrier-accounts", { name: "TAKEN", carrier: "demo" })).body.code).toBe("name_taken");
  });

  test("a change based on an old version is refused", async () => {
    const path = await anAccount();
    await org.patch(path, { description: "one" });
    expect((await org.patch(path, { description: "two" }, { headers: { "if-match": '"1"' } })).status).toBe(412);
  });
});

test("the catalog says what each carrier can do and what it wants to know", async () => {
  const { body } = await org.get("/carrier-accounts/carriers");
  const all = ["rate", "pickup", "track", "label"];
  const remote = ["easypost", "shipengine", "karrio", "ups", "fedex", "usps"];
  expect(body.data).toEqual([
    expect.objectContaining({ name: "rate-card", usesRateCards: true, capabilities: ["rate", "pickup"] }),
    ...remote.map((name) => expect.objectContaining({ name, usesRateCards: name === "usps", capabilities: all })),
    expect.objectContaining({ name: "demo", capabilities: all }),
  ]);
  expect(body.data.at(-1).settings.properties.refusePickups.type).toBe("boolean");
});

describe("a rate card", () => {
  test("is uploaded in versions, of which the one that began last counts", async () => {
    const account = await anAccount();
    const upload = (effectiveFrom: string, percent: number) =>
      org.post(`${account}/rate-cards`, {
        card: { ...aSmallCard, effectiveFrom, fuel: { percent, appliesTo: "base_net" } },
      });
    const [first, second] = [await upload("2020-01-01", 10), await upload("2999-01-01", 20)];
    expect([first.body.version, first.body.isInEffect, second.body.version, second.body.isInEffect]).toEqual([
      1,
      true,
      2,
      false,
    ]);
    const fuelOn = async (shipDate: string): Promise<number> => {
      const { body } = await org.post(`${account}/quote`, { ...parcel, shipDate });
      return body.quotes[0].lines.find((line: { code: string }) => line.code === "fuel").amount;
    };
    // 3 lb to zone 8 is 17.50.
    expect([await fuelOn("2998-12-31"), await fuelOn("2999-01-01")]).toEqual([1.75, 3.5]);
    expect((await org.get(account)).body.rateCard).toMatchObject({ id: first.body.id, version: 1 });
    const list = await org.get(`${account}/rate-cards`);
    expect(list.body.data.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect((await org.get(`${account}/rate-cards/${first.body.id}`)).body.card.fuel.percent).toBe(10);
  });

  test("can wait as a draft, be put into effect on a day, and be taken out of use", async () => {
    const account = await anAccount();
    const { body } = await org.post(`${account}/rate-cards`, { card: aSmallCard, isActive: false });
    expect((await org.post(`${account}/quote`, parcel)).body).toMatchObject({ status: 409, code: "no_rate_card" });
    const path = `${account}/rate-cards/${body.id}`;
    expect((await org.post(`${path}/activate`, { effectiveFrom: "2999-01-01" })).body).toMatchObject({
      isActive: true,
      isInEffect: false,
    });
    expect(
      (await org.post(`${path}/activate`, { effectiveFrom: "2026-01-01", effectiveTo: "2025-01-01" })).status,
    ).toBe(400);
    expect((await org.post(`${path}/activate`, { effectiveFrom: "2020-01-01" })).body.isInEffect).toBe(true);
    expect((await org.post(`${account}/quote`, parcel)).status).toBe(200);
    expect((await org.post(`${path}/deactivate`)).body).toMatchObject({ isActive: false, isInEffect: false });
    expect((await org.post(`${account}/quote`, parcel)).status).toBe(409);
  });

  test("comes from a spreadsheet, with what it does not say in the header", async () => {
    const account = await anAccount();
    const header = {
      name: "From CSV",
      effectiveFrom: "2020-01-01",
      zoneScheme: "ups",
      fuel: { percent: 10, appliesTo: "base_net" },
    };
    const csv = "service,weight,2,5,8\nGROUND,1,9.5,11.2,12.4\nGROUND,5,11,14,17.5\n";
    const created = await org.post(`${account}/rate-cards`, { csv, header });
    expect(created.body.card.services[0].rates).toEqual({ "2": [9.5, 11], "5": [11.2, 14], "8": [12.4, 17.5] });
    expect((await org.post(`${account}/quote`, parcel)).body.quotes[0].total).toBe(19.25);
    const wrong = await org.post(`${account}/rate-cards`, { csv: "service,weight,2\nGROUND,heavy,free\n", header });
    expect(wrong.body.errors).toEqual([
      expect.objectContaining({ pointer: "/csv/2/weight", message: expect.stringContaining("Row 2, weight") }),
    ]);
    const falling = await org.post(`${account}/rate-cards`, { csv: "service,weight,2\nG,5,1\nG,1,2\n", header });
    expect(falling.body.errors).toEqual([expect.objectContaining({ code: "not_ascending" })]);
  });

  test("comes from a spreadsheet with any column names, and a second of one name and period is reported", async () => {
    const account = await anAccount();
    const header = { name: "Ground 2026", effectiveFrom: "2020-01-01", zoneScheme: "ups" };
    const upload = (csv: string, more: object = {}) => org.post(`${account}/rate-cards`, { csv, header, ...more });
    const csv = "Weight (lb),Zone 2,Zone 5,Remarks\n1,9.5,11.2,new\n";
    const unread = await upload("Ship mass,Near,Far\n1,9.5,11.2\n");
    expect(unread.body.errors[0]).toMatchObject({ pointer: "/csv/1", message: expect.stringContaining("Weight (lb)") });
    const mapping = { "Ship mass": "weight", Near: "zone:2", Far: "zone:5" };
    const mapped = await upload("Ship mass,Near,Far,Remarks\n1,9.5,11.2,x\n", {
      mapping: { ...mapping, Remarks: null },
    });
    expect(mapped.body.card.services[0].rates).toEqual({ "2": [9.5], "5": [11.2] });
    expect(mapped.body.warnings).toEqual([]);
    const second = await upload(csv, { mapping: { Remarks: null } });
    expect(second.body.card.services[0].weightBreaks).toEqual([{ upTo: 1, unit: "lb" }]);
    expect(second.body.warnings).toEqual([
      expect.objectContaining({ code: "same_name_and_period", message: expect.stringContaining("Upload 1 ") }),
    ]);
    const later = await upload(csv, { mapping: { Remarks: null }, header: { ...header, effectiveFrom: "2021-01-01" } });
    expect(later.body.warnings).toEqual([]);
    const absent = await upload(csv, { mapping: { Mass: "weight" } });
    expect(absent.body.errors[0].message).toContain("no column Mass");
    const wrong = await upload(csv, { mapping: { Remarks: "colour" } });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ pointer: "/mapping/Remarks" }] });
    const unused = await org.post(`${account}/rate-cards`, { card: aSmallCard, mapping });
    expect(unused.body.errors[0]).toMatchObject({ pointer: "/mapping", code: "unused" });
  });

  test("is refused with all mistakes, and nothing is kept", async () => {
    const account = await anAccount();
    const bad = { ...aSmallCard, effectiveTo: "2019-01-01", fuel: { appliesTo: "base_net" } };
    expect((await org.post(`${account}/rate-cards`, { card: bad })).body.errors).toEqual([
      expect.objectContaining({ pointer: "/card/effectiveTo", code: "ends_before_start" }),
      expect.objectContaining({ pointer: "/card/fuel", code: "one_of" }),
    ]);
    expect((await org.post(`${account}/rate-cards`, {})).body.errors[0].code).toBe("one_of");
    expect((await org.post(`${account}/rate-cards`, { csv: "weight,2\n1,1" })).body.errors[0].pointer).toBe("/header");
    expect((await org.get(`${account}/rate-cards`)).body.pagination.total).toBe(0);
  });

  test("uses condition sets of ZIPs, which then cannot be deleted", async () => {
    const { body: set } = await org.post("/condition-sets", { name: "Delivery area" });
    await org.post(`/condition-sets/${set.id}/values`, { values: ["90210", "967"] });
    const area = { code: "area", kind: "fixed", amount: 4.2, when: { destinationSet: "Delivery Area" } };
    const account = await withCard({ surcharges: [area] });
    const { body } = await org.post(`${account}/quote`, parcel);
    expect(body.quotes[0].lines).toContainEqual(expect.objectContaining({ code: "area", amount: 4.2 }));
    expect((await org.delete(`/condition-sets/${set.id}`)).body.code).toBe("condition_set_in_use");
    const unknown = { ...area, when: { destinationSet: "No such set" } };
    const refused = await org.post(`${account}/rate-cards`, { card: { ...aSmallCard, surcharges: [unknown] } });
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ pointer: "/card/surcharges/0/when/destinationSet", code: "condition_set_not_found" }),
    ]);
    await org.delete(account);
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(200);
  });
});

describe("a quote", () => {
  test("explains every line, and the lines add up", async () => {
    const { body } = await org.post(`${await withCard()}/quote`, {
      ...parcel,
      dimensions: { length: 12, width: 10, height: 8, unit: "in" },
    });
    // 12 x 10 x 8 / 139 = 6.9 lb, so the row up to 10 lb: 24.00, and 18 %.
    expect(body.quotes).toEqual([
      expect.objectContaining({
        service: "GROUND",
        zone: "8",
        total: 28.32,
        weight: expect.objectContaining({ rated: { value: 10, unit: "lb" }, actual: { value: 3, unit: "lb" } }),
        lines: [
          { code: "base", label: "Base price", amount: 24, explanation: "GROUND, zone 8, up to 10 lb" },
          {
            code: "fuel",
            label: "Fuel",
            amount: 4.32,
            explanation: "18 % of 24.00, the base price after discount and minimum",
          },
        ],
      }),
    ]);
  });

  test("says why a service has no price, and which service there is not", async () => {
    const account = await withCard();
    const heavy = await org.post(`${account}/quote`, { ...parcel, weight: { value: 11, unit: "lb" } });
    expect(heavy.body).toMatchObject({ quotes: [], unavailable: [{ service: "GROUND", reason: "over_limit" }] });
    const nowhere = await org.post(`${account}/quote`, { ...parcel, destination: { zip: "Q" } });
    expect(nowhere.body.unavailable[0].reason).toBe("zone_unresolved");
    const unknown = await org.post(`${account}/quote`, { ...parcel, services: ["teleport"] });
    expect(unknown.body.errors[0]).toMatchObject({ pointer: "/services", code: "unknown_service" });
  });

  test("answers what if", async () => {
    const account = await withCard();
    const scenario = { fuelPercent: 0, extraDiscountPercent: 10 };
    expect((await org.post(`${account}/quote`, { ...parcel, scenario })).body.quotes[0].total).toBe(15.75);
  });

  test("takes its zones from an uploaded chart first", async () => {
    const account = await withCard();
    const chart = await org.call("PUT", `${account}/zone-chart`, {
      csv: "Dest. ZIP,Ground\n900-902,005\n",
      origin: "070-073",
    });
    expect(chart).toMatchObject({ status: 200, body: { rowCount: 1, version: 1 } });
    expect((await org.post(`${account}/quote`, parcel)).body.quotes[0]).toMatchObject({
      zone: "5",
      zoneSource: "chart",
    });
    expect((await org.get(account)).body.zoneChart).toMatchObject({ rowCount: 1 });
    const row = { origin: "070-073", destination: "900-902", zone: "5", service: "Ground" };
    expect((await org.get(`${account}/zone-chart`)).body).toMatchObject({ data: [row], pagination: { total: 1 } });
    expect((await org.get(`${account}/zone-chart?page=2`)).body.data).toEqual([]);
    const again = await org.call("PUT", `${account}/zone-chart`, { rows: [row] });
    expect(again.body).toMatchObject({ rowCount: 1, version: 2 });
    const wrong = await org.call("PUT", `${account}/zone-chart`, { csv: "dest,zone\nabc,5\n", origin: "070" });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "/csv/2/dest", code: "zip_range" });
    expect((await org.delete(`${account}/zone-chart`)).status).toBe(200);
    expect((await org.post(`${account}/quote`, parcel)).body.quotes[0]).toMatchObject({
      zone: "8",
      zoneSource: "distance",
    });
    expect((await org.delete(`${account}/zone-chart`)).body.code).toBe("zone_chart_not_found");
    expect((await org.get(`${account}/zone-chart`)).body.code).toBe("zone_chart_not_found");
  });

  test("of the demo carrier needs no card", async () => {
    const { body } = await org.post(`${await anAccount({ carrier: "demo" })}/quote`, parcel);
    expect(body.rateCard).toBeNull();
    const totals = body.quotes.map(({ total }: { total: number }) => total);
    expect(totals).toEqual(totals.toSorted((a: number, b: number) => a - b));
    expect(totals).toHaveLength(4);
  });
});

test("a new hub has an account to start with, and the preview four contracts and a comparison", async () => {
  const preview = await startTestHub({ environment: "preview" });
  const first = await preview.operator.get("/carrier-accounts");
  expect(first.body.data).toEqual([
    expect.objectContaining({ name: "Rate card", carrier: "rate-card", rateCard: null }),
  ]);
  const { body: me } = await preview.operator.get("/me");
  const operator = systemContext(preview.world, me.organization.id, "demo data");
  await seedPreview(operator);
  await workOff(preview.world, comparisonWork);
  const { body: compared } = await preview.operator.get("/rate-comparisons");
  expect(compared.data).toEqual([expect.objectContaining({ status: "completed_with_errors", itemCount: 400 })]);
  const { body } = await preview.operator.get("/carrier-accounts?search=demo");
  const names = body.data.map(({ name }: { name: string }) => name).toSorted();
  expect(names).toEqual(
    demoCards()
      .map(({ account }) => account)
      .toSorted(),
  );
  for (const account of body.data) {
    const quoted = await preview.operator.post(`/carrier-accounts/${account.id}/quote`, {
      ...parcel,
      destination: { zip: "07030" },
    });
    expect(quoted.body.quotes.length).toBeGreaterThan(0);
  }
});
