import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { startNetsuite } from "../../../testing/shops/netsuite/stand-in-netsuite.ts";

let shop: Awaited<ReturnType<typeof startNetsuite>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

const values = (more: object = {}) => ({
  variables: { apiUrl: shop.url, certificateId: shop.certificateId, ...more },
  credentials: { clientId: shop.clientId, privateKey: shop.privateKey },
});

beforeAll(async () => {
  shop = await startNetsuite();
  hub = await definitionFixture("netsuite", values());
});

const idOf = (number: number): string => String(7000 + number);
const mug = {
  id: "1",
  sku: "MUG-01",
  name: "Enamel mug",
  quantity: 1,
  shippedQuantity: 0,
  price: 9.5,
  productId: "201",
};
const albany = {
  company: "Purchasing",
  address1: "12 Main Street",
  city: "Albany",
  province: "NY",
  zip: "12207",
  country: "United States",
  countryCode: "US",
  phone: "(518) 555-0100",
};

const expected = {
  [idOf(1)]: {
    number: "SO1001",
    status: "new",
    paymentStatus: "pending",
    currency: "USD",
    channel: "netsuite",
    orderedAt: "2026-03-01T09:00:00.000Z",
    shipBy: "2026-03-20T00:00:00.000Z",
    customer: { id: "55", name: "55 Byron Ltd", email: "ada@example.com", phone: "(518) 555-0100" },
    shippingAddress: { ...albany, name: "Ada Byron" },
    billingAddress: { ...albany, name: "Byron Ltd" },
    poNumber: "PO-4711",
    total: 63.34,
    amounts: { subtotal: 58, discount: 5.8, shipping: 8, tax: 3.14, taxIncluded: false },
    payment: { method: "Invoice" },
    shipping: { service: "UPS Ground" },
    notes: [{ text: "Deliver to dock 4", visibility: "customer" }],
    lines: [
      { ...mug, quantity: 4, tax: 3.14 },
      { id: "2", sku: "TEE-BLU-L", name: "TEE-BLU-L", quantity: 1, price: 20, productId: "202" },
    ],
  },
  [idOf(2)]: { status: "review_required", poNumber: null },
  [idOf(3)]: { status: "cancelled", paymentStatus: "voided" },
  [idOf(4)]: { status: "partially_shipped", lines: [{ ...mug, quantity: 3, shippedQuantity: 1 }] },
  [idOf(5)]: { status: "partially_shipped", lines: [{ ...mug, quantity: 2, shippedQuantity: 1 }] },
  [idOf(6)]: { status: "shipped", paymentStatus: "pending", lines: [{ ...mug, shippedQuantity: 1 }] },
  [idOf(7)]: { status: "shipped", paymentStatus: "paid" },
  [idOf(8)]: { status: "cancelled" },
  [idOf(9)]: {
    currency: "EUR",
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller GmbH",
      address2: "Hinterhof",
      zip: "10115",
      countryCode: "DE",
    },
  },
  [idOf(10)]: { status: "new", total: 27 },
  [idOf(11)]: { status: "review_required" },
  // Its discount, subtotal, description and negative charges are no lines to ship.
  [idOf(12)]: { status: "new", total: 35.2, amounts: { subtotal: 27.2 }, lines: [{ ...mug, quantity: 4 }] },
};

test("imports all sales orders in all pages, with their records", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 12 } });
  await hub.expectOrders(expected);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  Object.assign(shop.orders[1]!.row, { status: "B", modified: "2026-04-01 10:00:00" });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { fetched: expect.any(Number) } });
  const { q } = JSON.parse(shop.requests[before]!.body) as { q: string };
  expect(q).toMatch(/lastmodifieddate >= TO_DATE\('2026-03-1\d \d\d:\d\d:\d\d'/);
});

test("an order that cannot be read fails alone, and the next import reads it", async () => {
  const removed = shop.orders.at(-1)!.record;
  const { id } = removed;
  Object.assign(shop.orders.at(-1)!.row, { modified: "2026-04-02 10:00:00" });
  removed.id = "gone";
  expect(await hub.importOrders()).toMatchObject({ status: "completed_with_errors" });
  removed.id = id;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded" });
});

test("a fulfillment arrives once, with its tracking number", async () => {
  const order = await hub.orderOf(idOf(10));
  const sent = await hub.ship(order, "1Z10");
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toEqual([
    {
      id: "9000",
      orderId: idOf(10),
      shipStatus: { id: "C" },
      package: { items: [{ packageTrackingNumber: "1Z10", packageDescr: "ups" }] },
    },
  ]);
});

test("an order in two parcels is sent once, whole, after the last one: NetSuite fulfills all open lines", async () => {
  const order = await hub.orderOf(idOf(1));
  const refused = await hub.ship(order, "1Z1", { "1": 1 });
  expect(refused).toMatchObject({ status: "failed" });
  expect(shop.fulfillments).toHaveLength(1);
  await hub.ship(order, "1Z2");
  expect(shop.fulfillments.map(({ orderId }) => orderId)).toEqual([idOf(10), idOf(1)]);
  expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
});

test("a refusal is a failure that quotes NetSuite", async () => {
  const order = await hub.orderOf(idOf(9));
  shop.orders[8]!.row.status = "H";
  const refused = await hub.ship(order, "1Z9");
  expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
  expect(refused.error.message).toContain("at least one line item");
});

test("a wrong certificate is reported", async () => {
  const bridgeId = await install(hub.org, "netsuite", values({ certificateId: "other" }), "Wrong certificate");
  const tested = (await hub.org.post(`/bridges/${bridgeId}/test`)).body;
  expect(tested).toMatchObject({ ok: false });
  expect(JSON.stringify(tested)).toContain("invalid_client");
});
