import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { startVendureShop } from "../../../testing/shops/vendure/stand-in-vendure.ts";

let shop: Awaited<ReturnType<typeof startVendureShop>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startVendureShop();
  hub = await definitionFixture("vendure", { variables: { shopUrl: shop.url }, credentials: { token: shop.token } });
});

const manchester = {
  name: "Hayden Zieme",
  address1: "12 Main Street",
  city: "Manchester",
  province: "Greater Manchester",
  zip: "M1 2AB",
  country: "United Kingdom",
  countryCode: "GB",
  phone: "+44 161 496 0000",
};
const zero = {
  subtotal: 9.5,
  discount: 0,
  shipping: 5,
  tax: 2.9,
  fees: 0,
  refunded: 0,
  paid: 17.4,
  taxIncluded: false,
  discounts: [],
};
const mug = (id: string, more: object = {}) => ({
  id,
  sku: "MUG-01",
  name: "Mug",
  quantity: 1,
  shippedQuantity: 0,
  price: 9.5,
  discount: 0,
  productId: String(40 + Number(id)),
  variantId: String(400 + Number(id)),
  ...more,
});

const expected = [
  {
    number: "T_1001",
    status: "new",
    paymentStatus: "paid",
    currency: "GBP",
    channel: "vendure",
    orderedAt: "2026-03-01T09:00:00.000Z",
    customer: { id: "21", name: "Hayden Zieme", email: "hayden@example.com", phone: "+44 161 496 0000" },
    shippingAddress: manchester,
    billingAddress: null,
    total: 1599,
    amounts: { ...zero, subtotal: 1327.5, tax: 266.5, paid: 1599 },
    payment: { method: "stripe", reference: "pi_1" },
    shipping: { service: "Standard Shipping" },
    lines: [
      {
        id: "1",
        sku: "L2201308",
        name: "Laptop 13 inch 8GB",
        quantity: 1,
        shippedQuantity: 0,
        price: 1299,
        discount: 0,
        tax: 259.8,
        productId: "41",
        variantId: "401",
        imageUrl: "https://shop.example.com/assets/preview/laptop.jpg",
        options: [
          { name: "screen size", value: "13 inch" },
          { name: "RAM", value: "8GB" },
        ],
      },
      mug("2", { quantity: 3, tax: 5.7 }),
    ],
  },
  {
    number: "T_1002",
    status: "new",
    paymentStatus: "authorized",
    total: 28.8,
    amounts: { ...zero, subtotal: 19, tax: 4.8, paid: 0 },
    lines: [mug("3", { quantity: 2, tax: 3.8 })],
  },
  {
    number: "T_1003",
    status: "partially_shipped",
    paymentStatus: "paid",
    lines: [mug("4", { quantity: 2, shippedQuantity: 1 })],
  },
  { number: "T_1004", status: "shipped", lines: [mug("5", { shippedQuantity: 1 })] },
  { number: "T_1005", status: "delivered", lines: [mug("6", { shippedQuantity: 1 })] },
  {
    number: "T_1006",
    status: "cancelled",
    // A declined payment came before.
    paymentStatus: "refunded",
    payment: { method: "stripe", reference: "pi_6" },
    amounts: { refunded: 28.8, paid: 28.8 },
    lines: [],
  },
  {
    number: "T_1007",
    status: "new",
    paymentStatus: "paid",
    total: 2813.04,
    amounts: {
      subtotal: 2598,
      discount: 259.8,
      shipping: 5,
      tax: 468.84,
      fees: 1,
      refunded: 0,
      paid: 2813.04,
      taxIncluded: false,
      discounts: [{ code: "SPRING10", title: "10% off", amount: 259.8 }],
    },
    lines: [{ id: "8", sku: "L2201308", quantity: 2, price: 1299, discount: 259.8, tax: 467.64 }],
  },
  {
    number: "T_1008",
    status: "new",
    paymentStatus: "partially_refunded",
    amounts: { refunded: 11.4, paid: 40.2 },
    lines: [mug("9", { quantity: 2, refundedQuantity: 1 })],
  },
  {
    number: "T_1009",
    status: "new",
    currency: "EUR",
    customer: { id: "22", name: "Jörg Müller", email: "joerg@example.de", phone: "+49 30 901820" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address1: "Hauptstraße 5",
      address2: "Hinterhof",
      city: "Berlin",
      zip: "10115",
      countryCode: "DE",
    },
    billingAddress: { name: "Müller GmbH", city: "Berlin", zip: "10117", countryCode: "DE" },
    total: 17.4,
    amounts: zero,
  },
  { number: "T_1010", status: "review_required" },
  { number: "T_1011", status: "awaiting_payment" },
  { number: "T_1012", status: "review_required" },
];

test("imports all orders in all pages, with all fields that Vendure has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 12 } });
  await hub.expectOrders(Object.fromEntries(expected.map((order, index) => [String(index + 1), order])));
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ id }) => id === "2")!;
  (changed.payments as { state: string }[])[0]!.state = "Settled";
  Object.assign(changed, { state: "PaymentSettled", updatedAt: "2026-04-01T10:00:00.000Z" });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const { variables } = JSON.parse(shop.requests[before]!.body) as { variables: { options: { filter: object } } };
  expect(variables.options.filter).toMatchObject({ updatedAt: { after: expect.stringMatching(/^2026-03-1/) } });
});

test("a fulfillment arrives once, with tracking number, method and quantities", async () => {
  const order = await hub.orderOf("1");
  expect(await hub.ship(order, "1Z1", { "1": 1, "2": 2 })).toMatchObject({
    status: "succeeded",
    result: { results: [{ status: "sent", externalId: "1" }] },
  });
  expect(await hub.execute("fulfillments.push", { orderIds: [order.id] })).toMatchObject({ status: "succeeded" });
  expect(shop.fulfillments).toEqual([
    {
      id: "1",
      orderLines: [
        { orderLineId: "1", quantity: 1 },
        { orderLineId: "2", quantity: 2 },
      ],
      method: "ups",
      trackingCode: "1Z1",
    },
  ]);
});

test("an import after it does not take back what the hub has shipped: Vendure still has the fulfillment as pending", async () => {
  shop.orders.find(({ id }) => id === "1")!.updatedAt = "2026-04-02T10:00:00.000Z";
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
  const lines = [{ shippedQuantity: 1 }, { shippedQuantity: 2 }];
  expect(await hub.orderOf("1")).toMatchObject({ status: "partially_shipped", holds: [], lines });
});

test("a refusal with status 200 is a failure that quotes Vendure", async () => {
  const order = await hub.orderOf("7");
  shop.fulfillments.push({
    id: "90",
    orderLines: [{ orderLineId: "8", quantity: 1 }],
    method: "dhl",
    trackingCode: "D1",
  });
  const refused = await hub.ship(order, "1Z7");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("already part of a Fulfillment");
  expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
});

test("an error of the server with status 200 fails the import with its message", async () => {
  shop.inject("exception");
  const failed = await hub.importOrders();
  expect(failed).toMatchObject({ status: "failed" });
  expect(failed.error.message).toContain("connect ECONNREFUSED");
});

test("a wrong token is reported in Vendure's words", async () => {
  const values = { variables: { shopUrl: shop.url }, credentials: { token: "wrong" } };
  const bridgeId = await install(hub.org, "vendure", values, "Wrong token");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("not currently authorized");
});
