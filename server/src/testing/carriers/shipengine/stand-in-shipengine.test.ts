import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { afterFile } from "../../after-file.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { from, packages, shipengineFixture, shipment, to } from "./shipengine-fixture.ts";
import { shipengineCarriers, shipenginePrice } from "./stand-in-shipengine-services.ts";
import { startShipengine } from "./stand-in-shipengine.ts";

const { shipengine, call, buy, bought } = await shipengineFixture();
beforeEach(() => shipengine.calm());
const { stampsCom, ups } = shipengine.carrierIds;
const rate = async (more: object = {}) =>
  (
    await call("POST", "/v1/rates", {
      rate_options: { carrier_ids: [stampsCom, ups] },
      shipment: { ...shipment, ...more },
    })
  ).body;
const salesOf = (reference: string) =>
  shipengine.journal("buy").filter((entry) => entry.reference === reference).length;
type Amount = { amount: number; currency: string };
type Rate = Record<"shipping_amount" | "insurance_amount" | "confirmation_amount" | "other_amount", Amount> & {
  service_code: string;
  rate_id: string;
};
const centsOf = ({ shipping_amount, insurance_amount, confirmation_amount, other_amount }: Rate) =>
  [shipping_amount, insurance_amount, confirmation_amount, other_amount].reduce(
    (cents, { amount }) => cents + Math.round(amount * 100),
    0,
  );

test("the price of a rate is the sum of its amounts, and the label costs the same", async () => {
  const { rate_response } = await rate({ confirmation: "signature", comparison_rate_type: "retail" });
  const service = shipengineCarriers[0]!.services[0]!;
  const price = shipenginePrice(service, { packages, fromZip: "78701", toZip: "97201", confirmation: "signature" });
  const found = rate_response.rates.find((one: Rate) => one.service_code === service.code);
  expect(centsOf(found)).toBe(price.totalCents);
  expect(price.totalCents).toBe(price.shippingCents + price.otherCents + price.confirmationCents);
  expect(found).toMatchObject({
    shipping_amount: { currency: "usd" },
    requested_comparison_amount: { amount: price.publishedCents / 100 },
    negotiated_rate: true,
    rate_type: "shipment",
  });
  expect(rate_response).toMatchObject({ status: "completed", errors: [], invalid_rates: [] });
  const label = await call("POST", `/v1/labels/rates/${found.rate_id}`, {});
  expect(label.body.shipment_cost).toEqual({ currency: "usd", amount: price.totalCents / 100 });
});

test("requests that the schema forbids are refused with the fields that are wrong", async () => {
  const errors = async (more: object) => {
    const { status, body } = await buy(more);
    expect([status, body.request_id]).toEqual([400, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    return body.errors.map((one: { error_code: string; field_name?: string }) => `${one.error_code} ${one.field_name}`);
  };
  expect(await errors({ ship_from: { ...from, phone: undefined } })).toEqual([
    "field_value_required shipment.ship_from.phone",
  ]);
  expect(await errors({ ship_to: { ...to, postal_code: 97201 } })).toEqual([
    "invalid_field_value shipment.ship_to.postal_code",
  ]);
  expect(await errors({ packages: [{ weight: { value: "14", unit: "ounce" } }] })).toEqual([
    "invalid_field_value shipment.packages.0.weight.value",
  ]);
  expect(await errors({ packages: [{ weight: { value: 14, unit: "oz" } }] })).toEqual([
    "invalid_field_value shipment.packages.0.weight.unit",
  ]);
  expect(await errors({ external_shipment_id: "x".repeat(51) })).toEqual([
    "invalid_string_length shipment.external_shipment_id",
  ]);
  expect(await errors({ service_code: "ups_ground" })).toEqual(["invalid_field_value shipment.service_code"]);
  expect(await errors({ carrier_id: "se-999" })).toEqual(["invalid_identifier shipment.carrier_id"]);
  expect((await call("POST", "/v1/rates", { shipment })).body.errors[0].field_name).toBe("rate_options");
  expect((await call("POST", "/v1/labels", "{")).body.errors[0].error_code).toBe("invalid_object");
  expect((await call("POST", "/v1/labels")).body.errors[0].error_code).toBe("request_body_required");
  expect((await call("GET", "/v1/labels/se-404")).status).toBe(404);
  expect((await call("GET", "/v1/nothing")).body.errors[0].error_code).toBe("not_found");
});

test("a wrong key is refused and a deleted key stops working", async () => {
  const inTest = carrierClient(shipengine.url, { "api-key": shipengine.testKey });
  expect((await inTest("GET", "/v1/carriers")).body).toMatchObject({
    carriers: [
      { carrier_id: stampsCom, services: [{ service_code: "usps_ground_advantage" }, {}] },
      { carrier_code: "ups" },
    ],
    errors: [],
  });
  shipengine.deactivateKey(shipengine.testKey);
  const refused = await inTest("GET", "/v1/carriers");
  expect([refused.status, refused.body.errors[0].error_code]).toEqual([401, "unauthorized"]);
  expect((await carrierClient(shipengine.url)("GET", "/v1/carriers")).status).toBe(401);
});

test("an external shipment id buys one label for good, and finds it", async () => {
  const label = await bought({ external_shipment_id: "order-1" });
  expect(label).toMatchObject({
    status: "completed",
    voided: false,
    external_shipment_id: "order-1",
    carrier_code: "stamps_com",
  });
  const again = await buy({ external_shipment_id: "order-1" });
  expect([again.status, again.body.errors[0].error_code]).toEqual([400, "identifier_conflict"]);
  expect(salesOf("order-1")).toBe(1);
  const found = (await call("GET", "/v1/labels/external_shipment_id/order-1")).body;
  expect([found.label_id, found.tracking_number]).toEqual([label.label_id, label.tracking_number]);
  expect((await call("PUT", `/v1/labels/${label.label_id}/void`)).body.approved).toBe(true);
  expect((await buy({ external_shipment_id: "order-1" })).status).toBe(400);
  await rate({ external_shipment_id: "order-2" });
  expect((await buy({ external_shipment_id: "order-2" })).body.errors[0].error_code).toBe("identifier_conflict");
  expect((await call("GET", "/v1/labels/external_shipment_id/order-2")).status).toBe(404);
});

test("a purchase by rate, or without an external id, buys again when it is repeated", async () => {
  const { rate_response } = await rate();
  const buyRate = () => call("POST", `/v1/labels/rates/${rate_response.rates[0].rate_id}`, {});
  const [first, second] = [(await buyRate()).body, (await buyRate()).body];
  expect(first.label_id).not.toBe(second.label_id);
  expect(shipengine.journal("buy").filter(({ id }) => id === first.label_id || id === second.label_id)).toHaveLength(2);
});

test("labels come as data or by an address that needs no key", async () => {
  const inline = await bought({}, { label_download_type: "inline", label_format: "zpl" });
  const [prefix, data] = inline.label_download.href.split(",");
  expect(prefix).toBe("data:application/zpl;base64");
  expect(Buffer.from(data, "base64").toString()).toContain(inline.tracking_number);
  const byUrl = await bought();
  const { href, pdf, png } = byUrl.label_download;
  expect(href).toBe(pdf);
  expect(
    Buffer.from(await (await fetch(png)).arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  expect((await (await fetch(href)).text()).startsWith("%PDF-1.4")).toBe(true);
  const read = await call("GET", `/v1/labels/${byUrl.label_id}?label_download_type=inline`);
  expect(read.body.label_download.href).toMatch(/^data:application\/pdf;base64,/);
});

test("several packages are several tracking numbers, where the carrier takes them", async () => {
  const two = { packages: [...packages, { weight: { value: 2, unit: "pound" } }] };
  expect((await buy(two)).status).toBe(400);
  const { rate_response } = await rate(two);
  expect(new Set(rate_response.rates.map((one: { carrier_id: string }) => one.carrier_id))).toEqual(new Set([ups]));
  expect(rate_response.invalid_rates[0]).toMatchObject({ validation_status: "invalid", carrier_id: stampsCom });
  const label = await bought({ ...two, carrier_id: ups, service_code: "ups_ground" });
  const numbers = label.packages.map((one: { tracking_number: string }) => one.tracking_number);
  expect(new Set(numbers).size).toBe(2);
  expect(label.tracking_number).toBe(numbers[0]);
});

test.each([
  ["carrier_refused", 400, "unspecified", 0],
  ["insufficient_funds", 400, "insufficient_funds", 0],
  ["carrier_timed_out_before", 400, "unspecified", 0],
  ["carrier_timed_out_after", 400, "unspecified", 1],
])("fault %s of a purchase answers %i %s and sells %i", async (kind, status, code, sold) => {
  shipengine.inject(kind, { operation: "buy" });
  const answer = await buy({ external_shipment_id: `fault-${kind}` });
  expect([answer.status, answer.body.errors[0].error_code]).toEqual([status, code]);
  expect(salesOf(`fault-${kind}`)).toBe(sold);
  expect((await call("GET", `/v1/labels/external_shipment_id/fault-${kind}`)).status).toBe(sold === 1 ? 200 : 404);
});

test("an answer of 200 may still be without a file or an error", async () => {
  shipengine.inject("label_processing");
  const processing = await bought({ external_shipment_id: "slow" });
  expect(processing).toMatchObject({ status: "processing", label_download: null });
  expect((await call("GET", `/v1/labels/${processing.label_id}`)).body).toMatchObject({ status: "completed" });
  shipengine.inject("label_error");
  expect(await bought({ external_shipment_id: "broken" })).toMatchObject({ status: "error" });
  expect(salesOf("broken")).toBe(0);
  shipengine.inject("tracking_number_reused");
  expect((await bought()).tracking_number).toBe(processing.tracking_number);
});

test("connection faults lose the answer and keep the sale", async () => {
  shipengine.inject("error_after", { operation: "buy" });
  const broken = await buy({ external_shipment_id: "lost-1" });
  expect([broken.status, broken.body.error.message]).toEqual([500, "Something bad happened"]);
  shipengine.inject("cut_after", { operation: "buy" });
  await expect(buy({ external_shipment_id: "lost-2" })).rejects.toThrow("fetch failed");
  expect([salesOf("lost-1"), salesOf("lost-2")]).toEqual([1, 1]);
  shipengine.inject("rate_limit", { operation: "rate" });
  const limited = await call("POST", "/v1/rates", {});
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
});

test("rates may be partial, missing, doubled or published prices", async () => {
  shipengine.inject("partial_rates");
  const partial = (await rate()).rate_response;
  expect(partial).toMatchObject({ status: "partial", errors: [{ carrier_code: "ups", error_source: "carrier" }] });
  shipengine.inject("no_rates");
  expect((await rate()).rate_response).toMatchObject({ status: "error", rates: [] });
  const own = (await rate()).rate_response.rates[0];
  shipengine.inject("negotiated_price_missing");
  const published = (await rate()).rate_response.rates[0];
  expect(published.negotiated_rate).toBe(false);
  expect(centsOf(published)).toBeGreaterThan(centsOf(own));
  shipengine.inject("duplicate_rates");
  expect((await rate()).rate_response.rates).toHaveLength(10);
  shipengine.inject("unknown_fields");
  expect(await rate()).toHaveProperty("brand_new_field");
});

test("a stand-in that is started again on its journal still has rates, labels and external ids", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "shipengine-"));
  afterFile(() => rm(folder, { recursive: true }));
  const journalFile = path.join(folder, "journal.jsonl");
  const ground = { ...shipment, carrier_id: stampsCom, service_code: "usps_ground_advantage" };
  const first = await startShipengine({ journalFile });
  const before = carrierClient(first.url, { "api-key": first.apiKey });
  const label = (await before("POST", "/v1/labels", { shipment: { ...ground, external_shipment_id: "kept" } })).body;
  const { rate_response } = (await before("POST", "/v1/rates", { rate_options: { carrier_ids: [ups] }, shipment }))
    .body;
  await first.close();

  const second = await startShipengine({ journalFile });
  afterFile(() => second.close());
  const after = carrierClient(second.url, { "api-key": second.apiKey });
  expect((await after("GET", "/v1/labels/external_shipment_id/kept")).body.tracking_number).toBe(label.tracking_number);
  const again = await after("POST", "/v1/labels", { shipment: { ...ground, external_shipment_id: "kept" } });
  expect(again.body.errors[0].error_code).toBe("identifier_conflict");
  expect((await after("POST", `/v1/labels/rates/${rate_response.rates[0].rate_id}`, {})).status).toBe(200);
  expect(second.journal("buy")).toHaveLength(2);
});
