import { beforeAll, expect, test } from "vitest";
import { expectedBigcommerceOrders } from "../../../testing/shops/bigcommerce/expected-bigcommerce-orders.ts";
import { startBigcommerceStore } from "../../../testing/shops/bigcommerce/stand-in-bigcommerce.ts";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";

let shop: Awaited<ReturnType<typeof startBigcommerceStore>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;
const variables = () => ({ apiUrl: shop.url, storeHash: shop.hash });

beforeAll(async () => {
  shop = await startBigcommerceStore();
  hub = await definitionFixture("bigcommerce", { variables: variables(), credentials: { token: shop.token } });
});

test("imports all orders in all pages with their products, addresses and coupons", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expectedBigcommerceOrders);
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
