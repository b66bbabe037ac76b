import { beforeAll, expect, test } from "vitest";
import { definitionFixture, install } from "../../../testing/shops/definition-fixture.ts";
import { expectedSaleorOrders, saleorId, saleorLineId } from "../../../testing/shops/saleor/expected-saleor-orders.ts";
import { startSaleor } from "../../../testing/shops/saleor/stand-in-saleor.ts";

let shop: Awaited<ReturnType<typeof startSaleor>>;
let hub: Awaited<ReturnType<typeof definitionFixture>>;

beforeAll(async () => {
  shop = await startSaleor();
  hub = await definitionFixture("saleor", { variables: { shopUrl: shop.url }, credentials: { token: shop.token } });
});

test("imports all orders in all pages, with all fields that Saleor has", async () => {
  expect(await hub.test()).toMatchObject({ ok: true });
  const imported = await hub.importOrders();
  expect(imported, JSON.stringify(imported)).toMatchObject({ status: "succeeded", result: { fetched: 13 } });
  await hub.expectOrders(expectedSaleorOrders);
});

test("a second import changes nothing, and later ones read only changed orders", async () => {
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { created: 0, updated: 0 } });
  const changed = shop.orders.find(({ id }) => id === saleorId(2))!;
  Object.assign(changed, { chargeStatus: "FULL", updatedAt: "2026-04-01T10:00:00.000000+00:00" });
  const before = shop.requests.length;
  expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { updated: 1 } });
  const { variables } = JSON.parse(shop.requests[before]!.body) as { variables: { filter: object } };
  expect(variables.filter).toEqual({ updatedAt: { gte: expect.stringMatching(/^2026-03-1/) } });
  expect(await hub.orderOf(saleorId(2))).toMatchObject({ status: "new", paymentStatus: "paid" });
});

test("a fulfillment arrives once, with tracking number, warehouse and quantities", async () => {
  const order = await hub.orderOf(saleorId(1));
  const sent = await hub.ship(order, "1Z1", { [saleorLineId(1)]: 1, [saleorLineId(2)]: 1 });
  expect(sent, JSON.stringify(sent)).toMatchObject({
    result: { results: [{ status: "sent", externalId: "RnVsZmlsbG1lbnQ61" }] },
  });
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments).toMatchObject([
    {
      trackingNumber: "1Z1",
      lines: [
        { orderLineId: saleorLineId(1), quantity: 1, warehouse: "V2FyZWhvdXNlOjE=" },
        { orderLineId: saleorLineId(2), quantity: 1, warehouse: "V2FyZWhvdXNlOjE=" },
      ],
    },
  ]);
});

test("a fulfillment whose response was lost is found by its number, and not sent again", async () => {
  const order = await hub.orderOf(saleorId(7));
  shop.inject("cut_after", { operation: "graphql" });
  await hub.ship(order, "L7");
  await hub.execute("fulfillments.push", { orderIds: [order.id] });
  expect(shop.fulfillments.filter(({ orderId }) => orderId === saleorId(7))).toHaveLength(1);
});

test("a refusal with status 200 is a failure that quotes Saleor", async () => {
  const order = await hub.orderOf(saleorId(3));
  shop.orders.find(({ id }) => id === saleorId(3))!.lines[0]!.quantityFulfilled = 1;
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
