import { afterAll, describe, expect, test } from "vitest";
import { callFor, sendOnce, taskOf } from "../testing/connector-calls.ts";
import type { ShopOrder } from "../testing/stand-in-data.ts";
import type { Fault, StandInShop } from "../testing/stand-in-shop.ts";
import { startStandInShop } from "../testing/stand-in-shop.ts";
import type { WooFeatures } from "../testing/stand-in-woo.ts";
import type { Connector, PushTask, Settings } from "./connector.ts";
import { rest } from "./rest/rest.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

const shops: StandInShop[] = [];
afterAll(async () => {
  for (const shop of shops) await shop.close();
});

/** As `GET /orders/{id}` answers an order that was imported from the shop and is shipped as a whole. */
function shippedOrder(order: ShopOrder, trackingNumber = `T-${order.id}`): Record<string, unknown> {
  return {
    externalId: String(order.id),
    number: order.number,
    status: "shipped",
    shipments: [
      {
        trackingNumber,
        carrier: "ups",
        shippedAt: "2026-03-01T10:00:00.000Z",
        lines: order.lines.map(({ id, quantity }) => ({ lineId: String(id), quantity })),
      },
    ],
  };
}

type Kind = {
  name: string;
  connector: Connector;
  task: string;
  settings(url: string): Settings;
  credentials(token: string): Record<string, unknown>;
  /** The request that has the effect, and what the shop notes down. */
  effect: string;
  kind: string;
  woo?: Partial<WooFeatures>;
};

const shopifyParts = {
  connector: shopify,
  settings: (baseUrl: string) => ({ shop: "stand-in", baseUrl }),
  credentials: (accessToken: string) => ({ accessToken }),
};
const wooParts = {
  connector: woocommerce,
  task: "fulfillments.push",
  settings: (url: string) => ({ url }),
  credentials: (consumerSecret: string) => ({ consumerKey: "ck_test", consumerSecret }),
};
const lookup = { request: { path: "/plain", query: { reference: "{{record.number}}" } }, externalIdPath: "data[0].id" };

function restParts(path: string, more: Record<string, unknown>) {
  return {
    connector: rest,
    task: "orders.export",
    settings: (url: string) => ({
      baseUrl: `${url}/rest`,
      auth: { kind: "header" },
      tasks: [
        {
          name: "orders.export",
          mode: "push",
          request: { path, body: { number: "{{record.number}}" } },
          externalIdPath: "id",
          ...more,
        },
      ],
    }),
    credentials: (token: string) => ({ token }),
    effect: `POST /rest${path}`,
    kind: "order.create",
  };
}

const kinds: Kind[] = [
  {
    name: "shopify fulfilments",
    ...shopifyParts,
    task: "fulfillments.push",
    effect: "HubFulfil",
    kind: "fulfillment.create",
  },
  { name: "shopify holds", ...shopifyParts, task: "orders.hold", effect: "HubHold", kind: "hold.create" },
  { name: "woocommerce fulfilments", ...wooParts, effect: "POST /wp-json/wc/v3", kind: "fulfillment.create" },
  {
    name: "woocommerce shipment tracking",
    ...wooParts,
    woo: { fulfillments: false },
    effect: "POST /wp-json/wc-shipment-tracking",
    kind: "fulfillment.create",
  },
  {
    name: "woocommerce notes",
    ...wooParts,
    woo: { fulfillments: false, shipmentTracking: false },
    effect: "POST /wp-json/wc/v3",
    kind: "note.create",
  },
  { name: "rest with a key", ...restParts("/keyed", { idempotencyHeader: "Idempotency-Key" }) },
  { name: "rest with a look-up", ...restParts("/plain", { lookup }) },
  { name: "rest with neither", ...restParts("/plain", {}) },
];

/** Only where the shop hangs is time short: elsewhere a busy machine must not look like a shop that fails. */
async function open(kind: Kind, timeoutMs = 30_000) {
  const shop = await startStandInShop({ seed: 5, orders: 6, ...(kind.woo ? { woo: kind.woo } : {}) });
  shops.push(shop);
  const settings = kind.settings(shop.url);
  const call = callFor({
    settings,
    credentials: kind.credentials(shop.token),
    client: { timeoutMs, sleep: () => Promise.resolve(), breaker: { failures: 1000, openMs: 1 } },
  });
  const task = taskOf(kind.connector, "push", kind.task, settings);
  const effects = () => shop.data.journal.filter((effect) => effect.kind === kind.kind);
  return { shop, call, task, effects };
}

const faults: Fault["kind"][] = [
  "rate_limit",
  "error",
  "empty_success",
  "hang",
  "hang_after",
  "drop_before",
  "drop_after",
  "truncated",
  "cut",
  "slow",
];

/** One effect for each order, or two where Shopify wants one per location. */
function expectedEffects(kind: Kind, order: ShopOrder): number {
  return kind.effect === "HubFulfil" && order.lines.length > 1 ? 2 : 1;
}

test("a note of the shop that resembles ours and is very long is parsed quickly", async () => {
  const notes = kinds.find(({ name }) => name === "woocommerce notes")!;
  const { shop, call, task, effects } = await open(notes);
  const [order] = shop.data.orders as [ShopOrder];
  order.notes.push({ id: 1, note: `Shipped with ${" [".repeat(50_000)}` });
  const started = performance.now();
  await task.send(call, shippedOrder(order), "key-1");
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(effects()).toHaveLength(1);
});

describe.each(kinds)("sending to $name", (kind) => {
  const canRepeat = kind.name !== "rest with neither";

  test("has its effect once, also if it is repeated", async () => {
    const { shop, call, task, effects } = await open(kind);
    const [order] = shop.data.orders as [ShopOrder];
    await task.send(call, shippedOrder(order), "key-1");
    expect(effects().length).toBe(expectedEffects(kind, order));
    if (!canRepeat || kind.name === "rest with a look-up") return;
    await task.send(call, shippedOrder(order), "key-1");
    expect(effects().length).toBe(expectedEffects(kind, order));
  });

  test.each(faults)("has its effect exactly once, or reports an unknown outcome: %s", async (fault) => {
    const { shop, call, task, effects } = await open(kind, fault.startsWith("hang") ? 400 : undefined);
    for (const [index, order] of shop.data.orders.entries()) {
      if (index === 2) shop.inject({ kind: fault, match: kind.effect, times: 1 });
      const sent = await sendOnce(task, call, shippedOrder(order), `key-${order.id}`);
      const mine = effects().filter(({ orderId, detail }) =>
        kind.connector === rest ? (detail as { number: string }).number === order.number : orderId === order.id,
      );
      if (sent === "unknown") {
        expect(canRepeat, "could have been looked up").toBe(false);
        expect(mine.length).toBeLessThanOrEqual(1);
      } else expect(mine.length).toBe(expectedEffects(kind, order));
    }
  });

  test.runIf(kind.connector !== rest)("continues after a truncated response to its first query", async () => {
    const { shop, call, task, effects } = await open(kind);
    const [order] = shop.data.orders as [ShopOrder];
    shop.inject({ kind: "truncated", times: 1 });
    await task.send(call, shippedOrder(order), "key-1");
    expect(effects().length).toBe(expectedEffects(kind, order));
  });

  test("rejected credentials are a permanent failure without an effect", async () => {
    const { shop, call, task, effects } = await open(kind);
    shop.inject({ kind: "unauthorized", times: 100 });
    await expect(task.send(call, shippedOrder(shop.data.orders[0]!), "key")).rejects.toMatchObject({
      code: "unauthorized",
      retryable: false,
      mayHaveHappened: false,
    });
    expect(effects()).toEqual([]);
  });
});

test("the day of a shipment is in the time zone of the organization", async () => {
  const { shop, call, task } = await open(kinds.find(({ name }) => name === "woocommerce shipment tracking")!);
  const [order] = shop.data.orders as [ShopOrder];
  const shipments = [{ trackingNumber: "T-1", carrier: "ups", shippedAt: "2026-03-02T03:00:00.000Z", lines: [] }];
  const record = { ...shippedOrder(order), shipments };
  await task.send({ ...call, timeZone: () => Promise.resolve("America/New_York") }, record, "key-1");
  expect(order.shipments).toMatchObject([{ shippedOn: "2026-03-01" }]);
});

async function openShopify(task: string) {
  return await open({ ...kinds[0]!, task });
}

test("a second shipment of an order is sent without the first", async () => {
  const { shop, call, task, effects } = await openShopify("fulfillments.push");
  const order = shop.data.orders.find(({ lines }) => lines.length === 2)!;
  const [first, second] = order.lines.map(({ id, quantity }) => ({ lineId: String(id), quantity }));
  const shipments = [{ trackingNumber: "A", carrier: "ups", lines: [first] }];
  await task.send(call, { ...shippedOrder(order), shipments }, "one");
  shipments.push({ trackingNumber: "B", carrier: "ups", lines: [second] });
  await task.send(call, { ...shippedOrder(order), shipments }, "two");
  expect(effects().map(({ key }) => key)).toEqual(["A", "B"]);
});

test.each([1, 12])("an order of 400 lines from %i locations is reported completely, once", async (locations) => {
  const { shop, call, task, effects } = await openShopify("fulfillments.push");
  const [order] = shop.data.orders as [ShopOrder];
  const line = { sku: "A", title: "A", quantity: 1, price: "1.00" };
  order.lines = Array.from({ length: 400 }, (_, index) => ({ ...line, id: 5_000 + index }));
  // Which of them needs no parcel is said on the last page.
  order.lines.push({ ...line, id: 5_400, isDigital: true });
  order.locations = locations;
  await task.send(call, shippedOrder(order), "one");
  expect(effects()).toHaveLength(locations);
  const told = order.shipments.flatMap(({ items }) => [...items.keys()]);
  expect(new Set(told).size).toBe(400);
  expect(await task.find!(call, shippedOrder(order), "one")).toHaveProperty("externalId");
  await task.send(call, shippedOrder(order), "two");
  expect(effects()).toHaveLength(locations);
  order.shipments.pop();
  expect(await task.find!(call, shippedOrder(order), "one")).toBe(locations === 1 ? undefined : "in part");
});

test("user errors of Shopify, and lines without remaining quantity, are failures", async () => {
  const { shop, call, task } = await openShopify("fulfillments.push");
  const [order, other] = shop.data.orders as [ShopOrder, ShopOrder];
  await task.send(call, shippedOrder(order, "A"), "one");
  await expect(task.send(call, shippedOrder(order, "B"), "two")).rejects.toMatchObject({ code: "nothing_left" });
  await taskOf(shopify, "push", "orders.hold").send(call, shippedOrder(other), "hold");
  await expect(task.send(call, shippedOrder(other), "three")).rejects.toMatchObject({
    code: "nothing_left",
    message: expect.stringContaining("on hold"),
  });
  await expect(task.send(call, { ...shippedOrder(other), externalId: "1" }, "four")).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(task.send(call, { externalId: "1", shipments: [] }, "five")).rejects.toMatchObject({
    code: "nothing_to_send",
  });
});

test.each([kinds[0]!, kinds[2]!])("a corrected tracking number updates $name and adds no shipment", async (kind) => {
  const { shop, call, task, effects } = await open(kind);
  const order = shop.data.orders.find(({ lines }) => lines.length === 2)!;
  const sent = await task.send(call, shippedOrder(order, "WRONG"), "one");
  const before = effects().length;
  // Found is as good as sent.
  for (const known of [sent, (await task.find!(call, shippedOrder(order, "WRONG"), "one"))!]) {
    if (known === "in part") throw new Error("all of it was sent");
    expect(await task.update!(call, shippedOrder(order, "RIGHT"), known, "two")).toBeDefined();
    expect(order.shipments.map(({ trackingNumber }) => trackingNumber)).toEqual(
      Array.from({ length: before }, () => "RIGHT"),
    );
    for (const shipment of order.shipments) shipment.trackingNumber = "WRONG";
  }
  expect(effects()).toHaveLength(before);
});

test.each([kinds[3]!, kinds[4]!])("$name cannot correct a shipment, which is reported", async (kind) => {
  const { shop, call, task, effects } = await open(kind);
  const [order] = shop.data.orders as [ShopOrder];
  const sent = await task.send(call, shippedOrder(order, "WRONG"), "one");
  expect(await task.update!(call, shippedOrder(order, "RIGHT"), sent, "two")).toBeUndefined();
  expect(effects()).toHaveLength(1);
});

test("a hold of the hub is released, and no other", async () => {
  const { shop, call } = await openShopify("orders.hold");
  const [order] = shop.data.orders as [ShopOrder];
  order.holds.push({ id: 1, handle: "somebody-else" });
  const hold = taskOf(shopify, "push", "orders.hold");
  const release = taskOf(shopify, "push", "orders.release_hold");
  const record = shippedOrder(order);
  expect(await hold.find!(call, record, "k")).toBeUndefined();
  await hold.send({ ...call, input: { reason: "OTHER" } }, record, "k");
  expect(order.holds.length).toBe(2);
  expect(await release.find!(call, record, "k")).toBeUndefined();
  await release.send(call, record, "k");
  expect(order.holds).toEqual([{ id: 1, handle: "somebody-else" }]);
  expect(await release.find!(call, record, "k")).toBeDefined();
});

test("throttled requests to Shopify wait, mutations too", async () => {
  const { shop, call, task, effects } = await openShopify("fulfillments.push");
  shop.inject({ kind: "throttled", times: 3 });
  const order = shop.data.orders.find(({ lines }) => lines.length === 1)!;
  await task.send(call, shippedOrder(order), "one");
  expect(effects().length).toBe(1);
});

test("a shipped order is completed at WooCommerce, a partly shipped one is not", async () => {
  const { shop, call, task } = await open(kinds[2]!);
  const [whole, part] = shop.data.orders as [ShopOrder, ShopOrder];
  await task.send(call, shippedOrder(whole), "one");
  await task.send(call, { ...shippedOrder(part), status: "partially_shipped" }, "two");
  expect([whole.isCompleted, part.isCompleted]).toEqual([true, false]);
});

test("an order that WooCommerce cancelled after the first attempt is not completed by the second", async () => {
  const { shop, call, task } = await open(kinds[2]!);
  const [order] = shop.data.orders as [ShopOrder];
  const record = shippedOrder(order);
  await task.send(call, record, "one");
  order.status = "cancelled";
  await task.send(call, record, "one");
  expect(await task.find!(call, record, "one")).toBeDefined();
  expect(order.status).toBe("cancelled");
});

test("WooCommerce finds an order by its number if it has no external id", async () => {
  const { shop, call, task, effects } = await open(kinds[2]!);
  const [order] = shop.data.orders as [ShopOrder];
  const { externalId: _, ...record } = shippedOrder(order);
  expect(await task.send(call, record, "one")).toMatchObject({ externalId: String(order.id) });
  expect(effects()).toMatchObject([{ orderId: order.id }]);
  await expect(task.send(call, { ...record, number: "nobody" }, "two")).rejects.toMatchObject({ code: "not_found" });
});

test("a push declares whether it may be repeated and looked up", () => {
  const facts = (task: PushTask) => [task.idempotent, task.find !== undefined];
  const tasks = kinds.map((kind) => taskOf(kind.connector, "push", kind.task, kind.settings("https://shop.example")));
  expect(tasks.map(facts)).toEqual([
    ...Array.from({ length: 5 }, () => [true, true]),
    [true, false],
    [false, true],
    [false, false],
  ]);
});
