import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { expectedMagentoOrders } from "../../../testing/shops/magento/expected-magento-orders.ts";
import { startMagentoShop } from "../../../testing/shops/magento/stand-in-magento.ts";

let shop: Awaited<ReturnType<typeof startMagentoShop>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startMagentoShop();
  hub = await definitionFixture("magento", { variables: { shopUrl: shop.url }, credentials: shop.keys });
});

test("imports all orders in all pages, with all fields that Magento has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expectedMagentoOrders);
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
