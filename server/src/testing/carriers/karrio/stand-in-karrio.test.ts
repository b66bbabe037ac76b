import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { afterFile } from "../../after-file.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { given, karrioFixture, parcels, shipper } from "./karrio-fixture.ts";
import { karrioConnections, karrioPrice } from "./stand-in-karrio-rates.ts";
import { startKarrio } from "./stand-in-karrio.ts";

const { karrio, call, draft, buy, bought } = await karrioFixture();
beforeEach(() => karrio.calm());

const rate = (more: object = {}) => call("POST", "/v1/proxy/rates", { ...given, ...more });
const salesOf = (id: string) => karrio.journal("buy").filter((entry) => entry.id === id).length;

test("rates are the account's prices with lines that add up to them", async () => {
  const { status, body } = await rate();
  expect([status, body.messages]).toEqual([200, []]);
  const service = karrioConnections[0]!.services[0]!;
  const price = karrioPrice(service, { parcels, fromZip: "78701", toZip: "97201" });
  const found = body.rates.find((one: { service: string }) => one.service === service.code);
  expect(found).toMatchObject({
    total_charge: price.negotiatedCents / 100,
    currency: "USD",
    carrier_id: "usps-main",
    test_mode: false,
  });
  const lines = found.extra_charges.map(({ amount }: { amount: number }) => Math.round(amount * 100));
  expect(lines.reduce((left: number, right: number) => left + right)).toBe(price.negotiatedCents);
  const heavier = await rate({ parcels: [{ weight: 1, weight_unit: "LB" }] });
  expect(heavier.body.rates[0].total_charge).toBeGreaterThan(body.rates[0].total_charge);
  const oneAccount = await rate({ carrier_ids: [karrio.connectionIds.ups], services: ["ups_ground"] });
  expect(oneAccount.body.rates.map((one: { service: string }) => one.service)).toEqual(["ups_ground"]);
  expect((await rate({ carrier_ids: ["other"] })).status).toBe(404);
});

test("messages stand beside rates with 207, and alone with 424", async () => {
  karrio.inject("partial_rates");
  const partial = await rate();
  expect([partial.status, partial.body.messages]).toMatchObject([
    207,
    [{ carrier_name: "ups", code: "504", level: "error" }],
  ]);
  expect(partial.body.rates).toHaveLength(2);
  karrio.inject("no_rates");
  const none = await rate();
  expect([none.status, Object.keys(none.body), none.body.messages.length]).toEqual([424, ["messages"], 2]);
  karrio.inject("partial_rates");
  expect(await draft()).toMatchObject({ status: "draft", messages: [{ carrier_name: "ups" }] });
  karrio.inject("negotiated_price_missing");
  const published = (await rate()).body.rates[0];
  expect(published.extra_charges.map(({ name }: { name: string }) => name)).not.toContain("Discount");
  karrio.inject("duplicate_rates");
  expect((await rate()).body.rates).toHaveLength(8);
  karrio.inject("unknown_fields");
  expect((await rate()).body).toHaveProperty("brand_new_field");
});

test("requests that the schema forbids are refused with path and reason", async () => {
  const errors = async (more: object) => {
    const { status, body } = await call("POST", "/v1/shipments", { ...given, ...more });
    return [status, ...body.errors.map(({ message }: { message: string }) => message)];
  };
  expect(await errors({ recipient: undefined })).toEqual([400, "recipient: This field is required."]);
  expect(await errors({ parcels: [{ weight_unit: "OZ" }] })).toEqual([
    400,
    "parcels[0].weight: This field is required.",
  ]);
  expect(await errors({ parcels: [{ weight: "14", weight_unit: "OZ" }] })).toEqual([
    400,
    "parcels[0].weight: This must be a number.",
  ]);
  expect(await errors({ parcels: [{ weight: 14, weight_unit: "ounce" }] })).toEqual([
    400,
    "parcels[0].weight_unit: This is not a valid choice.",
  ]);
  expect(await errors({ shipper: { ...shipper, postal_code: "7".repeat(21) } })).toMatchObject([
    400,
    expect.stringContaining("shipper.postal_code"),
  ]);
  expect(await errors({ label_type: "GIF" })).toMatchObject([400, "label_type: This is not a valid choice."]);
  expect((await call("POST", "/v1/shipments", "{")).body.errors[0].code).toBe("parse_error");
  expect((await call("GET", "/v1/shipments/shp_none")).body.errors).toEqual([
    { code: "not_found", message: "Shipment not found", level: "warning" },
  ]);
});

test("keys and access tokens sign in; access tokens end, and a key belongs to one mode", async () => {
  const anonymous = carrierClient(karrio.url);
  expect((await anonymous("GET", "/v1/shipments")).body.errors[0].code).toBe("not_authenticated");
  const wrong = carrierClient(karrio.url, { authorization: "Token key_wrong" });
  expect((await wrong("GET", "/v1/connections")).body.errors[0].code).toBe("authentication_failed");
  expect((await call("GET", "/v1/connections")).body.results).toHaveLength(2);
  const tokens = (await anonymous("POST", "/api/token", karrio.login)).body;
  const signedIn = carrierClient(karrio.url, { authorization: `Bearer ${tokens.access}` });
  expect((await signedIn("GET", "/v1/connections")).status).toBe(200);
  karrio.expireAccessTokens();
  const expired = await signedIn("GET", "/v1/connections");
  expect([expired.status, expired.body.errors[0].code]).toEqual([401, "token_not_valid"]);
  expect((await anonymous("POST", "/api/token/refresh", { refresh: tokens.refresh })).status).toBe(201);
  const inTest = carrierClient(karrio.url, { authorization: `Token ${karrio.testKey}` });
  const { id } = await draft();
  expect((await inTest("GET", `/v1/shipments/${id}`)).status).toBe(404);
  karrio.deactivateKey(karrio.testKey);
  expect((await inTest("GET", "/v1/connections")).status).toBe(401);
});

test("a draft is purchased once; only that answer holds the label", async () => {
  const shipment = await draft({ reference: "order-1" });
  expect(shipment).toMatchObject({ status: "draft", tracking_number: null, label_url: null, shipping_documents: [] });
  const { status, body } = await buy(shipment, { label_type: "ZPL" });
  expect([status, body.status, body.label_type]).toEqual([200, "created", "ZPL"]);
  const zpl = Buffer.from(body.shipping_documents[0].base64, "base64").toString();
  expect(zpl).toContain(body.tracking_number);
  const again = await buy(shipment);
  expect([again.status, again.body.errors[0].code]).toEqual([409, "state_error"]);
  expect(salesOf(shipment.id)).toBe(1);

  const found = (await call("GET", `/v1/shipments/${shipment.id}`)).body;
  expect(found.shipping_documents).toMatchObject([
    { category: "label", base64: null, url: `/v1/shipments/${shipment.id}/label.zpl` },
  ]);
  const document = (await call("POST", `/v1/shipments/${shipment.id}/documents/label`)).body;
  expect(Buffer.from(document.base64, "base64").toString()).toBe(zpl);
  expect((await call("GET", found.label_url)).text).toBe(zpl);
  expect((await carrierClient(karrio.url)("GET", found.label_url)).status).toBe(401);
  expect((await call("POST", `/v1/shipments/${shipment.id}/documents/invoice`)).status).toBe(404);
});

test("a search by reference finds parts of it", async () => {
  const [first, second] = [await draft({ reference: "find-1" }), await draft({ reference: "FIND-10" })];
  const { results } = (await call("GET", "/v1/shipments?reference=find-1")).body;
  expect(results.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
});

test("a purchase names a rate or a service of the shipment", async () => {
  const shipment = await draft();
  const purchase = (body: object) => call("POST", `/v1/shipments/${shipment.id}/purchase`, body);
  expect((await purchase({})).body.errors[0].message).toContain("selected_rate_id");
  expect((await purchase({ selected_rate_id: "rat_other" })).status).toBe(400);
  expect((await purchase({ service: "usps_priority_mail" })).body.service).toBe("usps_priority_mail");
  const atOnce = await call("POST", "/v1/shipments", { ...given, service: "ups_ground" });
  expect([atOnce.status, atOnce.body.status, atOnce.body.carrier_name]).toEqual([201, "created", "ups"]);
  const rerated = await draft();
  const { rates } = (await call("POST", `/v1/shipments/${rerated.id}/rates`, {})).body;
  expect(rates[0].id).not.toBe(rerated.rates[0].id);
  expect((await buy(rerated)).status).toBe(400);
});

test.each([
  ["carrier_refused", 0],
  ["carrier_timed_out_before", 0],
  ["carrier_timed_out_after", 1],
])("fault %s of a purchase answers 424 and sells %i", async (kind, sold) => {
  const shipment = await draft();
  karrio.inject(kind, { operation: "buy" });
  const { status, body } = await buy(shipment);
  expect([status, body.messages.length]).toEqual([424, 1]);
  expect(salesOf(shipment.id)).toBe(sold);
  expect((await call("GET", `/v1/shipments/${shipment.id}`)).body.status).toBe(sold === 1 ? "created" : "draft");
});

test("a label may come with a warning, or with a number that was used before", async () => {
  karrio.inject("warning_beside_label");
  const warned = await bought();
  expect(warned).toMatchObject({ status: "created", messages: [{ level: "warning" }] });
  karrio.inject("tracking_number_reused");
  expect((await bought()).tracking_number).toBe(warned.tracking_number);
});

test("connection faults lose the answer and keep the sale", async () => {
  const [broken, cut] = [await draft(), await draft()];
  karrio.inject("error_after", { operation: "buy" });
  expect((await buy(broken)).status).toBe(500);
  karrio.inject("cut_after", { operation: "buy" });
  await expect(buy(cut)).rejects.toThrow("fetch failed");
  expect([salesOf(broken.id), salesOf(cut.id)]).toEqual([1, 1]);
  karrio.inject("rate_limit_without_header", { operation: "rate" });
  const limited = await rate();
  expect([limited.status, limited.body.errors[0].code, limited.headers.get("retry-after")]).toEqual([
    429,
    "throttled",
    null,
  ]);
});

test("a stand-in that is started again on its journal still has drafts and labels", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "karrio-"));
  afterFile(() => rm(folder, { recursive: true }));
  const journalFile = path.join(folder, "journal.jsonl");
  const first = await startKarrio({ journalFile });
  const before = carrierClient(first.url, { authorization: `Token ${first.apiKey}` });
  const make = async (reference: string) => (await before("POST", "/v1/shipments", { ...given, reference })).body;
  const [sold, open] = [await make("sold"), await make("open")];
  const purchase = (client: typeof before, shipment: { id: string; rates: { id: string }[] }) =>
    client("POST", `/v1/shipments/${shipment.id}/purchase`, { selected_rate_id: shipment.rates[0]!.id });
  const label = (await purchase(before, sold)).body;
  await first.close();

  const second = await startKarrio({ journalFile });
  afterFile(() => second.close());
  const after = carrierClient(second.url, { authorization: `Token ${second.apiKey}` });
  expect((await after("GET", "/v1/shipments?reference=sold")).body.results[0].tracking_number).toBe(
    label.tracking_number,
  );
  expect((await purchase(after, sold)).status).toBe(409);
  expect((await purchase(after, open)).status).toBe(200);
  expect(second.journal("buy").map(({ reference }) => reference)).toEqual(["sold", "open"]);
});
