import { beforeAll, expect, test } from "vitest";
import { startBigcommerceStore } from "../../../testing/shops/bigcommerce/stand-in-bigcommerce.ts";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";

let shop: Awaited<ReturnType<typeof startBigcommerceStore>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;
const variables = () => ({ apiUrl: shop.url, storeHash: shop.hash });

beforeAll(async () => {
  shop = await startBigcommerceStore();
  hub = await definitionFixture("bigcommerce", { variables: variables(), credentials: { token: shop.token } });
});

const towel = { sku: "S-ORAN", name: "Fog Linen Chambray Towel", quantity: 1, shippedQuantity: 0, price: 56, tax: 0 };

const expected = {
  "1": {
    number: "1",
    status: "new",
    paymentStatus: "paid",
    currency: "USD",
    channel: "bigcommerce",
    orderedAt: "2026-03-01T09:00:00.000Z",
    customer: { id: "11", name: "Jane Doe", email: "janedoe@example.com", phone: "1234567890" },
    shippingAddress: {
      name: "Jane Doe",
      address1: "666 Sussex St",
      city: "San Antonio",
      province: "Texas",
      zip: "78251",
      country: "United States",
      countryCode: "US",
      phone: "1234567890",
      email: "janedoe@example.com",
    },
    billingAddress: { name: "Jane Doe", address1: "555 East Street", city: "Austin", zip: "78108", countryCode: "US" },
    total: 133.74,
    amounts: { subtotal: 112, discount: 0, shipping: 10, tax: 9.24, fees: 2.5, refunded: 0, taxIncluded: false },
    payment: { method: "Credit Card" },
    giftMessage: "With love",
    shipping: { service: "Flat Rate" },
    notes: [{ text: "Leave at the door", visibility: "customer" }],
    customFields: { bigcommerce_address_id: 501 },
    lines: [
      {
        ...towel,
        id: "1",
        quantity: 2,
        tax: 9.24,
        productId: "71",
        variantId: "171",
        options: [
          { name: "Size", value: "S" },
          { name: "Color", value: "Orange" },
        ],
        properties: [{ name: "Add Letters", value: "A.B." }],
      },
      { id: "2", sku: "ABS", quantity: 1, price: 0, parentLineId: "1" },
    ],
  },
  "2": { status: "awaiting_payment", paymentStatus: "pending", payment: { method: "Bank Deposit" }, total: 66 },
  "3": { status: "partially_shipped", lines: [{ ...towel, id: "4", quantity: 3, shippedQuantity: 1 }] },
  "4": { status: "shipped", lines: [{ ...towel, id: "5", shippedQuantity: 1 }] },
  "5": { status: "cancelled", paymentStatus: "voided" },
  "6": { status: "cancelled", paymentStatus: "refunded", amounts: { refunded: 66 } },
  "7": {
    status: "new",
    paymentStatus: "partially_refunded",
    total: 122,
    amounts: { refunded: 56 },
    lines: [{ ...towel, id: "8", quantity: 1, refundedQuantity: 1 }],
  },
  "8": {
    total: 60.4,
    amounts: { subtotal: 56, discount: 5.6, discounts: [{ code: "SPRING", amount: 5.6 }] },
    lines: [{ ...towel, id: "9", discount: 5.6 }],
  },
  "9": { status: "shipped", lines: [{ id: "10", sku: "EBOOK", requiresShipping: false }] },
  "10": { status: "review_required", paymentStatus: "pending" },
  "11": {
    currency: "USD",
    total: 66,
    amounts: { presentmentCurrency: "EUR", presentmentTotal: 59.4 },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
    },
    lines: [{ ...towel, id: "12", sku: "Fog Linen Chambray Towel" }],
  },
  "12": { status: "draft" },
  "13": { status: "review_required" },
};

test("imports all orders in all pages with their products, addresses and coupons", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expected);
  expect((await hub.orderOf("11")).customer).not.toHaveProperty("id");
});

test("a second import changes nothing, later ones read only changed orders, and none (204) is no failure", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ order }) => order.id === 2)!.order;
  Object.assign(changed, {
    status_id: 11,
    payment_status: "captured",
    date_modified: "Wed, 01 Apr 2026 10:00:00 +0000",
  });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  expect(shop.requests[before]!.url).toContain("min_date_modified=2026-03-1");
  expect(await hub.orderOf("2")).toMatchObject({ status: "new", paymentStatus: "paid" });
  expect(await hub.importOrders({ since: "2026-05-01T00:00:00Z" })).toMatchObject({
    status: "succeeded",
    result: { fetched: 0 },
  });
});

test("a shipment arrives once, with its address, tracking number and quantities", async () => {
  const order = await hub.orderOf("1");
  const sent = await hub.ship(order, "1Z1", { "1": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent", externalId: "1" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.shipments).toEqual([
    {
      id: 1,
      order_id: 1,
      order_address_id: 501,
      tracking_number: "1Z1",
      shipping_provider: "ups",
      tracking_carrier: "ups",
      items: [{ order_product_id: 1, quantity: 1 }],
    },
  ]);
});

test("a second parcel whose response was lost is found by its number, and not taken for the first", async () => {
  const order = await hub.orderOf("1");
  shop.inject("cut_after", { operation: "ship" });
  await hub.ship(order, "1Z2", { "1": 1 });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.shipments.map((one) => one.tracking_number)).toEqual(["1Z1", "1Z2"]);
  // This one did not arrive: no other shipment of the order stands for it.
  shop.inject("cut_before", { operation: "ship" });
  await hub.ship(order, "1Z3", { "2": 1 });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.shipments.map((one) => one.tracking_number)).toEqual(["1Z1", "1Z2", "1Z3"]);
});

test("a refusal is a failure that quotes BigCommerce", async () => {
  const order = await hub.orderOf("8");
  shop.orders.find(({ order: { id } }) => id === 8)!.products[0]!.quantity_shipped = 1;
  const refused = await hub.ship(order, "1Z8");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("greater than the quantity");
});

test("a wrong token is reported", async () => {
  const values = { variables: variables(), credentials: { token: "wrong" } };
  const bridgeId = await install(hub.org, "bigcommerce", values, "Wrong token");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("Unauthorized");
});
