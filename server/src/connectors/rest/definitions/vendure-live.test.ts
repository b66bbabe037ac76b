import { beforeAll, describe, expect, test } from "vitest";
import { definitionFixture } from "../../../testing/shops/definition-fixture.ts";
import type { RealVendure } from "../../../testing/shops/vendure/real-vendure.ts";
import { startRealVendure } from "../../../testing/shops/vendure/real-vendure.ts";

let shop: RealVendure;
let hub: Awaited<ReturnType<typeof definitionFixture>>;
/** Without a registry there is no Vendure. */
let missing: string | undefined;

beforeAll(async () => {
  const started = await startRealVendure();
  if (typeof started === "string") {
    missing = started;
    return;
  }
  shop = started;
  hub = await definitionFixture("vendure", { variables: { shopUrl: shop.url }, credentials: { token: shop.token } });
}, 1_200_000);

type Fulfillments = {
  order: { state: string; fulfillments: { trackingCode: string; method: string; lines: { quantity: number }[] }[] };
};
const fulfillmentsOf = async (id: string) =>
  (await shop.admin(
    `query ($id: ID!) { order(id: $id) { state fulfillments { trackingCode method lines { quantity } } } }`,
    { id },
  )) as never as Fulfillments;

describe("a real Vendure", { timeout: 300_000 }, () => {
  const ids: string[] = [];

  test("all orders are imported in all pages, and a second import reads only the newest", async ({ skip }) => {
    if (missing) skip(missing);
    expect(await hub.test()).toMatchObject({ ok: true });
    for (let quantity = 1; quantity <= 9; quantity++) ids.push(await shop.placeOrder({ "MUG-01": quantity }));
    ids.push(await shop.placeOrder({ L2201308: 1, "MUG-01": 2 }));
    // The hub goes back five minutes behind the newest change, so eight of the ten are made older.
    await shop.makeOlder(ids.slice(0, 8));
    const imported = await hub.importOrders();
    expect(imported, JSON.stringify(imported)).toMatchObject({
      status: "succeeded",
      result: { fetched: 10, created: 10 },
    });
    expect(await hub.orderOf(ids[9]!)).toMatchObject({
      status: "new",
      paymentStatus: "paid",
      channel: "vendure",
      customer: { name: "Hayden Zieme", email: "hayden@example.com" },
      shippingAddress: {
        name: "Hayden Zieme",
        address1: "12 Main Street",
        city: "Manchester",
        zip: "M1 2AB",
        countryCode: "GB",
      },
      // 1299.00 and 2 at 9.50, shipping 5.00, and 20 % tax on the goods.
      amounts: { subtotal: 1318, discount: 0, shipping: 5, tax: 263.6, refunded: 0, taxIncluded: false },
      total: 1586.6,
      shipping: { service: "Standard Shipping" },
      lines: [
        {
          sku: "L2201308",
          quantity: 1,
          shippedQuantity: 0,
          price: 1299,
          options: [
            { name: "screen size", value: "13 inch" },
            { name: "RAM", value: "8GB" },
          ],
        },
        { sku: "MUG-01", quantity: 2, price: 9.5 },
      ],
    });
    expect(await hub.importOrders()).toMatchObject({
      status: "succeeded",
      result: { fetched: 2, created: 0, updated: 0 },
    });
  });

  test("an order that is cancelled in part and one that is cancelled whole are followed", async ({ skip }) => {
    if (missing) skip(missing);
    const cancel = `mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { ... on Order { id state } ... on ErrorResult { message } } }`;
    const [line] = (await hub.orderOf(ids[4]!)).lines;
    await shop.admin(cancel, { input: { orderId: ids[3], reason: "test" } });
    await shop.admin(cancel, {
      input: { orderId: ids[4], lines: [{ orderLineId: line!.id, quantity: 2 }], reason: "test" },
    });
    expect(await hub.importOrders()).toMatchObject({ status: "succeeded", result: { fetched: 4, updated: 2 } });
    expect(await hub.orderOf(ids[3]!)).toMatchObject({ status: "cancelled" });
    expect(await hub.orderOf(ids[4]!)).toMatchObject({ status: "new", lines: [{ quantity: 3, refundedQuantity: 2 }] });
  });

  test("fulfillments arrive once, with tracking numbers and quantities", async ({ skip }) => {
    if (missing) skip(missing);
    const order = await hub.orderOf(ids[8]!);
    const [line] = order.lines;
    expect(await hub.ship(order, "1Z1", { [line!.id]: 4 })).toMatchObject({
      result: { results: [{ status: "sent" }] },
    });
    expect(await hub.ship(order, "1Z2", { [line!.id]: 5 })).toMatchObject({ status: "succeeded" });
    await hub.execute("fulfillments.push", { orderIds: [order.id] });
    const { order: there } = await fulfillmentsOf(ids[8]!);
    expect(there.fulfillments.toSorted((a, b) => a.trackingCode.localeCompare(b.trackingCode))).toMatchObject([
      { trackingCode: "1Z1", method: "ups", lines: [{ quantity: 4 }] },
      { trackingCode: "1Z2", method: "ups", lines: [{ quantity: 5 }] },
    ]);
  });

  test("a refusal, which Vendure answers with status 200, is noticed", async ({ skip }) => {
    if (missing) skip(missing);
    const order = await hub.orderOf(ids[1]!);
    const [line] = order.lines;
    const handler = {
      code: "manual-fulfillment",
      arguments: [
        { name: "method", value: "dhl" },
        { name: "trackingCode", value: "D1" },
      ],
    };
    const input = { lines: [{ orderLineId: line!.id, quantity: 2 }], handler };
    await shop.admin("mutation ($input: FulfillOrderInput!) { addFulfillmentToOrder(input: $input) { __typename } }", {
      input,
    });
    const refused = await hub.ship(order, "1Z3");
    expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
    expect(await hub.exceptionsOf(order)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
    expect((await fulfillmentsOf(ids[1]!)).order.fulfillments).toMatchObject([{ trackingCode: "D1" }]);
  });
});
