import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { afterFile } from "../../after-file.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { basic, easypostFixture, from, parcel, rateOf, to } from "./easypost-fixture.ts";
import { easypostServices } from "./stand-in-easypost-rates.ts";
import { startEasypost } from "./stand-in-easypost.ts";
import { decimalText, priceOf } from "../stand-in-prices.ts";

const { easypost, call, create, buy, bought } = await easypostFixture();
beforeEach(() => easypost.calm());
const salesOf = (id: string) => easypost.journal("buy").filter((entry) => entry.id === id).length;

test("prices follow the table, own prices beside published ones, and one service name belongs to two carriers", async () => {
  const { rates } = await create();
  const ground = easypostServices.find(({ service }) => service === "GroundAdvantage")!;
  const price = priceOf(ground, { ounces: 14, fromZip: "78701", toZip: "97201" });
  const rate = rates.find(({ service }: { service: string }) => service === "GroundAdvantage");
  expect(rate).toMatchObject({
    object: "Rate",
    rate: decimalText(price.negotiatedCents),
    list_rate: decimalText(price.publishedCents),
    currency: "USD",
    billing_type: "easypost",
    delivery_days: 4,
  });
  expect(rates.filter(({ service }: { service: string }) => service === "Express")).toHaveLength(2);
  const limited = await create({ carrier_accounts: [easypost.carrierAccountIds.ups] });
  expect(new Set(limited.rates.map(({ carrier }: { carrier: string }) => carrier))).toEqual(new Set(["UPS"]));
  const stateless = await call("POST", "/beta/rates", { shipment: { to_address: to, from_address: from, parcel } });
  expect(stateless.body.rates[0]).not.toHaveProperty("id");
});

test("requests that the API forbids are refused with its error form", async () => {
  const shipment = { to_address: to, from_address: from, parcel };
  const post = async (body: unknown) => {
    const { status, body: answer } = await call("POST", "/v2/shipments", body);
    return { status, ...answer.error };
  };
  const missing = { status: 422, code: "PARAMETER.REQUIRED", message: "Missing required parameter." };
  expect(await post({})).toEqual({ ...missing, errors: [{ field: "shipment", message: "cannot be blank" }] });
  expect(await post({ shipment: { ...shipment, to_address: undefined } })).toMatchObject({
    ...missing,
    errors: [{ field: "to_address" }],
  });
  const invalid = { status: 422, code: "SHIPMENT.INVALID_PARAMS" };
  expect(await post({ shipment: { ...shipment, parcel: { weight: "14" } } })).toMatchObject({
    ...invalid,
    errors: [{ field: "weight", message: "This must be a number" }],
  });
  expect(await post({ shipment: { ...shipment, to_address: { ...to, zip: 97201 } } })).toMatchObject({
    ...invalid,
    errors: [{ field: "zip" }],
  });
  expect(await post({ shipment: { ...shipment, options: { label_format: "GIF" } } })).toMatchObject(invalid);
  expect(await post({ shipment: { ...shipment, parcel: { weight: 5, length: 3 } } })).toMatchObject({ status: 422 });
  expect(await post({ shipment: { ...shipment, carrier_accounts: ["ca_unknown"] } })).toMatchObject({
    code: "SHIPMENT.RATE.CARRIER_ACCOUNT_INVALID",
  });
  expect(await post("{")).toMatchObject({ status: 400, code: "BAD_REQUEST" });
  const drawn = await create();
  expect((await call("POST", `/v2/shipments/${drawn.id}/buy`, {})).status).toBe(422);
  expect((await call("POST", `/v2/shipments/${drawn.id}/buy`, { rate: { id: "rate_other" } })).status).toBe(404);
  expect((await call("GET", "/v2/shipments/shp_none")).body.error.code).toBe("NOT_FOUND");
});

test("a key works in its own mode only, and a deleted key stops working", async () => {
  const shipment = await create({ reference: "mode-1" });
  const inTest = carrierClient(easypost.url, basic(easypost.testKey));
  expect(shipment.mode).toBe("production");
  expect((await inTest("GET", `/v2/shipments/${shipment.id}`)).status).toBe(404);
  expect((await inTest("GET", "/v2/users")).body.error.code).toBe("MODE.UNAUTHORIZED");
  expect((await call("GET", "/v2/users")).body).toMatchObject({ object: "User", balance: "100.00000" });
  expect((await call("GET", "/v2/carrier_accounts")).body).toHaveLength(2);
  expect((await carrierClient(easypost.url)("GET", "/v2/users")).status).toBe(401);
  expect((await carrierClient(easypost.url, basic("EZAKwrong"))("GET", "/v2/users")).status).toBe(401);
  const withPassword = { authorization: `Basic ${Buffer.from(`${easypost.productionKey}:secret`).toString("base64")}` };
  expect((await carrierClient(easypost.url, withPassword)("GET", "/v2/users")).status).toBe(401);
  const bearer = carrierClient(easypost.url, { authorization: `Bearer ${easypost.productionKey}` });
  expect((await bearer("GET", "/v2/users")).status).toBe(200);
  easypost.deactivateKey(easypost.testKey);
  expect((await inTest("GET", "/v2/shipments")).status).toBe(401);
});

test("a shipment is bought once, and found by id and by reference", async () => {
  const shipment = await create({ reference: "order-1" });
  const { status, body } = await buy(shipment);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    tracking_code: expect.stringMatching(/^94001\d{17}$/),
    selected_rate: { service: "GroundAdvantage" },
    to_address: { street1: "14 ELM STREET", zip: "97201-2506", residential: true },
    postage_label: { label_file_type: "image/png" },
    tracker: { status: "unknown", tracking_code: body.tracking_code },
    fees: [{ type: "LabelFee", amount: "0.00000" }, { type: "PostageFee" }],
  });
  const again = await buy(shipment);
  expect(again.status).toBe(422);
  expect(again.body.error.code).toBe("SHIPMENT.POSTAGE.EXISTS");
  expect(salesOf(shipment.id)).toBe(1);
  expect((await call("GET", "/v2/shipments/order-1")).body.tracking_code).toBe(body.tracking_code);
  const newer = await create({ reference: "order-1" });
  expect((await call("GET", "/v2/shipments/order-1")).body.id).toBe(newer.id);
});

test("label files lie elsewhere, are real files and refuse credentials", async () => {
  const { id, postage_label, tracking_code } = await bought();
  const png = Buffer.from(await (await fetch(postage_label.label_url)).arrayBuffer());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.includes(tracking_code)).toBe(true);
  const refused = await fetch(postage_label.label_url, { headers: basic(easypost.productionKey) });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("<Code>InvalidArgument</Code>"),
  ]);
  const converted = (await call("GET", `/v2/shipments/${id}/label?file_format=ZPL`)).body.postage_label;
  expect(converted.label_url).toBe(postage_label.label_url);
  expect(await (await fetch(converted.label_zpl_url)).text()).toContain(`^FD${tracking_code}^FS`);
  expect((await call("GET", `/v2/shipments/${id}/label?file_format=GIF`)).status).toBe(422);
  const asPdf = await bought({ options: { label_format: "PDF" } });
  const pdf = await (await fetch(asPdf.postage_label.label_url)).text();
  const [, startOfTable] = /startxref\n(\d+)\n%%EOF/.exec(pdf)!;
  expect(pdf.slice(Number(startOfTable)).startsWith("xref\n0 6")).toBe(true);
  expect(pdf).toContain(`(${asPdf.tracking_code}) Tj`);
  easypost.inject("label_unavailable");
  expect((await fetch(postage_label.label_url)).status).toBe(403);
});

test.each([
  ["purchase_in_progress", "SHIPMENT.PURCHASE.IN_PROGRESS", 0],
  ["postage_failure", "SHIPMENT.POSTAGE.FAILURE", 0],
  ["stale_rate", "SHIPMENT.POSTAGE.FAILURE", 0],
  ["errors_as_strings", "SHIPMENT.POSTAGE.FAILURE", 0],
  ["payment_required", "PAYMENT_REQUIRED", 0],
  ["timed_out_before", "SHIPMENT.POSTAGE.TIMED_OUT", 0],
  ["timed_out_after", "SHIPMENT.POSTAGE.TIMED_OUT", 1],
  ["no_response_before", "SHIPMENT.POSTAGE.NO_RESPONSE", 0],
  ["no_response_after", "SHIPMENT.POSTAGE.NO_RESPONSE", 1],
])("fault %s of a purchase answers %s and sells %i", async (kind, code, sold) => {
  const shipment = await create();
  easypost.inject(kind, { operation: "buy" });
  const { status, body } = await buy(shipment);
  expect([status, body.error.code]).toEqual([kind === "payment_required" ? 402 : 422, code]);
  if (kind === "errors_as_strings") expect(body.error.errors).toEqual([expect.any(String)]);
  expect(salesOf(shipment.id)).toBe(sold);
  const found = (await call("GET", `/v2/shipments/${shipment.id}`)).body;
  expect(found.postage_label !== null).toBe(sold === 1);
});

test.each([
  ["error_before", 0],
  ["error_after", 1],
  ["html", 0],
  ["rate_limit", 0],
  ["rate_limit_without_header", 0],
  ["garbled", 1],
])("connection fault %s sells %i", async (kind, sold) => {
  const shipment = await create();
  easypost.inject(kind, { operation: "buy" });
  const { status, headers, body } = await buy(shipment);
  if (kind.startsWith("rate_limit")) {
    expect([status, body.error.code]).toEqual([429, "RATE_LIMITED"]);
    expect(headers.get("retry-after")).toBe(kind === "rate_limit" ? "1" : null);
  }
  if (kind.startsWith("error")) expect(status).toBe(500);
  expect(salesOf(shipment.id)).toBe(sold);
});

test("a connection that is cut after the purchase leaves a label that the reference finds", async () => {
  const shipment = await create({ reference: "order-cut" });
  easypost.inject("cut_after", { operation: "buy" });
  await expect(buy(shipment)).rejects.toThrow("fetch failed");
  expect((await call("GET", "/v2/shipments/order-cut")).body.postage_label).not.toBeNull();
});

test("rates may be missing, partly or all, doubled, without list price, or with unknown fields", async () => {
  easypost.inject("partial_rates");
  const partial = await create();
  expect(partial.rates.some(({ carrier }: { carrier: string }) => carrier === "UPS")).toBe(false);
  expect(partial.messages).toMatchObject([{ carrier: "UPS", type: "rate_error" }]);
  easypost.inject("no_rates");
  expect(await create()).toMatchObject({ rates: [], messages: [{ carrier: "USPS" }, { carrier: "UPS" }] });
  easypost.inject("list_price_missing");
  expect((await create()).rates[0]).toMatchObject({ list_rate: null, retail_rate: null, rate: expect.any(String) });
  easypost.inject("duplicate_rates");
  expect((await create()).rates).toHaveLength(12);
  easypost.inject("unknown_fields");
  expect(await create()).toHaveProperty("brand_new_field");
  const abroad = await create({ to_address: { ...to, country: "CA", zip: "V6B 1A1", state: "BC" } });
  expect([abroad.rates, abroad.messages[0].message]).toEqual([[], expect.stringContaining("Customs")]);
  const labelDate = new Date(Date.now() + 6 * 86_400_000).toISOString();
  expect((await create({ options: { label_date: labelDate } })).rates).toEqual([]);
  const shipment = await create();
  const { rates } = (await call("POST", `/v2/shipments/${shipment.id}/rerate`, {})).body;
  expect((await call("POST", `/v2/shipments/${shipment.id}/buy`, { rate: { id: shipment.rates[0].id } })).status).toBe(
    404,
  );
  expect((await call("POST", `/v2/shipments/${shipment.id}/buy`, { rate: { id: rates[0].id } })).status).toBe(200);
});

test("refunds are submitted and settled later, refused after a scan, and nothing is due where the carrier bills", async () => {
  const refund = (id: string) => call("POST", `/v2/shipments/${id}/refund`, {});
  const label = await bought();
  expect((await refund(label.id)).body.refund_status).toBe("submitted");
  expect((await refund(label.id)).body.error.code).toBe("SHIPMENT.REFUND.UNAVAILABLE");
  await easypost.settleRefund(label.tracking_code, "refunded");
  expect((await call("GET", `/v2/shipments/${label.id}`)).body.refund_status).toBe("refunded");
  const ups = await bought({}, "UPS/Ground");
  expect((await refund(ups.id)).body.refund_status).toBe("not_applicable");
  const scanned = await bought();
  await easypost.scan(scanned.tracking_code, { status: "in_transit" });
  expect((await refund(scanned.id)).body.refund_status).toBe("rejected");
  const rejected = await bought();
  easypost.inject("refund_rejected");
  expect((await refund(rejected.id)).body.refund_status).toBe("rejected");
  expect((await refund(rejected.id)).body.refund_status).toBe("submitted");
  expect((await refund((await create()).id)).body.error.code).toBe("SHIPMENT.POSTAGE.REQUIRED");
  const refunds = async () => {
    const { tracking_code } = await bought();
    return (await call("POST", "/v2/refunds", { refund: { carrier: "USPS", tracking_codes: [tracking_code] } })).body;
  };
  expect(await refunds()).toMatchObject([{ object: "Refund", status: "submitted" }]);
  easypost.inject("one_object");
  expect(await refunds()).toMatchObject({ object: "Refund", status: "submitted" });
});

test("a purchase in one request needs exactly one carrier account", async () => {
  const { usps, ups } = easypost.carrierAccountIds;
  expect((await create({ service: "Priority", carrier_accounts: [usps] })).tracking_code).toMatch(/^94001/);
  expect((await create({ service: "Priority", carrier_accounts: [usps, ups] })).error.code).toBe(
    "SHIPMENT.INVALID_PARAMS",
  );
});

test("a stand-in that is started again on its journal still has drafts, labels and webhooks", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "easypost-"));
  afterFile(() => rm(folder, { recursive: true }));
  const journalFile = path.join(folder, "journal.jsonl");
  const first = await startEasypost({ journalFile });
  const before = carrierClient(first.url, basic(first.productionKey));
  const make = async (reference: string) =>
    (await before("POST", "/v2/shipments", { shipment: { to_address: to, from_address: from, parcel, reference } }))
      .body;
  const [sold, open] = [await make("sold"), await make("open")];
  await before("POST", `/v2/shipments/${sold.id}/buy`, { rate: { id: rateOf(sold) } });
  await before("POST", "/v2/webhooks", { webhook: { url: "http://127.0.0.1:9/x", webhook_secret: "s" } });
  await first.close();

  const second = await startEasypost({ journalFile });
  afterFile(() => second.close());
  const after = carrierClient(second.url, basic(second.productionKey));
  const { tracking_code } = (await after("GET", "/v2/shipments/sold")).body;
  expect(tracking_code).toBe(second.journal("buy")[0]!.trackingNumber);
  const repeated = await after("POST", `/v2/shipments/${sold.id}/buy`, { rate: { id: rateOf(sold) } });
  expect(repeated.body.error.code).toBe("SHIPMENT.POSTAGE.EXISTS");
  expect((await after("POST", `/v2/shipments/${open.id}/buy`, { rate: { id: rateOf(open) } })).status).toBe(200);
  expect((await after("GET", "/v2/webhooks")).body.webhooks).toHaveLength(1);
  expect(second.journal("buy").map(({ reference }) => reference)).toEqual(["sold", "open"]);
});
