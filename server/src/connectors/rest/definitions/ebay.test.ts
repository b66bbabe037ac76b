import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
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
const idOf = (number: number): string => `12-3456${String(number).padStart(2, "0")}-90123`;
const mug = { sku: "MUG-01", name: "Enamel mug", quantity: 1, shippedQuantity: 0, price: 9.5, discount: 0, tax: 0 };
const plain = { subtotal: 9.5, discount: 0, shipping: 4.5, tax: 0, refunded: 0, paid: 14, taxIncluded: false };

const expected = {
  [idOf(1)]: {
    number: idOf(1),
    status: "new",
    holds: [],
    paymentStatus: "paid",
    currency: "USD",
    channel: "ebay",
    orderedAt: "2026-03-01T09:00:00.000Z",
    shipBy: "2026-03-18T06:59:59.000Z",
    deliverBy: "2026-03-24T07:00:00.000Z",
    customer: { id: "buyer1", name: "John Smith", email: "john@members.ebay.com", phone: "408 555 0100" },
    shippingAddress: {
      name: "John Smith",
      address1: "2025 Hamilton Ave",
      city: "San Jose",
      province: "CA",
      zip: "95125",
      countryCode: "US",
      phone: "408 555 0100",
    },
    total: 92.3,
    amounts: {
      subtotal: 89.5,
      discount: 8,
      shipping: 4.5,
      tax: 6.3,
      refunded: 0,
      paid: 92.3,
      discounts: [{ code: "P1", title: "10% off", amount: 8 }],
    },
    payment: { method: "EBAY", reference: "ref-1" },
    customFields: { ebay_legacy_order_id: "110550001-1" },
    giftMessage: "Enjoy!",
    shipping: { service: "USPSPriority" },
    notes: [{ text: "Please leave at the door", visibility: "customer" }],
    lines: [
      {
        id: "10001",
        sku: "HOOD-BLU-L",
        name: "Hoodie",
        quantity: 2,
        price: 40,
        discount: 8,
        tax: 6.3,
        productId: "110551",
        variantId: "551",
        options: [
          { name: "Color", value: "Blue" },
          { name: "Size", value: "L" },
        ],
      },
      { ...mug, id: "10002", productId: "110552" },
    ],
  },
  [idOf(2)]: { status: "awaiting_payment", paymentStatus: "pending", amounts: { ...plain, paid: 0 } },
  [idOf(3)]: { status: "partially_shipped", lines: [{ ...mug, quantity: 2, shippedQuantity: 2 }, mug] },
  [idOf(4)]: { status: "shipped", lines: [{ ...mug, shippedQuantity: 1 }], amounts: plain, total: 14 },
  [idOf(5)]: { status: "cancelled", paymentStatus: "refunded", amounts: { refunded: 14 } },
  [idOf(6)]: { status: "new", holds: [{ reason: "customer_request", note: "Cancellation requested at eBay" }] },
  [idOf(7)]: { status: "new", paymentStatus: "partially_refunded", amounts: { refunded: 9.5 } },
  [idOf(8)]: { status: "review_required", paymentStatus: "refunded" },
  [idOf(9)]: { status: "new", lines: [{ sku: "1105511", name: "Print at home pattern", requiresShipping: false }] },
  [idOf(10)]: {
    amounts: { presentmentCurrency: "EUR", presentmentTotal: 12.89 },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
    },
  },
  [idOf(11)]: { status: "review_required", paymentStatus: "voided" },
  [idOf(12)]: { status: "review_required" },
};

test("imports all orders in all pages, with all fields that eBay has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders({ since });
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 12 } });
  await hub.expectOrders(expected);
});

test("the first import without a start reads the last 90 days, and later ones only changed orders", async () => {
  expect(await hub.importOrders({ since })).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ orderId }) => orderId === idOf(2))!;
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
  const order = await hub.orderOf(idOf(1));
  const sent = await hub.ship(order, "1Z 99-1", { "10001": 2, "10002": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toMatchObject([
    {
      orderId: idOf(1),
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
  const order = await hub.orderOf(idOf(7));
  shop.inject("cut_after", { operation: "ship" });
  await hub.ship(order, "94-055 09", undefined, "usps");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments.filter(({ orderId }) => orderId === idOf(7))).toMatchObject([{ fulfillmentId: "9405509" }]);
});

test("a refusal is a failure that quotes eBay", async () => {
  const order = await hub.orderOf(idOf(10));
  shop.orders.find(({ orderId }) => orderId === idOf(10))!.lineItems[0]!.quantity = 0;
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
