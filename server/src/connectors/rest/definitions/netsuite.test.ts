import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { netsuiteId, expectedNetsuiteOrders } from "../../../testing/shops/netsuite/expected-netsuite-orders.ts";
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

test("imports all sales orders in all pages, with their records", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expectedNetsuiteOrders);
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
  const order = await hub.orderOf(netsuiteId(10));
  const sent = await hub.ship(order, "1Z10");
  expect(sent, JSON.stringify(sent)).toMatchObject({ result: { results: [{ status: "sent" }] } });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toEqual([
    {
      id: "9000",
      orderId: netsuiteId(10),
      shipStatus: { id: "C" },
      package: { items: [{ packageTrackingNumber: "1Z10", packageDescr: "ups" }] },
    },
  ]);
});

test("an order in two parcels is sent once, whole, after the last one: NetSuite fulfills all open lines", async () => {
  const order = await hub.orderOf(netsuiteId(1));
  const refused = await hub.ship(order, "1Z1", { "1": 1 });
  expect(refused).toMatchObject({ status: "failed" });
  expect(shop.fulfillments).toHaveLength(1);
  await hub.ship(order, "1Z2");
  expect(shop.fulfillments.map(({ orderId }) => orderId)).toEqual([netsuiteId(10), netsuiteId(1)]);
  expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
});

test("a refusal is a failure that quotes NetSuite", async () => {
  const order = await hub.orderOf(netsuiteId(9));
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
