import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { startMagentoShop } from "../../../testing/shops/magento/stand-in-magento.ts";

let shop: Awaited<ReturnType<typeof startMagentoShop>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startMagentoShop();
  hub = await definitionFixture("magento", { variables: { shopUrl: shop.url }, credentials: shop.keys });
});

const calder = {
  name: "Veronica Costello",
  address1: "6146 Honey Bluff Parkway",
  city: "Calder",
  province: "Michigan",
  provinceCode: "MI",
  zip: "49628-7978",
  countryCode: "US",
  phone: "(555) 229-3326",
  email: "roni@example.com",
};
const bag = {
  sku: "24-MB01",
  name: "Joust Duffle Bag",
  quantity: 1,
  shippedQuantity: 0,
  price: 34,
  discount: 0,
  tax: 0,
};

const expected = {
  "1": {
    number: "000000001",
    status: "new",
    holds: [],
    paymentStatus: "paid",
    currency: "USD",
    channel: "magento",
    orderedAt: "2026-03-01T09:00:00.000Z",
    customer: { id: "1", name: "Veronica Costello", email: "roni@example.com", phone: "(555) 229-3326" },
    shippingAddress: calder,
    billingAddress: { ...calder, company: "Costello Ltd" },
    total: 134.9,
    amounts: { subtotal: 120, discount: 0, shipping: 5, tax: 9.9, paid: 134.9, refunded: 0, taxIncluded: false },
    payment: { method: "braintree", reference: "8xk2" },
    shipping: { service: "Flat Rate - Fixed" },
    lines: [
      { ...bag, id: "1", quantity: 2, tax: 5.61, productId: "1001" },
      {
        id: "2",
        sku: "MH01-L-Blue",
        name: "Chaz Kangeroo Hoodie",
        quantity: 1,
        price: 52,
        tax: 4.29,
        productId: "67",
        properties: [{ name: "Option 5", value: "For Ann" }],
      },
    ],
  },
  "2": { status: "awaiting_payment", paymentStatus: "pending", total: 39, amounts: { paid: 0 } },
  "3": { status: "new", paymentStatus: "pending", payment: { method: "cashondelivery" } },
  "4": { status: "awaiting_payment", paymentStatus: "pending" },
  "5": { status: "shipped", paymentStatus: "paid", lines: [{ ...bag, id: "7", shippedQuantity: 1 }] },
  "6": { status: "cancelled", paymentStatus: "voided" },
  "7": { status: "cancelled", paymentStatus: "refunded", amounts: { refunded: 39, paid: 39 } },
  "8": {
    status: "partially_shipped",
    paymentStatus: "partially_refunded",
    total: 96.8,
    amounts: {
      subtotal: 102,
      discount: 10.2,
      refunded: 30.6,
      discounts: [{ code: "H20", title: "H20, Luma water bottle", amount: 10.2 }],
    },
    lines: [{ ...bag, id: "10", quantity: 2, shippedQuantity: 1, refundedQuantity: 1, discount: 10.2 }],
  },
  "9": { status: "new", holds: [{ reason: "other", note: "On hold in Magento" }] },
  "10": {
    status: "review_required",
    lines: [
      { id: "12", sku: "24-WG080-24-WG081", quantity: 1, price: 61 },
      { id: "13", sku: "24-WG081", quantity: 1, price: 0, parentLineId: "12", requiresShipping: false },
      { id: "14", sku: "24-WG085", quantity: 2, price: 0, parentLineId: "12", requiresShipping: false },
    ],
  },
  "11": {
    status: "new",
    giftMessage: "Happy birthday, Ann",
    poNumber: "PO-4711",
    notes: [{ text: "Please ring twice", visibility: "customer" }],
    lines: [{ id: "15" }, { id: "16", sku: "240-LV04", requiresShipping: false }],
  },
  "12": {
    currency: "USD",
    total: 39,
    amounts: { presentmentCurrency: "EUR", presentmentTotal: 19.5 },
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
  "13": { status: "review_required" },
};

test("imports all orders in all pages, with all fields that Magento has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expected);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ entity_id: id }) => id === 4)!;
  Object.assign(changed, {
    state: "processing",
    base_total_paid: 39,
    base_total_due: 0,
    updated_at: "2026-04-01 10:00:00",
  });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const asked = new URL(shop.requests[before]!.url, shop.url).searchParams;
  expect(asked.get("searchCriteria[filter_groups][0][filters][0][value]")).toMatch(/^2026-03-1\d \d\d:\d\d:\d\d$/);
  expect(await hub.orderOf("4")).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("a shipment arrives once, with tracking number, carrier and quantities", async () => {
  const order = await hub.orderOf("1");
  const sent = await hub.ship(order, "1Z1", { "1": 1, "2": 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent", externalId: "1" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.shipments).toEqual([
    {
      id: 1,
      orderId: 1,
      items: [
        { order_item_id: 1, qty: 1 },
        { order_item_id: 2, qty: 1 },
      ],
      tracks: [{ track_number: "1Z1", title: "ups", carrier_code: "ups" }],
      notify: true,
    },
  ]);
});

test("a shipment whose response was lost is found, and not sent again", async () => {
  const order = await hub.orderOf("3");
  shop.inject("cut_after", { operation: "ship" });
  await hub.ship(order, "L3", undefined, "dhl");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.shipments.filter(({ orderId }) => orderId === 3)).toMatchObject([
    { tracks: [{ track_number: "L3", carrier_code: "dhl" }] },
  ]);
});

test("a refusal is a failure that quotes Magento", async () => {
  const order = await hub.orderOf("12");
  shop.shipments.push({ id: 90, orderId: 12, items: [{ order_item_id: 17, qty: 1 }], tracks: [] });
  const refused = await hub.ship(order, "1Z12");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("must not be greater than the unshipped quantity");
  expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
});

test("wrong keys are reported", async () => {
  const credentials = { ...shop.keys, tokenSecret: "wrong" };
  const bridgeId = await install(hub.org, "magento", { variables: { shopUrl: shop.url }, credentials }, "Wrong keys");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("signature is invalid");
});
