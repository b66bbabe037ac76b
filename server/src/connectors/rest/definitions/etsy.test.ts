import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { etsyId, expectedEtsyOrders } from "../../../testing/shops/etsy/expected-etsy-orders.ts";
import { startEtsy } from "../../../testing/shops/etsy/stand-in-etsy.ts";

let shop: Awaited<ReturnType<typeof startEtsy>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

const values = (more: object = {}) => ({
  variables: { apiUrl: shop.url, shopId: shop.shopId },
  credentials: {
    clientId: shop.client.id,
    "headers.x-api-key": shop.apiKey,
    refreshToken: shop.client.refreshToken,
    ...more,
  },
});

beforeAll(async () => {
  shop = await startEtsy();
  hub = await definitionFixture("etsy", values());
});

test("imports all receipts in all pages, with all fields that Etsy has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 11 } });
  await hub.expectOrders(expectedEtsyOrders);
});

test("a second import changes nothing, and later ones read only changed receipts", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.receipts.find((one) => one.receipt_id === 2_000_002)!;
  const at = Date.parse("2026-04-01T10:00:00Z") / 1000;
  Object.assign(changed, { status: "Paid", is_paid: true, updated_timestamp: at });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const since = Number(new URL(shop.requests[before]!.url, shop.url).searchParams.get("min_last_modified"));
  expect(new Date(since * 1000).toISOString()).toMatch(/^2026-03-1/);
  expect(await hub.orderOf(etsyId(2))).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("refresh tokens that are good for one use are replaced", async () => {
  for (let turn = 0; turn < 2; turn++) {
    shop.tokens.expireAll();
    expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
  }
});

test("a tracking number arrives once, as a form", async () => {
  const order = await hub.orderOf(etsyId(1));
  const sent = await hub.ship(order, "9400 1", undefined, "USPS");
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  const { shipments } = shop.receipts.find((one) => one.receipt_id === 2_000_001)!;
  expect(shipments).toMatchObject([{ tracking_code: "9400 1", carrier_name: "usps" }]);
});

test("a shipment whose response was lost is found by its number, and not sent again", async () => {
  const order = await hub.orderOf(etsyId(6));
  shop.inject("cut_after", { operation: "ship" });
  await hub.ship(order, "L6");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.receipts.find((one) => one.receipt_id === 2_000_006)!.shipments).toHaveLength(1);
});

test("a refusal is a failure that quotes Etsy", async () => {
  const order = await hub.orderOf(etsyId(9));
  shop.receipts.find((one) => one.receipt_id === 2_000_009)!.status = "Canceled";
  const refused = await hub.ship(order, "L9");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("canceled receipt");
});

test("a wrong API key and a used refresh token are reported in Etsy's words", async () => {
  const tested = async (given: ReturnType<typeof values>, name: string) => {
    const bridgeId = await install(hub.org, "etsy", given, name);
    return (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  };
  const used = await tested(values(), "Used token");
  expect(used).toMatchObject({ ok: false });
  expect(JSON.stringify(used)).toContain("refresh token is invalid");
  const other = await startEtsy();
  const { variables, credentials } = values({ "headers.x-api-key": "wrong" });
  const refused = await tested({ variables: { ...variables, apiUrl: other.url }, credentials }, "Wrong key");
  expect(refused).toMatchObject({ ok: false });
  expect(JSON.stringify(refused)).toContain("Invalid API key");
});
