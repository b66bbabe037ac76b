import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { digestOf } from "./source-snapshot.ts";

/** Orders that an earlier version of the hub has imported get the new fields with their next change in the shop. */
const hub = await startTestHub();

const bought = { customer_id: 26, total: "32.00", total_tax: "2.00", discount_total: "0.00", shipping_total: "0.00" };

async function aShop() {
  const shop = await startStandInShop({ orders: 0 });
  afterFile(() => shop.close());
  shop.data.virtualProducts.push(31);
  const org = await hub.org();
  const credentials = { consumerKey: "ck_test", consumerSecret: shop.token };
  const bridge = { name: "Shop", connector: "woocommerce", settings: { url: shop.url }, credentials };
  const bridgeId: string = (await org.post("/bridges", bridge)).body.id;
  const pull = async () =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import", input: {} })).body.result;
  const item = (sku: string, quantity: number, productId: number) => {
    const more = { product_id: productId, subtotal: `${10 * quantity}.00`, total: `${10 * quantity}.00` };
    return { id: shop.data.newId(), sku, title: sku, quantity, price: "10.00", more };
  };
  const order = shop.data.addOrder({
    number: "W-1",
    isPaid: true,
    lines: [item("MUG", 2, 20), item("EBOOK", 1, 31)],
    more: bought,
  });
  expect(await pull()).toMatchObject({ created: 1 });
  const read = async () => (await org.get("/orders/W-1")).body;
  const { id } = await read();
  await makeOlder(org.id, id);
  const change = async (values: Partial<ShopOrder>) => {
    Object.assign(order, values);
    shop.data.touch([order]);
    return await pull();
  };
  return { org, id, read, change };
}

type Line = Record<"id" | "sku" | "name" | "quantity" | "shippedQuantity" | "price", unknown>;

/** Rewrites an order, and what is known of its source, as the version before the new fields has left them. */
async function makeOlder(orgId: string, id: string): Promise<void> {
  const { db } = hub.world;
  const [row] = await db.query<{ lines: Line[]; customer: { id?: string } }>(
    "select lines, customer from orders where org_id = $1 and id = $2",
    [orgId, id],
  );
  const lines = row!.lines.map(({ id: lineId, sku, name, quantity, shippedQuantity, price }) => {
    return { id: lineId, sku, name, quantity, shippedQuantity, price };
  });
  const { id: _customerId, ...customer } = row!.customer;
  await db.query(
    "update orders set lines = $3, customer = $4, amounts = '{}', payment = '{}' where org_id = $1 and id = $2",
    [orgId, id, JSON.stringify(lines), JSON.stringify(customer)],
  );
  const imported = lines.map(({ id: _id, shippedQuantity: _shipped, ...line }) => line);
  const digests = { lines: digestOf(id, "lines", imported), customer: digestOf(id, "customer", customer) };
  await db.query(
    `update order_sources set snapshot = (snapshot - '{amounts,payment}'::text[]) || $3::jsonb
      where org_id = $1 and order_id = $2`,
    [orgId, id, JSON.stringify(digests)],
  );
}

test("an order without local edits gets the new fields", async () => {
  const { org, read, change } = await aShop();
  expect((await read()).amounts).toEqual({});
  expect(await change({ email: "new@mail.example" })).toMatchObject({ updated: 1, kept: 0, overwritten: 0, held: 0 });
  const order = await read();
  expect(order).toMatchObject({
    customer: { id: "26", email: "new@mail.example" },
    amounts: { subtotal: 30, tax: 2, paid: 32 },
    lines: [
      { sku: "MUG", productId: "20" },
      { sku: "EBOOK", requiresShipping: false },
    ],
    onHold: false,
  });
  expect((await org.get("/exceptions")).body.data).toEqual([]);
});

test("an order that is with a fulfilment partner is not held because a line turns out to need no shipping", async () => {
  const { org, id, read, change } = await aShop();
  await org.patch(`/orders/${id}`, { status: "ready" });
  await hub.world.db.query("update orders set status = 'sent' where org_id = $1 and id = $2", [org.id, id]);
  expect(await change({ email: "new@mail.example" })).toMatchObject({ updated: 1, held: 0 });
  expect(await read()).toMatchObject({ status: "sent", onHold: false, lines: [{}, { requiresShipping: false }] });
  // From now on a change of what is shipped is one.
  const lines = [{ id: 5, sku: "LAMP", title: "LAMP", quantity: 1, price: "10.00" }];
  expect(await change({ lines })).toMatchObject({ held: 1 });
});

test("local edits are neither overwritten nor called conflicts, since the source has not changed", async () => {
  const { org, id, read, change } = await aShop();
  const [mug] = (await read()).lines as { id: string }[];
  const edited = [{ id: mug!.id, sku: "MUG", name: "MUG", quantity: 1, price: 10 }];
  await org.patch(`/orders/${id}`, { lines: edited, customer: { phone: "+1 617 555 0142" } });
  expect(await change({ street: "2 Main Street" })).toMatchObject({ updated: 1, overwritten: 0, held: 0 });
  expect(await read()).toMatchObject({
    shippingAddress: { address1: "2 Main Street" },
    customer: { phone: "+1 617 555 0142" },
    lines: [{ sku: "MUG", quantity: 1 }],
    onHold: false,
  });
  expect((await org.get("/exceptions")).body.data).toEqual([]);
});
