import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { expectedVendureOrders } from "../../../testing/shops/vendure/expected-vendure-orders.ts";
import { startVendureShop } from "../../../testing/shops/vendure/stand-in-vendure.ts";

let shop: Awaited<ReturnType<typeof startVendureShop>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startVendureShop();
  hub = await definitionFixture("vendure", { variables: { shopUrl: shop.url }, credentials: { token: shop.token } });
});

test("imports all orders in all pages, with all fields that Vendure has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 12 } });
  await hub.expectOrders(expectedVendureOrders);
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
