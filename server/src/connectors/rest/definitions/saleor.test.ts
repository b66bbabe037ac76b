import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { startSaleor } from "../../../testing/shops/saleor/stand-in-saleor.ts";

let shop: Awaited<ReturnType<typeof startSaleor>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startSaleor();
  hub = await definitionFixture("saleor", { variables: { shopUrl: shop.url }, credentials: { token: shop.token } });
});

const idOf = (number: number): string => `T3JkZXI6${number}`;
const lineIdOf = (number: number): string => `T3JkZXJMaW5lOj${number}`;
const mug = (id: number, more: object = {}) => ({
  id: lineIdOf(id),
  sku: "MUG-01",
  name: "Mug",
  quantity: 1,
  shippedQuantity: 0,
  price: 10,
  discount: 0,
  tax: 0,
  ...more,
});

const expected = {
  [idOf(1)]: {
    number: "1",
    status: "new",
    paymentStatus: "paid",
    currency: "USD",
    channel: "saleor",
    orderedAt: "2026-03-01T09:00:00.000Z",
    customer: { id: "VXNlcjox", name: "Leslie Wade", email: "leslie@example.com", phone: "+12175550100" },
    shippingAddress: {
      name: "Leslie Wade",
      address1: "1234 Elm Street",
      city: "SPRINGFIELD",
      province: "IL",
      zip: "62701",
      country: "United States of America",
      countryCode: "US",
      phone: "+12175550100",
    },
    billingAddress: { name: "Leslie Wade", city: "SPRINGFIELD" },
    total: 64.5,
    amounts: {
      subtotal: 60,
      discount: 5,
      shipping: 5,
      tax: 4.5,
      paid: 64.5,
      refunded: 0,
      taxIncluded: false,
      discounts: [{ code: "SPRING10", amount: 5 }],
    },
    payment: { method: "Credit card", reference: "psp-1" },
    shipping: { service: "Default" },
    notes: [{ text: "Ring twice", visibility: "customer" }],
    customFields: { saleor_warehouse_id: "V2FyZWhvdXNlOjE=" },
    lines: [
      {
        id: lineIdOf(1),
        sku: "TEE-BLU-L",
        name: "T-shirt - Blue / L",
        quantity: 2,
        price: 25,
        discount: 5,
        tax: 4.5,
        productId: "UHJvZHVjdDo1",
        variantId: "VmFyaWFudDo1",
        imageUrl: "https://shop.example.com/thumbnail/1",
        weight: { value: 0.4, unit: "kg" },
        options: [
          { name: "Color", value: "Blue" },
          { name: "Size", value: "L" },
        ],
        properties: [{ name: "engraving", value: "To Ann" }],
      },
      mug(2),
    ],
  },
  [idOf(2)]: { status: "awaiting_payment", paymentStatus: "pending", amounts: { paid: 0 } },
  [idOf(3)]: { status: "new", paymentStatus: "authorized" },
  [idOf(4)]: { status: "partially_shipped", lines: [mug(5, { quantity: 2, shippedQuantity: 1 })] },
  [idOf(5)]: { status: "shipped", lines: [mug(6, { shippedQuantity: 1 })] },
  [idOf(6)]: { status: "cancelled", paymentStatus: "refunded", amounts: { refunded: 15 } },
  [idOf(7)]: { status: "new", paymentStatus: "partially_refunded", amounts: { refunded: 10 } },
  [idOf(8)]: { status: "shipped", paymentStatus: "refunded" },
  [idOf(9)]: { status: "review_required" },
  [idOf(10)]: {
    status: "shipped",
    shippingAddress: null,
    lines: [{ sku: "VmFyaWFudDo11", name: "E-book - PDF", requiresShipping: false }],
  },
  [idOf(11)]: {
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address2: "Hinterhof",
      zip: "10115",
      countryCode: "DE",
    },
    lines: [mug(12)],
  },
  [idOf(12)]: { status: "cancelled" },
  [idOf(13)]: { status: "review_required" },
};

test("imports all orders in all pages, with all fields that Saleor has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expected);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ id }) => id === idOf(2))!;
  Object.assign(changed, { chargeStatus: "FULL", updatedAt: "2026-04-01T10:00:00.000000+00:00" });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const { variables } = JSON.parse(shop.requests[before]!.body) as { variables: { filter: object } };
  expect(variables.filter).toEqual({ updatedAt: { gte: expect.stringMatching(/^2026-03-1/) } });
  expect(await hub.orderOf(idOf(2))).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("a fulfillment arrives once, with tracking number, warehouse and quantities", async () => {
  const order = await hub.orderOf(idOf(1));
  const sent = await hub.ship(order, "1Z1", { [lineIdOf(1)]: 1, [lineIdOf(2)]: 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({
    result: { results: [{ status: "sent", externalId: "RnVsZmlsbG1lbnQ61" }] },
  });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toMatchObject([
    {
      trackingNumber: "1Z1",
      lines: [
        { orderLineId: lineIdOf(1), quantity: 1, warehouse: "V2FyZWhvdXNlOjE=" },
        { orderLineId: lineIdOf(2), quantity: 1, warehouse: "V2FyZWhvdXNlOjE=" },
      ],
    },
  ]);
});

test("a fulfillment whose response was lost is found by its number, and not sent again", async () => {
  const order = await hub.orderOf(idOf(7));
  shop.inject("cut_after", { operation: "graphql" });
  await hub.ship(order, "L7");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments.filter(({ orderId }) => orderId === idOf(7))).toHaveLength(1);
});

test("a refusal with status 200 is a failure that quotes Saleor", async () => {
  const order = await hub.orderOf(idOf(3));
  shop.orders.find(({ id }) => id === idOf(3))!.lines[0]!.quantityFulfilled = 1;
  const refused = await hub.ship(order, "1Z3");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("remaining to fulfill");
  expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
});

test("an error of the server with status 200 fails the import with its message", async () => {
  shop.inject("exception");
  const failed = await hub.importOrders();
  expect(failed).toMatchObject({ status: "failed" });
  expect(failed.error.message).toContain("Internal Server Error");
});

test("a wrong token is reported in Saleor's words", async () => {
  const values = { variables: { shopUrl: shop.url }, credentials: { token: "wrong" } };
  const bridgeId = await install(hub.org, "saleor", values, "Wrong token");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("MANAGE_ORDERS");
});
