import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { customer, dock, hubWithCarrier } from "../../testing/carriers/hub-with-carrier.ts";
import { labelFile } from "../../testing/carriers/label-files.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.karrio);
const { org, standIn, accountId } = shop;
beforeEach(() => shop.reset());

const ground = "usps_ground_advantage";
const pounds = (value: number) => ({ weight: { value, unit: "lb" } });
type Priced = { service: string; total: number };
const quote = async (more: object = {}, id = accountId) =>
  await org.post(`/carrier-accounts/${id}/quote`, { origin: dock, destination: customer, ...pounds(2.5), ...more });
const bought = async (service = ground, more: object = {}) => {
  const { status, text, body } = await shop.buy(service, more);
  expect(status, text).toBe(201);
  return body;
};

describe("the test of an account names what is wrong:", () => {
  test("nothing", async () => {
    expect(await shop.testAccount(accountId)).toEqual({ ok: true, problems: [] });
    const withVersion = await shop.connect({ settings: { baseUrl: `${standIn.url}/v1/` } });
    expect(await shop.testAccount(withVersion)).toEqual({ ok: true, problems: [] });
  });

  test("the token, also one that was deactivated", async () => {
    const id = await shop.connect({ credentials: { token: "wrong" } });
    const problems = [{ part: "key", message: "karrio: Invalid token." }];
    expect(await shop.testAccount(id)).toEqual({ ok: false, problems });
    const other = await shop.connect({ credentials: { token: standIn.testKey }, settings: { testMode: true } });
    expect((await shop.testAccount(other)).ok).toBe(true);
    standIn.deactivateKey(standIn.testKey);
    expect((await shop.testAccount(other)).problems).toEqual(problems);
  });

  test("a connection that is not in karrio", async () => {
    const id = await shop.connect({ settings: { carrierIds: ["dhl-main"] } });
    expect((await shop.testAccount(id)).problems).toEqual([
      { part: "account", message: "karrio has no active carrier connection dhl-main." },
    ]);
  });

  test("a user without the permission", async () => {
    standIn.inject("forbidden", { operation: "list_shipments" });
    expect((await shop.testAccount(accountId)).problems).toMatchObject([
      { part: "permission", message: expect.stringContaining("permission") },
    ]);
  });

  test("an address where nothing answers, and one where karrio is not", async () => {
    const closed = await shop.connect({ settings: { baseUrl: "http://127.0.0.1:9" } });
    expect((await shop.testAccount(closed)).problems).toMatchObject([
      { part: "address", message: expect.stringContaining("127.0.0.1") },
    ]);
    const wrong = await shop.connect({ settings: { baseUrl: `${standIn.url}/elsewhere` } });
    expect((await shop.testAccount(wrong)).problems).toMatchObject([
      { part: "address", message: expect.stringContaining("API address") },
    ]);
  });

  test("the address of the dashboard, which answers with pages", async () => {
    const dashboard = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html><title>karrio</title></html>");
    });
    await new Promise<void>((resolve) => dashboard.listen(0, "127.0.0.1", resolve));
    afterFile(() => dashboard.close());
    const { port } = dashboard.address() as AddressInfo;
    const id = await shop.connect({ settings: { baseUrl: `http://127.0.0.1:${port}` } });
    expect((await shop.testAccount(id)).problems).toMatchObject([
      { part: "address", message: expect.stringContaining("API address") },
    ]);
  });
});

describe("quotes", () => {
  test("have the account's price and its lines", async () => {
    const { status, body } = await quote();
    expect([status, body.unavailable]).toEqual([200, []]);
    const found = body.quotes.find(({ service }: Priced) => service === "ups_ground");
    expect(found).toMatchObject({ serviceName: "UPS GROUND", currency: "USD", transitDays: 4 });
    const sum = found.lines.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    expect(found.total).toBeCloseTo(sum, 5);
    expect(standIn.journal("shipment")).toEqual([]);
  });

  test("of a partial list say which carrier is missing and why", async () => {
    standIn.inject("partial_rates", { operation: "rate" });
    const { body } = await quote();
    expect(body.quotes.every(({ service }: Priced) => service.startsWith("usps_"))).toBe(true);
    expect(body.unavailable).toMatchObject([
      { service: "ups-main", message: "ups: The carrier did not respond in time." },
    ]);
  });

  test("come once for each service, at published prices where none are negotiated", async () => {
    const usual = (await quote()).body.quotes[0];
    standIn.inject("duplicate_rates", { operation: "rate" });
    standIn.inject("negotiated_price_missing", { operation: "rate" });
    const { quotes } = (await quote()).body;
    const services = quotes.map(({ service }: Priced) => service);
    expect(new Set(services).size).toBe(services.length);
    expect(quotes[0].total).toBeGreaterThan(usual.total);
  });

  test("are read when one object comes instead of a list", async () => {
    const whole = (await quote()).body.quotes;
    standIn.inject("one_object", { operation: "rate" });
    const { quotes } = (await quote()).body;
    expect(quotes).toHaveLength(1);
    expect(whole).toContainEqual(quotes[0]);
  });

  test("are limited to the connections of the settings", async () => {
    const id = await shop.connect({ settings: { carrierIds: [standIn.connectionIds.ups] } });
    const { quotes } = (await quote({}, id)).body;
    expect(quotes.every(({ service }: Priced) => service.startsWith("ups_"))).toBe(true);
  });
});

describe("a pipeline", () => {
  const actions = [
    { type: "choose_rate", params: { prefer: "cheapest", carrier_account_ids: [accountId] } },
    { type: "buy_label", params: {} },
  ];

  test("shows a price in the preflight, buys at that price, and that is what the label costs", async () => {
    const { id } = await shop.order();
    const report = (await org.post("/operations/preflight", { order_ids: [id], actions })).body;
    const { price } = report.orders[0].steps[1];
    expect(shop.sales()).toEqual([]);
    const run = (await org.post("/operations/run", { order_ids: [id], actions })).body;
    const step = run.results[0].steps[1];
    expect(step.price).toEqual(price);
    await shop.work();
    const label = await shop.readLabel(step.label_ids[0]);
    expect(label).toMatchObject({ status: "purchased", cost: price.total, currency: "USD", orderId: id });
    expect(shop.sales()).toMatchObject([
      { trackingNumber: label.trackingNumber, cents: Math.round(price.total * 100) },
    ]);
    expect((await org.get(`/orders/${id}`)).body.status).toBe("shipped");
  });

  test("says why there is no price", async () => {
    const { id } = await shop.order();
    standIn.inject("no_rates", { operation: "rate" });
    const report = (await org.post("/operations/preflight", { order_ids: [id], actions })).body;
    expect(report.orders[0].steps[0].error).toMatchObject({
      code: "no_rate",
      message: expect.stringContaining("did not respond in time"),
    });
  });
});

describe("a label", () => {
  test.each([
    ["pdf", "application/pdf", "PDF"],
    ["png", "image/png", "PNG"],
    ["zpl", "application/zpl", "ZPL"],
  ] as const)("is printed as %s, also after a lost answer", async (format, type, theirs) => {
    for (const fault of [undefined, "cut_after"]) {
      if (fault) standIn.inject(fault, { operation: "buy" });
      const label = await shop.buyToTheEnd(ground, { options: { label: { format } } });
      expect(await shop.fileOf(label.id)).toEqual({
        status: 200,
        type: expect.stringContaining(type),
        bytes: labelFile(theirs, label.trackingNumber),
      });
    }
  });

  test("of several parcels has a number and a shipment for each; the file of the first has all labels", async () => {
    const { label } = await bought("ups_ground", { parcels: [pounds(2), pounds(3)] });
    expect(label).toMatchObject({ status: "purchased", failure: null });
    const numbers = label.parcels.map((parcel: { trackingNumber: string }) => parcel.trackingNumber);
    expect(new Set(numbers).size).toBe(2);
    expect(shop.sales()).toMatchObject([{ trackingNumber: numbers[0], cents: Math.round(label.cost * 100) }]);
    const second = await org.get(`/shipments/labels/${label.id}/content?parcel=2`);
    expect([second.status, second.body.detail]).toEqual([409, expect.stringContaining("parcel 1")]);
    expect(await shop.exceptionsOf(label.id)).toEqual([]);
  });

  test("of several parcels with one number for all of them is not bought again", async () => {
    standIn.inject("one_tracking_number", { operation: "buy" });
    const { status, body } = await shop.buy("ups_ground", { parcels: [pounds(2), pounds(3)] });
    expect([status, body.code, body.carrierCode]).toEqual([409, "label_rejected", "outcome_unknown"]);
    const [sale] = shop.sales();
    expect(body.detail).toContain(sale!.trackingNumber);
    expect(await shop.readLabel(body.labelId)).toMatchObject({
      status: "failed",
      failure: { code: "outcome_unknown", message: expect.stringContaining("parcels") },
    });
    expect(await shop.exceptionsOf(body.labelId)).toMatchObject([{ code: "outcome_unknown" }]);
  });

  test("for a test account is bought only from a connection in test mode", async () => {
    const id = await shop.connect({ settings: { testMode: true } });
    const { body } = await shop.buy(ground, { carrierAccountId: id });
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "live_connection" });
    expect(shop.sales()).toEqual([]);
  });
});

describe("a void", () => {
  test("is settled at once, and a second one finds it voided", async () => {
    const { label } = await bought();
    standIn.inject("cut_after", { operation: "void" });
    const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.status, body.refund.state]).toEqual([200, "voided", "voided"]);
    expect(standIn.journal("void").filter((one) => one.trackingNumber === label.trackingNumber)).toHaveLength(1);
  });

  test("that is refused leaves the label purchased", async () => {
    const { label } = await bought();
    standIn.inject("void_refused", { operation: "void" });
    const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.code]).toEqual([409, "label_not_voidable"]);
    expect(body.detail).toContain("The time to void this shipment is over.");
    expect(await shop.readLabel(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
    expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "void_rejected" }]);
  });
});
