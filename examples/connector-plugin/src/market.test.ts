import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { PulledRecord } from "@order-operations-hub/plugin";
import type { Fault } from "@order-operations-hub/plugin/testing";
import {
  callFor,
  importAll,
  readOrderFile,
  requireValidPlugin,
  sendOnce,
  startStandInShop,
  taskOf,
} from "@order-operations-hub/plugin/testing";
import { marketFile } from "./market-file.ts";
import { market } from "./market.ts";
import { plugin } from "./plugin.ts";

const shop = await startStandInShop({ orders: 60 });
after(() => shop.close());
const call = callFor({ settings: { url: `${shop.url}/rest` }, credentials: { token: shop.token } });

test("the hub accepts the plug-in", () => {
  requireValidPlugin(plugin);
});

const faults: Fault[] = [
  { kind: "rate_limit", retryAfterSeconds: 0 },
  { kind: "error", times: 4 },
  { kind: "empty_success" },
  { kind: "drop_after" },
  { kind: "truncated" },
  { kind: "cut" },
  { kind: "touch" },
];
for (const fault of faults) {
  test(`no order is lost when the market fails once: ${fault.kind}`, async () => {
    shop.calm();
    shop.inject({ ...fault, match: "/cursor/orders", skip: 1 });
    const store = new Map<string, PulledRecord>();
    await importAll(taskOf(market, "pull", "orders.import"), call, store);
    assert.equal(store.size, shop.data.orders.length);
    for (const order of shop.data.orders) assert.equal(store.get(String(order.id))?.canonical.number, order.number);
  });
}

test("a later import reads only what has changed", async () => {
  shop.calm();
  const task = taskOf(market, "pull", "orders.import");
  const { cursor } = await importAll(task, call, new Map());
  const [changed] = shop.data.orders.slice(5);
  shop.data.touch([changed!]);
  const store = new Map<string, PulledRecord>();
  await importAll(task, call, store, cursor);
  assert.ok(store.has(String(changed!.id)));
  assert.ok(store.size < shop.data.orders.length);
});

for (const kind of ["error", "drop_after", "drop_before", "truncated"] as const) {
  test(`an order is created once when the market fails: ${kind}`, async () => {
    shop.calm();
    shop.inject({ kind, match: "/keyed", times: 2 });
    const number = `E-${kind}`;
    await sendOnce(taskOf(market, "push", "orders.export"), call, { number }, `key-${kind}`);
    const created = shop.data.journal.filter(({ detail }) => (detail as { number?: string }).number === number);
    assert.equal(created.length, 1);
  });
}

test("the order file of the market is recognised and read", async () => {
  const text =
    "Market Order,Article,Pieces,Piece Price,Recipient,Street,Town,Postcode,Fee\nM-1,MUG,2,9.50,Ada,12 Main St,Albany,12207,1.00\n";
  const { isDetected, orders, errors } = await readOrderFile(marketFile, text);
  assert.deepEqual(errors, []);
  assert.ok(isDetected);
  assert.equal(orders[0]?.number, "M-1");
  assert.deepEqual(orders[0]?.lines, [{ sku: "MUG", quantity: 2, price: 9.5 }]);
});
