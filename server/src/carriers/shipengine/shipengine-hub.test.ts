import { beforeEach, describe, expect, test } from "vitest";
import { customer, dock, hubWithCarrier } from "../../testing/carriers/hub-with-carrier.ts";
import { labelFile } from "../../testing/carriers/label-files.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.shipengine);
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

  test("the key, also one that was deactivated", async () => {
    const id = await shop.connect({ credentials: { apiKey: "wrong" } });
    const problems = [{ part: "key", message: "ShipEngine: The API key is invalid." }];
    expect(await shop.testAccount(id)).toEqual({ ok: false, problems });
    const other = await shop.connect({ credentials: { apiKey: standIn.testKey } });
    expect((await shop.testAccount(other)).ok).toBe(true);
    standIn.deactivateKey(standIn.testKey);
    expect((await shop.testAccount(other)).problems).toEqual(problems);
  });

  test("a carrier that is not connected in ShipEngine", async () => {
    const id = await shop.connect({ settings: { carrierIds: ["se-999"] } });
    expect((await shop.testAccount(id)).problems).toEqual([
      { part: "account", message: "The ShipEngine account has no carrier se-999." },
    ]);
  });

  test("a key without the permission", async () => {
    standIn.inject("forbidden", { operation: "account" });
    expect((await shop.testAccount(accountId)).problems).toMatchObject([
      { part: "permission", message: expect.stringContaining("may not use this request") },
    ]);
  });

  test("an address where nothing answers, and one where ShipEngine is not", async () => {
    const closed = await shop.connect({ settings: { baseUrl: "http://127.0.0.1:9" } });
    expect((await shop.testAccount(closed)).problems).toMatchObject([
      { part: "address", message: expect.stringContaining("127.0.0.1") },
    ]);
    const wrong = await shop.connect({ settings: { baseUrl: `${standIn.url}/elsewhere` } });
    expect((await shop.testAccount(wrong)).problems).toMatchObject([
      { part: "address", message: expect.stringContaining("API address") },
    ]);
  });
});

describe("quotes", () => {
  test("have the price, its lines and the days", async () => {
    const { status, body } = await quote();
    expect([status, body.unavailable]).toEqual([200, []]);
    const found = body.quotes.find(({ service }: Priced) => service === "ups_ground");
    expect(found).toMatchObject({ serviceName: "UPS® Ground", currency: "USD", transitDays: 4 });
    const sum = found.lines.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    expect(found.total).toBeCloseTo(sum, 5);
    expect(shop.sales()).toEqual([]);
  });

  test("include the price of a signature", async () => {
    const priceOf = async (options: object) =>
      (await quote({ options })).body.quotes.find(({ service }: Priced) => service === "ups_ground").total;
    expect((await priceOf({ signature: "signature" })) - (await priceOf({}))).toBeCloseTo(3.35, 5);
  });

  test("of a partial list say which carrier is missing and why", async () => {
    standIn.inject("partial_rates", { operation: "rate" });
    const { body } = await quote();
    expect(body.quotes.every(({ service }: Priced) => service.startsWith("usps_"))).toBe(true);
    expect(body.unavailable).toMatchObject([{ service: "ups", reason: "carrier_rejected" }]);
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

  test("of an address that lacks a part name the part", async () => {
    const { status, body } = await quote({ origin: { zip: "07114" }, destination: { zip: "97201" } });
    expect([status, body.code, body.errors.length]).toEqual([400, "validation_failed", 11]);
    expect(body.detail).toBe(
      "ShipEngine needs a complete address. The address of the sender has no name, address1, city, provinceCode, countryCode, phone. " +
        "The address of the recipient has no name, address1, city, provinceCode, countryCode.",
    );
  });

  test("are limited to the carriers of the settings", async () => {
    const id = await shop.connect({ settings: { carrierIds: [standIn.carrierIds.ups] } });
    const { quotes } = (await quote({}, id)).body;
    expect(quotes.every(({ service }: Priced) => service.startsWith("ups_"))).toBe(true);
  });
});

test("a pipeline shows a price in the preflight, buys at that price, and that is what the label costs", async () => {
  const actions = [
    { type: "choose_rate", params: { prefer: "fastest", carrier_account_ids: [accountId] } },
    { type: "buy_label", params: {} },
  ];
  const { id } = await shop.order();
  const report = (await org.post("/operations/preflight", { order_ids: [id], actions })).body;
  const { price } = report.orders[0].steps[1];
  expect([price.service, shop.sales()]).toEqual(["ups_next_day_air", []]);
  const run = (await org.post("/operations/run", { order_ids: [id], actions })).body;
  const step = run.results[0].steps[1];
  expect(step.price).toEqual(price);
  await shop.work();
  const label = await shop.readLabel(step.label_ids[0]);
  expect(label).toMatchObject({ status: "purchased", cost: price.total, currency: "USD", orderId: id });
  expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber, cents: Math.round(price.total * 100) }]);
  expect((await org.get(`/orders/${id}`)).body.status).toBe("shipped");
});

describe("a label", () => {
  test.each([
    ["pdf", "application/pdf", "PDF"],
    ["png", "image/png", "PNG"],
    ["zpl", "application/zpl", "ZPL"],
  ] as const)("is printed as %s", async (format, type, theirs) => {
    const { label } = await bought(ground, { options: { label: { format } } });
    expect(await shop.fileOf(label.id)).toEqual({
      status: 200,
      type: expect.stringContaining(type),
      bytes: labelFile(theirs, label.trackingNumber),
    });
  });

  test("of several parcels has a number and a shipment for each; the file of the first has all labels", async () => {
    const { label } = await bought("ups_ground", { parcels: [pounds(2), pounds(3)] });
    expect(label).toMatchObject({ status: "purchased", failure: null });
    const numbers = label.parcels.map((parcel: { trackingNumber: string }) => parcel.trackingNumber);
    expect(new Set(numbers).size).toBe(2);
    expect(shop.sales()).toMatchObject([{ trackingNumber: numbers[0], cents: Math.round(label.cost * 100) }]);
    expect((await shop.fileOf(label.id)).bytes).toEqual(labelFile("PDF", numbers[0]));
    const second = await org.get(`/shipments/labels/${label.id}/content?parcel=2`);
    expect([second.status, second.body.detail]).toEqual([409, expect.stringContaining("parcel 1")]);
    expect(await shop.exceptionsOf(label.id)).toEqual([]);
  });

  test("of several parcels is refused where the carrier does not take them", async () => {
    const { body } = await shop.buy(ground, { parcels: [pounds(2), pounds(3)] });
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "rejected" });
    expect(body.detail).toContain("does not take several packages");
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
    expect(await shop.readLabel(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
    expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "void_rejected" }]);
  });
});
