import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { eventually } from "../../testing/eventually.ts";
import type { ShopOrder } from "../../testing/stand-in-data.ts";
import { totalOf } from "../../testing/stand-in-data.ts";
import type { StandInShop } from "../../testing/stand-in-shop.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import { writtenTo } from "../../testing/stand-in-shopify-changes.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let shop: StandInShop;
const bridges: Record<string, string> = {};

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  shop = await startStandInShop({ orders: 0 });
  afterFile(shop.close);
  const open = async (connector: string, settings: object, credentials: object) =>
    (bridges[connector] = (await org.post("/bridges", { name: connector, connector, settings, credentials })).body.id);
  await open("shopify", { shop: "stand-in", baseUrl: shop.url }, { accessToken: shop.token });
  await open("woocommerce", { url: shop.url }, { consumerKey: "ck_test", consumerSecret: shop.token });
  const tag = {
    name: "orders.tag",
    mode: "push",
    request: { path: "/plain", body: { number: "{{record.number}}", tags: "{{input.tags}}" } },
    externalIdPath: "id",
  };
  const auth = { kind: "bearer" };
  await open("rest", { baseUrl: `${shop.url}/rest`, auth, tasks: [tag] }, { token: shop.token });
});

beforeEach(() => shop.calm());

type Pair = { there: ShopOrder; id: string };

/** An order of the shop, as the hub has it after an import. */
async function anOrder(connector: string, values: Partial<ShopOrder> = {}): Promise<Pair> {
  const there = shop.data.addOrder(values);
  const given = {
    status: "ready",
    bridgeId: bridges[connector],
    externalId: String(there.id),
    number: `${connector}-${there.id}`,
  };
  return { there, id: (await org.post("/orders", { ...given, lines: [{ sku: "A", quantity: 1 }] })).body.id };
}

const run = async (id: string, params: object) =>
  (await org.post("/operations/run", { order_ids: [id], actions: [{ type: "update_source", params }] })).body;
const journalOf = ({ id }: ShopOrder) =>
  shop.data.journal.filter(({ orderId }) => orderId === id).map(({ kind, key }) => `${kind} ${key}`);

/** The result of the order in the execution that the step queued. */
async function sent(id: string, params: object) {
  const done = await run(id, params);
  const { execution_id: executionId } = done.results[0].steps[0];
  const execution = await eventually(
    async () => (await org.get(`/tasks/executions/${executionId}`)).body,
    ({ finishedAt }) => finishedAt !== null,
  );
  return { ...execution.result.results[0], executionId };
}

describe("at Shopify", () => {
  test("tags are added and removed, whatever other tags there are", async () => {
    const { there, id } = await anOrder("shopify");
    writtenTo(there).tags = ["vip"];
    expect(await sent(id, { change: "tag", tags: ["checked", "VIP", "{{number}}"] })).toMatchObject({ status: "sent" });
    expect(writtenTo(there).tags).toEqual(["vip", "checked", `shopify-${there.id}`]);
    expect(await sent(id, { change: "untag", tags: ["vip"] })).toMatchObject({ status: "sent" });
    expect(writtenTo(there).tags).not.toContain("vip");
    // The staff has taken the tag off: it is set again.
    writtenTo(there).tags = [];
    await sent(id, { change: "tag", tags: ["checked"] });
    expect(writtenTo(there).tags).toEqual(["checked"]);
  });

  test("a note is added once to what the staff wrote, also if the answer is lost", async () => {
    const { there, id } = await anOrder("shopify");
    writtenTo(there).note = "Call first";
    shop.inject({ kind: "drop_after", match: "HubUpdateOrder" });
    const lost = await sent(id, { change: "note", note: "Packed {{number}}" });
    expect(["outcome_unknown", "sent", "already_sent"]).toContain(lost.status);
    await sent(id, { change: "note", note: "Packed {{number}}" });
    expect(writtenTo(there).note).toBe(`Call first\nPacked shopify-${there.id}`);
    expect(journalOf(there)).toHaveLength(1);
    await sent(id, { change: "note", note: "Second" });
    expect(writtenTo(there).note).toContain("\nSecond");
  });

  test("an order is held, released and cancelled; the hub's order stays as it is", async () => {
    const { there, id } = await anOrder("shopify");
    await sent(id, { change: "hold", note: "Check the address" });
    await sent(id, { change: "release_hold" });
    expect(await sent(id, { change: "cancel", note: "Asked by mail", refund: true })).toMatchObject({ status: "sent" });
    expect(await sent(id, { change: "cancel" })).toMatchObject({ status: "already_sent" });
    expect(journalOf(there).map((entry) => entry.split(" ")[0])).toEqual([
      "hold.create",
      "hold.release",
      "order.cancel",
    ]);
    expect((await org.get(`/orders/${id}`)).body.status).toBe("ready");
  });

  test("a cancellation that Shopify refuses is an exception of the order", async () => {
    const { there, id } = await anOrder("shopify", {
      shipments: [{ id: 1, trackingNumber: "T", carrier: "ups", items: new Map() }],
    });
    const refused = await sent(id, { change: "cancel" });
    expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
    const { data } = (await org.get("/exceptions?limit=100")).body;
    expect(
      data.some((one: { orderId: string; taskName: string }) => one.orderId === id && one.taskName === "orders.cancel"),
    ).toBe(true);
    expect(journalOf(there)).toEqual([]);
  });

  test("a refund is done once, also if the answer is lost, and never for more than was paid", async () => {
    const { there, id } = await anOrder("shopify");
    const refundedIn = () => journalOf(there).filter((entry) => entry.startsWith("refund"));
    shop.inject({ kind: "drop_after", match: "HubRefund" });
    await sent(id, { change: "refund", amount: 0.29, note: "Damaged" });
    await sent(id, { change: "refund", amount: 0.29, note: "Damaged" });
    expect(refundedIn()).toEqual(["refund.create 0.29"]);
    const tooMuch = await sent(id, { change: "refund", amount: Number(totalOf(there)) });
    expect(tooMuch).toMatchObject({ status: "failed", error: { code: "rejected" } });
    expect(await sent(id, { change: "refund" })).toMatchObject({ status: "sent" });
    expect(refundedIn()).toEqual(["refund.create 0.29", `refund.create ${(Number(totalOf(there)) - 0.29).toFixed(2)}`]);
  });
});

describe("at WooCommerce", () => {
  test("orders are held, released, noted, cancelled and refunded", async () => {
    const { there, id } = await anOrder("woocommerce", { isPaid: true });
    for (const params of [
      { change: "hold" },
      { change: "release_hold" },
      { change: "note", note: "Packed" },
      { change: "note", note: "Packed" },
      { change: "refund", amount: 0.5 },
      { change: "cancel" },
      { change: "cancel" },
    ]) {
      expect((await sent(id, params)).status, JSON.stringify(params)).toMatch(/^(sent|already_sent)$/);
    }
    expect(journalOf(there)).toEqual([
      "order.status on-hold",
      "order.status processing",
      "note.create ",
      "refund.create 0.50",
      "order.status cancelled",
    ]);
    expect(await sent(id, { change: "hold" })).toMatchObject({ status: "failed", error: { code: "rejected" } });
  });

  test("a refund whose answer is lost is found by its key", async () => {
    const { there, id } = await anOrder("woocommerce", { isPaid: true });
    shop.inject({ kind: "drop_after", match: "/refunds", skip: 1 });
    await sent(id, { change: "refund" });
    await sent(id, { change: "refund" });
    expect(journalOf(there)).toEqual([`refund.create ${totalOf(there)}`]);
  });

  test("a change that the shop does not support is refused in the preflight", async () => {
    const { id } = await anOrder("woocommerce");
    const codeOf = async (params: object) => (await run(id, params)).results[0].steps[0].error?.code;
    expect(await codeOf({ change: "tag", tags: ["a"] })).toBe("unknown_task");
    expect(await codeOf({ change: "cancel", refund: true })).toBe("invalid_input");
    const manual = (await org.post("/orders", { status: "ready" })).body;
    expect((await run(manual.id, { change: "hold" })).results[0].steps[0].error.code).toBe("no_source");
  });
});

test("a rest bridge does what its definition says, with the input of the action", async () => {
  const { id } = await anOrder("rest");
  expect(await sent(id, { change: "tag", tags: ["a"] })).toMatchObject({ status: "sent" });
  expect(shop.data.journal.at(-1)).toMatchObject({ kind: "order.create", detail: { tags: ["a"] } });
});

test.each([
  [{ change: "tag" }, "/tags"],
  [{ change: "note", tags: ["a"] }, "/note"],
  [{ change: "hold", amount: 3 }, "/amount"],
  [{ change: "refund", amount: 0 }, "/amount"],
  [{ change: "capture" }, "/change"],
])("%j is refused at %s", async (params, pointer) => {
  const { id } = await anOrder("shopify");
  const refused = await run(id, params);
  expect(refused.errors[0].pointer).toBe(`/actions/0/params${pointer}`);
});
