import { beforeAll, expect, test } from "vitest";
import { amazonId, expectedAmazonOrders } from "../../../testing/shops/amazon/expected-amazon-orders.ts";
import { startAmazon } from "../../../testing/shops/amazon/stand-in-amazon.ts";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";

let shop: Awaited<ReturnType<typeof startAmazon>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

const values = (more: object = {}) => ({
  variables: { apiUrl: shop.url, loginUrl: shop.url, marketplaceIds: "ATVPDKIKX0DER,A1PA6795UKMFR9" },
  credentials: {
    clientId: shop.client.id,
    clientSecret: shop.client.secret,
    refreshToken: shop.client.refreshToken,
    ...more,
  },
});

beforeAll(async () => {
  shop = await startAmazon();
  hub = await definitionFixture("amazon", values());
});

const since = "2026-01-01T00:00:00Z";

test("imports all orders in all pages, with all fields that Amazon has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders({ since });
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 11 } });
  await hub.expectOrders(expectedAmazonOrders);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders({ since })).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ orderId }) => orderId === amazonId(8))!;
  changed.fulfillment.fulfillmentStatus = "UNSHIPPED";
  changed.lastUpdatedTime = "2026-04-01T10:00:00Z";
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  expect(shop.requests[before]!.url).toContain("lastUpdatedAfter=2026-03-1");
  expect(await hub.orderOf(amazonId(8))).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("a throttled request is repeated", async () => {
  shop.inject("rate_limit", { operation: "orders" });
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
});

test("a confirmation arrives once, with tracking number, carrier and quantities", async () => {
  const order = await hub.orderOf(amazonId(1));
  const sent = await hub.ship(order, "1Z999AA10123456784", { "12345678901": 2, "12345678902": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.confirmations).toMatchObject([
    {
      orderId: amazonId(1),
      packageReferenceId: "123456784",
      carrierCode: "UPS",
      trackingNumber: "1Z999AA10123456784",
      orderItems: [
        { orderItemId: "12345678901", quantity: 2 },
        { orderItemId: "12345678902", quantity: 1 },
      ],
    },
  ]);
});

test("a carrier that Amazon does not list is sent by its name, and a lost response is found by the number", async () => {
  const order = await hub.orderOf(amazonId(10));
  shop.inject("cut_after", { operation: "confirm" });
  await hub.ship(order, "PK-1", { "123456789011": 1 }, "Parcel Kings");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  await hub.ship(order, "PK-2", { "123456789011": 2 }, "Parcel Kings");
  expect(shop.confirmations.filter(({ orderId }) => orderId === amazonId(10))).toMatchObject([
    { carrierCode: "Other", carrierName: "Parcel Kings", trackingNumber: "PK-1" },
    { trackingNumber: "PK-2" },
  ]);
});

test("a refusal is a failure that quotes Amazon", async () => {
  const order = await hub.orderOf(amazonId(9));
  shop.orders.find(({ orderId }) => orderId === amazonId(9))!.fulfillment.fulfillmentStatus = "CANCELLED";
  const refused = await hub.ship(order, "1Z9");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("cannot be confirmed");
});

test("a wrong client secret is reported", async () => {
  const bridgeId = await install(hub.org, "amazon", values({ clientSecret: "wrong" }), "Wrong secret");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("client authentication failed");
});
