import { createHmac, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { eventually } from "../../../testing/eventually.ts";
import { createWebhookSender, shopifyOrderBody } from "../../../testing/shop-webhooks.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import type { StandInShop } from "../../../testing/stand-in-shop.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { removeOldInboundWebhooks } from "../tasks.ts";

let hub: TestHub;
let org: TestOrg;
let shop: StandInShop;
let names = 0;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  shop = await startStandInShop({ orders: 12 });
  afterFile(shop.close);
});

async function aBridge(connector: string, settings: object, credentials: object, who = org) {
  const made = await who.post("/bridges", { name: `B${++names}`, connector, settings, credentials });
  expect(made.status, made.text).toBe(201);
  const id: string = made.body.id;
  const find = async (number: string) =>
    (await who.get(`/orders?bridgeId=${id}&search=${encodeURIComponent(number)}`)).body.data;
  const executions = async () => (await who.get(`/tasks/executions?bridgeId=${id}&limit=100`)).body.data;
  /** All that has come is taken in. */
  const settled = async () =>
    await eventually(executions, (all) => all.every(({ finishedAt }: { finishedAt: string }) => finishedAt !== null));
  return { id, find, settled, ...createWebhookSender(hub.anonymous, id) };
}

const clientSecret = "stand-in-token";
const shopifyBridge = async (who = org) =>
  await aBridge("shopify", { shop: "stand-in", baseUrl: shop.url }, { clientId: "client", clientSecret }, who);
const wooBridge = async () =>
  await aBridge(
    "woocommerce",
    { url: shop.url },
    { consumerKey: "ck_test", consumerSecret: shop.token, webhookSecret: "woo-secret" },
  );

function change(order: ShopOrder, changes: Partial<ShopOrder>): ShopOrder {
  Object.assign(order, changes);
  shop.data.touch([order]);
  return order;
}

describe("a webhook of Shopify", () => {
  const told = { secret: clientSecret };

  test("imports an order, and its later changes: paid, on hold, partly shipped, cancelled, deleted", async () => {
    const bridge = await shopifyBridge();
    const order = shop.data.orders.find(({ lines }) => lines.length > 1 && lines.length < 10)!;
    const say = async (topic: string, body: object = shopifyOrderBody(order)) => {
      expect((await bridge.shopify(topic, body, told)).body).toEqual({ status: "accepted" });
      await bridge.settled();
      const [found] = await bridge.find(order.number);
      return (await org.get(`/orders/${found.id}`)).body;
    };
    change(order, { isPaid: false });
    const created = await say("orders/create");
    expect(created).toMatchObject({ number: order.number, status: "awaiting_payment", bridgeId: bridge.id });
    expect(created.lines).toHaveLength(order.lines.length);
    change(order, { isPaid: true });
    expect(await say("orders/paid")).toMatchObject({ status: "new", paymentStatus: "paid" });
    change(order, { holds: [{ id: 1, handle: "theirs", reason: "INCORRECT_ADDRESS" }] });
    const fulfillmentOrder = { fulfillment_order: { id: `gid://shopify/FulfillmentOrder/${order.id * 100 + 1}` } };
    const held = await say("fulfillment_orders/placed_on_hold", fulfillmentOrder);
    expect(held.holds).toMatchObject([{ reason: "incorrect_address" }]);
    change(order, { holds: [] });
    expect((await say("fulfillment_orders/hold_released", fulfillmentOrder)).onHold).toBe(false);
    const [line] = order.lines as [ShopOrder["lines"][0]];
    const items = new Map([[line.id, line.quantity]]);
    change(order, { shipments: [{ id: 7, trackingNumber: "T", carrier: "ups", items }] });
    const partly = await say("fulfillments/create", { id: 7, order_id: order.id, status: "success" });
    expect(partly).toMatchObject({ status: "partially_shipped" });
    expect(partly.lines[0]).toMatchObject({ shippedQuantity: line.quantity });

    const other = shop.data.orders.find((one) => one !== order && one.isPaid)!;
    await bridge.shopify("orders/create", shopifyOrderBody(other), told);
    await bridge.settled();
    change(other, { isRefunded: true });
    await bridge.shopify("refunds/create", { id: 5, order_id: other.id }, told);
    await bridge.settled();
    expect((await bridge.find(other.number))[0]).toMatchObject({ paymentStatus: "refunded" });
    shop.data.orders.splice(shop.data.orders.indexOf(other), 1);
    await bridge.shopify("orders/delete", { id: other.id }, told);
    await bridge.settled();
    expect((await bridge.find(other.number))[0]).toMatchObject({ status: "cancelled" });
  });

  test("is processed once however often and in whatever order it arrives; many are processed together", async () => {
    const bridge = await shopifyBridge();
    const [first] = shop.data.orders as [ShopOrder];
    const early = shopifyOrderBody(change(first, { isPaid: false }));
    const late = shopifyOrderBody(change(first, { isPaid: true }));
    const id = randomUUID();
    expect((await bridge.shopify("orders/paid", late, { ...told, id })).body).toEqual({ status: "accepted" });
    const again = await Promise.all([1, 2, 3].map(() => bridge.shopify("orders/paid", late, { ...told, id })));
    expect(again.map(({ body }) => body.status)).toEqual(["duplicate", "duplicate", "duplicate"]);
    await bridge.settled();
    // What was said before arrives after.
    await bridge.shopify("orders/create", early, told);
    await bridge.settled();
    expect(await bridge.find(first.number)).toMatchObject([{ paymentStatus: "paid" }]);
    const all = shop.data.orders.flatMap((order) => [order, order]);
    const tell = async (order: ShopOrder) => await bridge.shopify("orders/updated", shopifyOrderBody(order), told);
    const answers = await Promise.all(all.map(tell));
    expect(answers.map(({ body }) => body.status)).toEqual(all.map(() => "accepted"));
    const executions = await bridge.settled();
    expect(executions.length).toBeLessThan(2 + all.length / 2);
    expect(executions.map(({ trigger, status }: Record<string, string>) => `${trigger} ${status}`)).toEqual(
      executions.map(() => "webhook succeeded"),
    );
    const { pagination } = (await org.get(`/orders?bridgeId=${bridge.id}`)).body;
    expect(pagination.total).toBe(shop.data.orders.length);
  });

  test("in hundreds from one address has its own share of requests; rejected ones are not lost when repeated", async () => {
    const bridge = await shopifyBridge();
    const [order] = shop.data.orders as [ShopOrder];
    const body = shopifyOrderBody(order);
    const all = Array.from({ length: 300 }, () => randomUUID());
    expect((await bridge.shopify("orders/updated", body, told)).status).toBe(200);
    // A caller without the id of a bridge stays anonymous, and does not use up the share of a shop.
    const elsewhere = createWebhookSender(hub.anonymous, randomUUID());
    const [answers, strange] = await Promise.all([
      Promise.all(all.map((id) => bridge.shopify("orders/updated", body, { ...told, id }))),
      Promise.all(all.map(() => elsewhere.shopify("orders/updated", body, told))),
    ]);
    const count = (of: { status: number }[], status: number) => of.filter((answer) => answer.status === status).length;
    expect(count(answers, 200)).toBeGreaterThan(32);
    expect(count(answers, 200) + count(answers, 503)).toBe(300);
    expect([401, 404, 429]).toEqual(expect.arrayContaining([...new Set(strange.map(({ status }) => status))]));
    for (const { status, headers } of answers) if (status === 503) expect(headers.get("retry-after")).toBe("1");
    let left = all.filter((_, i) => answers[i]!.status !== 200);
    while (left.length > 0) {
      const next = await Promise.all(
        left.slice(0, 50).map((id) => bridge.shopify("orders/updated", body, { ...told, id })),
      );
      left = [...left.slice(0, 50).filter((_, i) => next[i]!.status !== 200), ...left.slice(50)];
    }
    const stored = await hub.world.db.query("select from inbound_webhooks where webhook_id = any($1)", [all]);
    expect(stored).toHaveLength(300);
    await bridge.settled();
  });

  test("is not lost if the shop is unreachable at first, or its token has expired", async () => {
    const bridge = await shopifyBridge();
    const [order] = shop.data.orders as [ShopOrder];
    await org.post(`/bridges/${bridge.id}/test`);
    shop.tokens.end();
    shop.inject({ kind: "error", match: "HubOrdersById" });
    shop.inject({ kind: "rate_limit", match: "HubOrdersById", retryAfterSeconds: 0 });
    await bridge.shopify("orders/create", shopifyOrderBody(order), told);
    await bridge.settled();
    expect(await bridge.find(order.number)).toHaveLength(1);
  });

  test("uses the transformation of the import, and does not move its cursor", async () => {
    const bridge = await shopifyBridge();
    const about = { name: "Mark", bridgeId: bridge.id, taskName: "orders.import", direction: "inbound" };
    const mappings = [{ target: "customFields.fromShop", source: "name" }];
    expect((await org.post("/transformations", { ...about, mappings })).status).toBe(201);
    const [order] = shop.data.orders.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)) as [ShopOrder];
    await bridge.shopify("orders/create", shopifyOrderBody(order), told);
    await bridge.settled();
    const [{ id }] = await bridge.find(order.number);
    expect((await org.get(`/orders/${id}`)).body).toMatchObject({ customFields: { fromShop: order.number } });
    const { body } = await org.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "orders.import" });
    expect(body.result).toMatchObject({ created: shop.data.orders.length - 1 });
  });

  test("gets a response and is ignored if it is not about an order, or the bridge is inactive", async () => {
    const bridge = await shopifyBridge();
    expect((await bridge.shopify("products/update", { id: 1 }, told)).body).toEqual({ status: "ignored" });
    expect((await bridge.shopify("orders/updated", [], told)).body).toEqual({ status: "ignored" });
    await org.patch(`/bridges/${bridge.id}`, { isActive: false });
    const [order] = shop.data.orders as [ShopOrder];
    const { body } = await bridge.shopify("orders/updated", shopifyOrderBody(order), told);
    expect(body).toEqual({ status: "ignored" });
    expect(await bridge.settled()).toEqual([]);
  });
});

describe("an unauthenticated caller", () => {
  const countWebhooks = async () =>
    (await hub.world.db.query<{ count: number }>("select count(*)::integer as count from inbound_webhooks"))[0]!.count;

  test("who forges, alters or reuses a webhook of another bridge is rejected, and nothing is stored", async () => {
    const [bridge, rival] = [await shopifyBridge(), await shopifyBridge(await hub.org())];
    await org.patch(`/bridges/${bridge.id}`, { credentials: { clientSecret: "of-this-app-alone" } });
    const body = shopifyOrderBody(shop.data.orders[0]!);
    const text = JSON.stringify(body);
    const right = createHmac("sha256", "of-this-app-alone").update(text).digest("base64");
    const before = await countWebhooks();
    const signed = (signature: string) => ({ "x-shopify-topic": "orders/create", "x-shopify-hmac-sha256": signature });
    const wrong = [
      await bridge.shopify("orders/create", body, { secret: "guessed" }),
      await bridge.shopify("orders/create", body, { secret: "" }),
      await bridge.post(text, { "x-shopify-topic": "orders/create" }),
      await bridge.post(`${text} `, signed(right)),
      await bridge.post(text, signed(right.slice(0, -4))),
      await bridge.post(text, signed(Buffer.from(right, "base64").toString("hex"))),
      await bridge.post("", signed(right)),
      await rival.post(text, signed(right)),
    ];
    for (const { status, body: problem } of wrong) {
      expect([status, problem.code]).toEqual([401, "invalid_signature"]);
      expect(JSON.stringify(problem)).not.toContain("of-this-app-alone");
    }
    expect((await bridge.post(text, signed(right))).body).toEqual({ status: "accepted" });
    expect(await countWebhooks()).toBe(before + 1);
    expect(hub.logs.join("")).not.toContain("of-this-app-alone");
  });

  test("cannot find out which bridges accept webhooks, and has a small body limit", async () => {
    const silent = await aBridge("demo", {}, {});
    const unsigned = await aBridge("woocommerce", { url: shop.url }, { consumerKey: "a", consumerSecret: "b" });
    const unknown = createWebhookSender(hub.anonymous, randomUUID());
    for (const { shopify } of [silent, unsigned, unknown]) {
      const { status, body } = await shopify("orders/create", { id: 1 }, { secret: "" });
      expect([status, body.code]).toEqual([404, "bridge_not_found"]);
    }
    const { post } = await shopifyBridge();
    for (const type of ["application/json", "text/plain"]) {
      const large = await post("x".repeat(1024 ** 2 + 1), { "content-type": type });
      expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
    }
    // Other routes still take no more than what they did.
    const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, rawBody: "a=b" };
    expect((await org.post("/orders", undefined, form)).status).toBe(415);
  });
});

describe("a webhook of WooCommerce", () => {
  test("is verified by its signature; the initial ping is recognized by its format", async () => {
    const bridge = await wooBridge();
    const secret = "woo-secret";
    const greeting = { "content-type": "application/x-www-form-urlencoded" };
    expect((await bridge.post("webhook_id=12", greeting)).body).toEqual({ status: "ignored" });
    const order = shop.data.orders.find(({ lines }) => lines.length < 10)!;
    expect((await bridge.woo("order.updated", { id: order.id }, { secret: "guessed" })).status).toBe(401);
    const id = randomUUID();
    expect((await bridge.woo("order.created", { id: order.id }, { secret, id })).body.status).toBe("accepted");
    expect((await bridge.woo("order.created", { id: order.id }, { secret, id })).body.status).toBe("duplicate");
    expect((await bridge.woo("product.updated", { id: order.id }, { secret })).body.status).toBe("ignored");
    await bridge.settled();
    const [{ id: orderId }] = await bridge.find(order.number);
    change(order, { status: "trash" });
    await bridge.woo("order.deleted", { id: order.id }, { secret });
    await bridge.settled();
    expect((await org.get(`/orders/${orderId}`)).body).toMatchObject({ status: "cancelled" });
    delete order.status;
    await bridge.woo("order.restored", { id: order.id }, { secret });
    await bridge.settled();
    expect((await org.get(`/orders/${orderId}`)).body.status).not.toBe("cancelled");
  });
});

describe("a webhook of a system behind a rest bridge", () => {
  const task = {
    name: "orders.import",
    mode: "pull",
    request: { path: "/page/orders" },
    recordsPath: "data",
    externalIdPath: "id",
    updatedAtPath: "updated_at",
  };
  const mappings = [
    { target: "number", source: "reference" },
    { target: "channel", source: "note" },
    {
      target: "lines",
      each: "items",
      mappings: [
        { target: "sku", source: "@.sku" },
        { target: "quantity", source: "@.quantity" },
      ],
    },
  ];
  async function restBridge(webhook: object, webhookSecret: string) {
    const settings = { baseUrl: `${shop.url}/rest`, auth: { kind: "bearer" }, tasks: [task], webhook };
    const bridge = await aBridge("rest", settings, { token: shop.token, webhookSecret });
    const about = {
      name: "Orders",
      bridgeId: bridge.id,
      taskName: "orders.import",
      direction: "inbound",
      mode: "replace",
    };
    const made = await org.post("/transformations", { ...about, mappings });
    expect(made.status, made.text).toBe(201);
    return bridge;
  }
  const record = (id: number, note: string, second: number) => ({
    id,
    reference: `W-${id}`,
    note,
    items: [{ sku: "A", quantity: 1 }],
    updated_at: `2026-03-01T10:00:0${second}Z`,
  });

  test("with Standard Webhooks: an older state does not overwrite a newer one, and old timestamps are rejected", async () => {
    const secret = `whsec_${Buffer.from("a key of thirty-two bytes, or so").toString("base64")}`;
    const bridge = await restBridge({ signatureScheme: "standard", recordsPath: "data" }, secret);
    const id = randomUUID();
    expect((await bridge.standard({ data: record(1, "new", 5) }, { secret, id })).body.status).toBe("accepted");
    expect((await bridge.standard({ data: record(1, "new", 5) }, { secret, id })).body.status).toBe("duplicate");
    await bridge.settled();
    await bridge.standard({ data: [record(1, "old", 1), record(2, "other", 1)] }, { secret });
    await bridge.settled();
    expect((await bridge.find("W-1"))[0]).toMatchObject({ channel: "new" });
    expect((await bridge.find("W-2"))[0]).toMatchObject({ channel: "other" });
    for (const minutes of [-6, 6]) {
      const at = new Date(Date.now() + minutes * 60_000);
      expect((await bridge.standard({ data: record(3, "x", 1) }, { secret, at })).status).toBe(401);
    }
    const { status, body } = await bridge.standard({ data: [{ reference: "no id" }] }, { secret });
    expect([status, body.errors[0].message]).toEqual([400, "Record 0 has no ID at id."]);
    expect((await bridge.standard({ data: [] }, { secret })).body.status).toBe("ignored");
  });

  test("with a plain HMAC in hexadecimal or base64, with or without the name of the algorithm", async () => {
    const secret = "a plain secret";
    const bridge = await restBridge({ signatureHeader: "X-Hub-Signature-256", idHeader: "X-Delivery" }, secret);
    const text = JSON.stringify(record(9, "plain", 1));
    const digest = createHmac("sha256", secret).update(text).digest();
    const forms = [digest.toString("hex"), digest.toString("base64"), `sha256=${digest.toString("hex")}`];
    const statuses = [];
    for (const form of forms) statuses.push((await bridge.post(text, { "x-hub-signature-256": form })).body.status);
    // Without an id it is known by what it says.
    expect(statuses).toEqual(["accepted", "duplicate", "duplicate"]);
    const other = { "x-hub-signature-256": forms[0]!, "x-delivery": "another" };
    expect((await bridge.post(text, other)).body.status).toBe("accepted");
    const broken = forms[0]!.replace(/^./, (first) => (first === "0" ? "1" : "0"));
    expect((await bridge.post(text, { "x-hub-signature-256": broken, "x-delivery": "third" })).status).toBe(401);
    const odd = createHmac("sha256", secret).update("not json").digest("hex");
    const { status, body } = await bridge.post("not json", { "x-hub-signature-256": odd });
    expect([status, body.errors[0].message]).toEqual([400, "The body is not JSON."]);
    await bridge.settled();
    expect(await bridge.find("W-9")).toHaveLength(1);
  });

  test("keeps its content only until it is processed, and is deleted after a week", async () => {
    const left = async (what: string) => await hub.world.db.query(`select from inbound_webhooks ${what}`);
    const rows = await eventually(
      async () => await left("where payload is not null and topic = ''"),
      (found) => found.length === 0,
    );
    expect(rows).toHaveLength(0);
    expect((await left("")).length).toBeGreaterThan(0);
    hub.advance(8 * 24 * 3_600_000);
    await removeOldInboundWebhooks(hub.world);
    expect(await left("")).toHaveLength(0);
  });
});
