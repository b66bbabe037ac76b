import { beforeAll, expect, test } from "vitest";
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
const idOf = (number: number): string => `123-45678${String(number).padStart(2, "0")}-1234567`;
const mug = (id: number, more: object = {}) => ({
  id: `1234567890${id}`,
  sku: "MUG-01",
  name: "Enamel mug",
  quantity: 1,
  shippedQuantity: 0,
  price: 10,
  discount: 0,
  tax: 0,
  productId: `B08N5WRW${id}`,
  ...more,
});

const expected = {
  [idOf(1)]: {
    number: idOf(1),
    status: "new",
    holds: [],
    paymentStatus: "paid",
    currency: "USD",
    channel: "amazon",
    tags: ["PRIME", "AMAZON_BUSINESS"],
    orderedAt: "2026-03-01T09:00:00.000Z",
    shipBy: "2026-03-28T23:59:59.000Z",
    deliverBy: "2026-03-31T23:59:59.000Z",
    customer: { name: "John Smith", email: "buyer1@marketplace.amazon.com" },
    shippingAddress: {
      name: "John Smith",
      address1: "123 Main Street",
      address2: "Suite 456",
      city: "Seattle",
      province: "WA",
      zip: "98101",
      countryCode: "US",
      phone: "555-123-4567",
      residential: true,
    },
    poNumber: "PO-2026-1",
    giftMessage: "Happy Holidays!",
    total: 117.67,
    amounts: { subtotal: 109.98, discount: 10, shipping: 5.99, tax: 8.2, fees: 3.5 },
    payment: { method: "CreditCard" },
    shipping: { service: "STANDARD" },
    customFields: { amazon_marketplace_id: "ATVPDKIKX0DER" },
    lines: [
      {
        id: "12345678901",
        sku: "ECHO-4",
        name: "Smart speaker | Charcoal",
        quantity: 2,
        price: 49.99,
        discount: 10,
        tax: 8.2,
      },
      mug(2, { properties: [{ name: "Customization", value: "https://amazon.com/custom/view/12345" }] }),
    ],
  },
  [idOf(2)]: { status: "awaiting_payment", paymentStatus: "pending", shippingAddress: null, lines: [mug(3)] },
  [idOf(3)]: { status: "partially_shipped", total: 20, lines: [mug(4, { quantity: 2, shippedQuantity: 1 })] },
  [idOf(4)]: { status: "shipped", lines: [mug(5, { shippedQuantity: 1 })] },
  [idOf(5)]: { status: "cancelled", paymentStatus: "voided", lines: [] },
  [idOf(6)]: { status: "new", holds: [{ reason: "customer_request", note: "Cancellation requested at Amazon" }] },
  [idOf(7)]: { status: "review_required" },
  [idOf(8)]: { status: "awaiting_payment", paymentStatus: "pending" },
  [idOf(9)]: {
    currency: "EUR",
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
    },
    customFields: { amazon_marketplace_id: "A1PA6795UKMFR9" },
  },
  [idOf(10)]: { status: "new", lines: [mug(11, { quantity: 3 })] },
  [idOf(11)]: { status: "review_required" },
};

test("imports all orders in all pages, with all fields that Amazon has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders({ since });
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 11 } });
  await hub.expectOrders(expected);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders({ since })).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ orderId }) => orderId === idOf(8))!;
  changed.fulfillment.fulfillmentStatus = "UNSHIPPED";
  changed.lastUpdatedTime = "2026-04-01T10:00:00Z";
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  expect(shop.requests[before]!.url).toContain("lastUpdatedAfter=2026-03-1");
  expect(await hub.orderOf(idOf(8))).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("a throttled request is repeated", async () => {
  shop.inject("rate_limit", { operation: "orders" });
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
});

test("a confirmation arrives once, with tracking number, carrier and quantities", async () => {
  const order = await hub.orderOf(idOf(1));
  const sent = await hub.ship(order, "1Z999AA10123456784", { "12345678901": 2, "12345678902": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.confirmations).toMatchObject([
    {
      orderId: idOf(1),
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
  const order = await hub.orderOf(idOf(10));
  shop.inject("cut_after", { operation: "confirm" });
  await hub.ship(order, "PK-1", { "123456789011": 1 }, "Parcel Kings");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  await hub.ship(order, "PK-2", { "123456789011": 2 }, "Parcel Kings");
  expect(shop.confirmations.filter(({ orderId }) => orderId === idOf(10))).toMatchObject([
    { carrierCode: "Other", carrierName: "Parcel Kings", trackingNumber: "PK-1" },
    { trackingNumber: "PK-2" },
  ]);
});

test("a refusal is a failure that quotes Amazon", async () => {
  const order = await hub.orderOf(idOf(9));
  shop.orders.find(({ orderId }) => orderId === idOf(9))!.fulfillment.fulfillmentStatus = "CANCELLED";
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
