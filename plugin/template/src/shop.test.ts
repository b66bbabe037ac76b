import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { PulledRecord } from "@order-operations-hub/plugin";
import type { ShopData, ShopRequest } from "@order-operations-hub/plugin/testing";
import { callFor, importAll, startStandInShop, taskOf } from "@order-operations-hub/plugin/testing";
import { shop } from "./shop.ts";

/** The API of the shop, with the orders of the stand-in. */
function answer({ url }: ShopRequest, { orders }: ShopData) {
  if (url.pathname !== "/api/orders") return undefined;
  const since = url.searchParams.get("changed_since") ?? "";
  const from = (Number(url.searchParams.get("page")) - 1) * 20;
  const found = orders.filter(({ updatedAt }) => updatedAt >= since);
  const page = found.slice(from, from + 20).map(({ id, number, updatedAt, lines }) => ({
    id,
    reference: number,
    changed_at: updatedAt,
    items: lines.map(({ sku, quantity }) => ({ article: sku, count: quantity })),
  }));
  return { status: 200, body: { orders: page, more: from + 20 < found.length } };
}

const standIn = await startStandInShop({ orders: 45, answer });
after(() => standIn.close());
const call = callFor({ settings: { url: `${standIn.url}/api` }, credentials: { token: standIn.token } });
const task = taskOf(shop, "pull", "orders.import");

for (const kind of ["error", "truncated", "empty_success", "drop_after"] as const) {
  test(`no order is lost when the shop fails once: ${kind}`, async () => {
    standIn.calm();
    standIn.inject({ kind, match: "/api/orders", skip: 1 });
    const store = new Map<string, PulledRecord>();
    await importAll(task, call, store);
    assert.equal(store.size, 45);
  });
}

test("a later import reads only what has changed", async () => {
  standIn.calm();
  const { cursor } = await importAll(task, call, new Map());
  standIn.data.touch(standIn.data.orders.slice(5, 6));
  const store = new Map<string, PulledRecord>();
  await importAll(task, call, store, cursor);
  assert.ok(store.has(String(standIn.data.orders[5]!.id)));
  assert.ok(store.size < 45);
});
