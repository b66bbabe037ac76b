import { beforeEach, describe, expect, test } from "vitest";
import { customer, dock, hubWithCarrier } from "../../testing/carriers/hub-with-carrier.ts";
import { labelFile } from "../../testing/carriers/label-files.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.easypost);
const { org, standIn, accountId } = shop;
beforeEach(() => shop.reset());

const ground = "USPS/GroundAdvantage";
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
    const chosen = await shop.connect({ settings: { carrierAccounts: [standIn.carrierAccountIds.usps] } });
    expect(await shop.testAccount(chosen)).toEqual({ ok: true, problems: [] });
  });

  test("the key", async () => {
    const id = await shop.connect({ credentials: { apiKey: "EZAKwrong" } });
    expect(await shop.testAccount(id)).toEqual({
      ok: false,
      problems: [{ part: "key", message: "EasyPost: The api key is not valid." }],
    });
  });

  test("a key that was deactivated", async () => {
    const id = await shop.connect({ credentials: { apiKey: standIn.testKey } });
    expect((await shop.testAccount(id)).ok).toBe(true);
    standIn.deactivateKey(standIn.testKey);
    const { problems } = await shop.testAccount(id);
    expect(problems).toMatchObject([{ part: "key", message: expect.stringContaining("no longer active") }]);
  });

  test("a carrier account that is not in EasyPost", async () => {
    const id = await shop.connect({ settings: { carrierAccounts: ["ca_elsewhere"] } });
    expect((await shop.testAccount(id)).problems).toEqual([
      { part: "account", message: "EasyPost has no carrier account ca_elsewhere for this key." },
    ]);
  });

  test("a key without the permission", async () => {
    standIn.inject("forbidden", { operation: "list_shipments" });
    expect((await shop.testAccount(accountId)).problems).toMatchObject([
      { part: "permission", message: expect.stringContaining("not authorized") },
    ]);
  });

  test("an address where nothing answers, and one where EasyPost is not", async () => {
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
  test("have the account's price, the published one and the days", async () => {
    const { status, body } = await quote();
    expect(status).toBe(200);
    expect(body.unavailable).toEqual([]);
    const priority = body.quotes.find(({ service }: Priced) => service === "USPS/Priority");
    expect(priority).toMatchObject({ serviceName: "USPS Priority", currency: "USD", transitDays: 2 });
    expect(priority.total).toBeLessThan(priority.listTotal);
    expect(shop.sales()).toEqual([]);
    expect(standIn.journal("shipment")).toEqual([]);
  });

  test("of a partial list say which carrier is missing and why", async () => {
    standIn.inject("partial_rates", { operation: "rate" });
    const { body } = await quote();
    expect(new Set(body.quotes.map(({ service }: Priced) => service.split("/")[0]))).toEqual(new Set(["USPS"]));
    expect(body.unavailable).toEqual([
      {
        service: "UPS",
        serviceName: "UPS",
        reason: "carrier_rejected",
        message: "The carrier did not answer in time.",
      },
    ]);
  });

  test("come once for each service, also without a published price", async () => {
    standIn.inject("duplicate_rates", { operation: "rate" });
    standIn.inject("list_price_missing", { operation: "rate" });
    const { quotes } = (await quote()).body;
    const services = quotes.map(({ service }: Priced) => service);
    expect(new Set(services).size).toBe(services.length);
    expect(quotes[0].listTotal).toBeNull();
  });

  test("are limited to the carrier accounts of the settings", async () => {
    const id = await shop.connect({ settings: { carrierAccounts: [standIn.carrierAccountIds.ups] } });
    const { quotes } = (await quote({}, id)).body;
    expect(quotes.every(({ service }: Priced) => service.startsWith("UPS/"))).toBe(true);
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
    const [chosen, step] = report.orders[0].steps;
    expect(step.price).toEqual(chosen.price);
    expect(shop.sales()).toEqual([]);
    const run = (await org.post("/operations/run", { order_ids: [id], actions })).body;
    const runStep = run.results[0].steps[1];
    expect(runStep.price).toEqual(step.price);
    await shop.work();
    const label = await shop.readLabel(runStep.label_ids[0]);
    expect(label).toMatchObject({ status: "purchased", cost: step.price.total, currency: "USD", orderId: id });
    expect(shop.sales()).toMatchObject([
      { trackingNumber: label.trackingNumber, cents: Math.round(step.price.total * 100) },
    ]);
    expect((await org.get(`/orders/${id}`)).body.status).toBe("shipped");
  });

  test("of an insured parcel has the fee in its price, and the label costs as much", async () => {
    const { id } = await shop.order();
    const options = { insuredValue: { amount: 300, currency: "USD" } };
    const insured = [actions[0], { type: "buy_label", params: { options } }];
    const report = (await org.post("/operations/preflight", { order_ids: [id], actions: insured })).body;
    const [chosen, step] = report.orders[0].steps;
    expect(step.price.total).toBeCloseTo(chosen.price.total + 1.5, 5);
    const run = (await org.post("/operations/run", { order_ids: [id], actions: insured })).body;
    await shop.work();
    const label = await shop.readLabel(run.results[0].steps[1].label_ids[0]);
    expect(label).toMatchObject({ cost: step.price.total, quotedCost: step.price.total, warning: null });
  });

  test("says why there is no price", async () => {
    const { id } = await shop.order();
    standIn.inject("no_rates", { operation: "rate" });
    const report = (await org.post("/operations/preflight", { order_ids: [id], actions })).body;
    expect(report.orders[0].steps[0].error).toMatchObject({
      code: "no_rate",
      message: expect.stringContaining("did not answer in time"),
    });
  });
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

  test("is printed in the format of the account where it names none", async () => {
    const id = await shop.connect({ settings: { labelFormat: "zpl" } });
    const { label } = await bought(ground, { carrierAccountId: id });
    expect(label.contentType).toBe("application/zpl");
  });

  test("has the price, its lines and the promise of the carrier", async () => {
    const { label, shipment } = await bought("USPS/Express", {
      options: { insuredValue: { amount: 200, currency: "USD" } },
    });
    const [postage, insurance] = label.chargeLines;
    expect(insurance).toEqual({ code: "InsuranceFee", label: "Insurance Fee", amount: 1 });
    expect(label.cost).toBeCloseTo(postage.amount + 1, 5);
    expect(label).toMatchObject({ transitDays: 1, deliverBy: "2026-03-03T15:00:00Z" });
    expect(shipment).toMatchObject({ cost: label.cost, trackingNumber: label.trackingNumber });
  });

  test("of several parcels has a number, a file and a shipment for each, and one price", async () => {
    const id = await shop.connect({ settings: { carrierAccounts: [standIn.carrierAccountIds.ups] } });
    const { label } = await bought("UPS/Ground", { carrierAccountId: id, parcels: [pounds(2), pounds(3)] });
    expect(label.parcels).toHaveLength(2);
    expect(shop.sales().map(({ trackingNumber }) => trackingNumber)).toEqual(
      label.parcels.map((parcel: { trackingNumber: string }) => parcel.trackingNumber),
    );
    expect(shop.sales().reduce((sum, { cents }) => sum + Number(cents), 0)).toBe(Math.round(label.cost * 100));
    for (const [index, { trackingNumber }] of label.parcels.entries()) {
      expect((await shop.fileOf(label.id, `?parcel=${index + 1}`)).bytes).toEqual(labelFile("PDF", trackingNumber));
    }
  });
});

describe("a void", () => {
  test("is asked for, followed up each day, and refunded", async () => {
    const { label } = await bought();
    const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.status, body.refund.state]).toEqual([200, "voided", "submitted"]);
    shop.setClock(1441);
    await shop.work();
    expect((await shop.readLabel(label.id)).refund.state).toBe("submitted");
    await standIn.settleRefund(label.trackingNumber, "refunded");
    shop.setClock(2 * 1441);
    await shop.work();
    expect((await shop.readLabel(label.id)).refund.state).toBe("voided");
    expect(standIn.journal("void").filter((one) => one.trackingNumber === label.trackingNumber)).toHaveLength(1);
  });

  test("that is rejected later opens an exception", async () => {
    const { label } = await bought();
    await org.delete(`/shipments/labels/${label.id}`);
    await standIn.settleRefund(label.trackingNumber, "rejected");
    shop.setClock(1441);
    await shop.work();
    expect(await shop.readLabel(label.id)).toMatchObject({ status: "voided", refund: { state: "rejected" } });
    expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "refund_rejected" }]);
  });

  test("of a label that the carrier bills by the scan has nothing to refund", async () => {
    const { label } = await bought("UPS/Ground");
    const { body } = await org.delete(`/shipments/labels/${label.id}`);
    expect(body).toMatchObject({ status: "voided", refund: { state: "not_applicable" } });
  });

  test("that is rejected at once leaves the label purchased", async () => {
    const { label } = await bought();
    standIn.inject("refund_rejected", { operation: "void" });
    const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.code]).toEqual([409, "label_not_voidable"]);
    expect(await shop.readLabel(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
    expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "void_rejected" }]);
  });

  test("whose answer was lost is asked for once", async () => {
    const { label } = await bought();
    standIn.inject("cut_after", { operation: "void" });
    expect((await org.delete(`/shipments/labels/${label.id}`)).body).toMatchObject({ status: "voided" });
    expect(standIn.journal("void").filter((one) => one.trackingNumber === label.trackingNumber)).toHaveLength(1);
  });
});
