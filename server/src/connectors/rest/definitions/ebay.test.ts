import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { ebayId, expectedEbayOrders } from "../../../testing/shops/ebay/expected-ebay-orders.ts";
import { startEbay } from "../../../testing/shops/ebay/stand-in-ebay.ts";

let shop: Awaited<ReturnType<typeof startEbay>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

const values = (more: object = {}) => ({
  variables: { apiUrl: shop.url },
  credentials: {
    clientId: shop.client.id,
    clientSecret: shop.client.secret,
    refreshToken: shop.client.refreshToken,
    ...more,
  },
});

beforeAll(async () => {
  shop = await startEbay();
  hub = await definitionFixture("ebay", values());
});

const since = "2026-01-01T00:00:00Z";

test("imports all orders in all pages, with all fields that eBay has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders({ since });
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 12 } });
  await hub.expectOrders(expectedEbayOrders);
});

test("the first import without a start reads the last 90 days, and later ones only changed orders", async () => {
  expect(await hub.importOrders({ since })).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ orderId }) => orderId === ebayId(2))!;
  Object.assign(changed, { orderPaymentStatus: "PAID", lastModifiedDate: "2026-04-01T10:00:00.000Z" });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const asked = shop.requests.slice(before).filter(({ operation }) => operation === "orders");
  expect(decodeURIComponent(asked[0]!.url)).toMatch(/filter=lastmodifieddate:\[2026-03-1[^.]*\.\d{3}Z\.\.\]/);
  const other = await install(hub.org, "ebay", values(), "Second");
  const tried = await hub.org.post("/tasks/execute-sync", { bridgeId: other, taskName: "orders.import", input: {} });
  expect(tried.body).toMatchObject({ status: "succeeded" });
  const [, from] = /lastmodifieddate:\[(.+?)\.\.\]/.exec(decodeURIComponent(shop.requests.at(-1)!.url))!;
  const days = (Date.now() - Date.parse(from!)) / 86_400_000;
  expect(Math.round(days)).toBe(90);
});

test("an expired access token is renewed", async () => {
  shop.tokens.expireAll();
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
});

test("a fulfillment arrives once, with tracking number, carrier and quantities", async () => {
  const order = await hub.orderOf(ebayId(1));
  const sent = await hub.ship(order, "1Z 99-1", { "10001": 2, "10002": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toMatchObject([
    {
      orderId: ebayId(1),
      trackingNumber: "1Z 99-1",
      shippingCarrierCode: "UPS",
      lineItems: [
        { lineItemId: "10001", quantity: 2 },
        { lineItemId: "10002", quantity: 1 },
      ],
    },
  ]);
});

test("a fulfillment whose response was lost is found by its number, and not sent again", async () => {
  const order = await hub.orderOf(ebayId(7));
  shop.inject("cut_after", { operation: "ship" });
  await hub.ship(order, "94-055 09", undefined, "usps");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments.filter(({ orderId }) => orderId === ebayId(7))).toMatchObject([
    { fulfillmentId: "9405509" },
  ]);
});

test("a refusal is a failure that quotes eBay", async () => {
  const order = await hub.orderOf(ebayId(10));
  shop.orders.find(({ orderId }) => orderId === ebayId(10))!.lineItems[0]!.quantity = 0;
  const refused = await hub.ship(order, "1Z10");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("Invalid line item or quantity");
});

test("a wrong refresh token is reported", async () => {
  const bridgeId = await install(hub.org, "ebay", values({ refreshToken: "wrong" }), "Wrong token");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("refresh token is invalid");
});
