import { describe, expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { eventually } from "../../../testing/eventually.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

type Kind = "shopify" | "woocommerce";

/** A shop with one order of two mugs and a lamp, connected and imported. */
async function aShop(kind: Kind, there: Partial<ShopOrder> = {}) {
  const shop = await startStandInShop({ orders: 1 });
  afterFile(() => shop.close());
  const [order] = shop.data.orders as [ShopOrder];
  const line = (sku: string, quantity: number) => ({
    id: shop.data.newId(),
    sku,
    title: sku,
    quantity,
    price: "10.00",
  });
  Object.assign(order, { isPaid: true, lines: [line("MUG", 2), line("LAMP", 1)] }, there);
  const org = await hub.org();
  const parts = {
    shopify: { settings: { shop: "a", baseUrl: shop.url }, credentials: { accessToken: shop.token } },
    woocommerce: {
      settings: { url: shop.url },
      credentials: { consumerKey: "ck_test", consumerSecret: shop.token },
    },
  }[kind];
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector: kind, ...parts })).body.id;
  const execute = async (taskName: string, input: object = {}) =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;
  const pull = async () => {
    const { result, error } = await execute("orders.import");
    expect(error).toBeNull();
    return result;
  };
  expect(await pull()).toMatchObject({ created: 1 });
  const id: string = (await org.get("/orders")).body.data[0].id;
  const read = async () => (await org.get(`/orders/${id}`)).body;
  /** The shop changes the order, and the hub hears of it. */
  const change = async (values: Partial<ShopOrder>) => {
    Object.assign(order, values);
    shop.data.touch([order]);
    return await pull();
  };
  const run = async (type: string, params: object = {}) => {
    const { body } = await org.post("/operations/run", { order_ids: [id], actions: [{ type, params }] });
    return body.results[0].steps[0];
  };
  const timeline = async () => (await org.get(`/orders/${id}/timeline`)).body.data;
  return { shop, org, order, id, execute, pull, read, change, run, timeline };
}

/** A partner that orders of one location are sent to. */
async function aPartner(org: Awaited<ReturnType<typeof hub.org>>, tasks = ["orders.export", "orders.recall"]) {
  const partner = await startStandInShop({ orders: 1 });
  afterFile(() => partner.close());
  const push = (name: string) => ({
    name,
    mode: "push",
    request: { method: "POST", path: "/plain" },
    externalIdPath: "id",
  });
  const settings = { baseUrl: `${partner.url}/rest`, auth: { kind: "bearer" }, tasks: tasks.map(push) };
  const bridge = { name: "Partner", connector: "rest", settings, credentials: { token: partner.token } };
  const bridgeId: string = (await org.post("/bridges", bridge)).body.id;
  const locationId: string = (await org.post("/locations", { name: "3PL" })).body.id;
  // As a sync of the partner's locations would leave it.
  await hub.world.db.query("update locations set bridge_id = $1, external_id = 'w1' where id = $2", [
    bridgeId,
    locationId,
  ]);
  return { partner, bridgeId, locationId };
}

/** `isNamed`: the partner was named when it was sent, and the order has no location. */
async function aSentOrder(kind: Kind, tasks?: string[], isNamed = false) {
  const shop = await aShop(kind);
  const partner = await aPartner(shop.org, tasks);
  await shop.org.patch(`/orders/${shop.id}`, {
    status: "ready",
    ...(isNamed ? {} : { locationId: partner.locationId }),
  });
  const params = isNamed ? { bridge_id: partner.bridgeId } : {};
  const { execution_id: executionId } = await shop.run("send_to_fulfillment", params);
  await eventually(
    async () => (await shop.org.get(`/tasks/executions/${executionId}`)).body,
    ({ status }) => status === "succeeded",
  );
  expect((await shop.read()).status).toBe("sent");
  return { ...shop, ...partner };
}

const byHandle = (order: { holds: { handle: string; note: string | null }[] }, handle: string) =>
  order.holds.find((hold) => hold.handle === handle);

describe("an order that waits for its payment", () => {
  test.each<Kind>(["shopify", "woocommerce"])("goes on when %s says that it is paid", async (kind) => {
    const { read, change, run } = await aShop(kind, { isPaid: false });
    expect(await read()).toMatchObject({ status: "awaiting_payment", paymentStatus: "pending" });
    expect(await change({ isPaid: true })).toMatchObject({ updated: 1 });
    expect(await read()).toMatchObject({ status: "new", paymentStatus: "paid" });
    expect((await run("set_status", { status: "ready" })).status).toBe("applied");
    expect((await run("mark_shipped")).status).toBe("applied");
  });

  test("is reopened when a failed payment succeeds; one cancelled in the hub is not, which is reported", async () => {
    const { read, change, run, timeline } = await aShop("woocommerce", { status: "failed" });
    expect((await read()).status).toBe("cancelled");
    await change({ status: "pending" });
    expect((await read()).status).toBe("awaiting_payment");
    await run("cancel", { reason: "fraud" });
    expect(await change({ status: "processing" })).toMatchObject({ updated: 1, kept: 1 });
    expect(await read()).toMatchObject({ status: "cancelled", paymentStatus: "paid" });
    const [entry] = await timeline();
    expect(entry.changes).toContainEqual({ path: "/status", from: "cancelled", to: "new", keptLocal: true });
    await change({ status: "failed" });
    await change({ status: "processing" });
    expect(await read()).toMatchObject({ status: "new", paymentStatus: "paid" });
  });
});

describe("an order at the partner that the shop cancels", () => {
  test("is recalled, on hold until then, and cancelled when the partner has returned it", async () => {
    const { order, partner, org, read, change, timeline } = await aSentOrder("shopify");
    const result = await change({ isCancelled: true });
    expect(result).toMatchObject({ held: 1, recalled: 1, failed: 0 });
    expect(result.conflicts).toMatchObject([{ held: ["cancelled"], recalled: true }]);
    const done = await eventually(read, ({ status }) => status === "cancelled");
    expect(done).toMatchObject({ status: "cancelled", onHold: false });
    expect(done.lines).toHaveLength(2);
    expect(partner.data.journal.filter(({ key }) => key === order.number)).toHaveLength(2);
    const [recall] = (await org.get("/tasks/executions?taskName=orders.recall")).body.data;
    expect(recall).toMatchObject({ status: "succeeded", trigger: "system" });
    const [last, first] = await timeline();
    expect(last).toMatchObject({ kind: "fulfillment" });
    expect(first.changes.map(({ path }: { path: string }) => path)).toContain("/holds");
    // Heard once is enough.
    expect(await change({})).toMatchObject({ recalled: 0, held: 0 });
  });

  test("is recalled from the partner it was sent to by name, without a location or with another one", async () => {
    const { order, partner, read, change } = await aSentOrder("shopify", undefined, true);
    expect(await change({ isCancelled: true })).toMatchObject({ held: 1, recalled: 1 });
    await eventually(read, ({ status }) => status === "cancelled");
    expect(partner.data.journal.filter(({ key }) => key === order.number)).toHaveLength(2);

    const second = await aSentOrder("woocommerce", undefined, true);
    await second.org.patch(`/orders/${second.id}`, { locationId: null });
    const { execution_id: executionId } = await second.run("recall_fulfillment");
    expect(executionId).toBeDefined();
    expect(await eventually(second.read, ({ status }) => status === "ready")).toMatchObject({ status: "ready" });
    expect(second.partner.data.journal.filter(({ key }) => key === second.order.number)).toHaveLength(2);

    const third = await aSentOrder("shopify");
    const elsewhere = await aPartner(third.org);
    await third.org.patch(`/orders/${third.id}`, { locationId: elsewhere.locationId });
    expect(await third.change({ isCancelled: true })).toMatchObject({ recalled: 1 });
    await eventually(third.read, ({ status }) => status === "cancelled");
    expect(elsewhere.partner.data.journal).toEqual([]);
  });

  test("stays at a partner that refuses the recall, which is reported; withdrawing the cancellation releases it", async () => {
    const { partner, read, change } = await aSentOrder("shopify");
    partner.inject({ kind: "unauthorized", match: "/rest/plain" });
    await change({ isCancelled: true });
    const held = await eventually(
      read,
      (order) => byHandle(order, "source_cancelled")?.note?.includes("refused") === true,
    );
    expect(held).toMatchObject({ status: "sent", holds: [{ reason: "source_conflict", source: "bridge" }] });
    await change({ isCancelled: false });
    expect(await read()).toMatchObject({ status: "sent", holds: [] });
  });

  test("is put on hold if the partner cannot be asked, until a user releases that hold by name", async () => {
    const { change, read, run } = await aSentOrder("woocommerce", ["orders.export"]);
    expect(await change({ status: "cancelled" })).toMatchObject({ held: 1, recalled: 0 });
    const held = await read();
    expect(held).toMatchObject({ status: "sent", onHold: true });
    expect(byHandle(held, "source_cancelled")).toMatchObject({ reason: "source_conflict" });
    expect((await run("recall_fulfillment")).error.code).toBe("unknown_task");
    // Not among those that are released without a look.
    expect(await run("release_hold")).toMatchObject({ status: "no_change", warning: { code: "still_on_hold" } });
    expect((await run("release_hold", { reasons: ["source_conflict"] })).status).toBe("applied");
  });
});

describe("changes of a shop to an order in progress", () => {
  test("a changed address or quantity is not applied and puts the order on hold; changing it back resolves the conflict", async () => {
    const { order, change, read, timeline } = await aSentOrder("shopify");
    const [first, second] = order.lines as [ShopOrder["lines"][number], ShopOrder["lines"][number]];
    const was = await read();
    const result = await change({ street: "9 New Street", lines: [{ ...first, quantity: 5 }, second] });
    expect(result).toMatchObject({ held: 1, kept: 1, recalled: 0 });
    expect(result.conflicts[0].held.toSorted()).toEqual(["address_changed", "quantity_changed"]);
    const held = await read();
    expect([held.shippingAddress, held.lines, held.total]).toEqual([was.shippingAddress, was.lines, was.total]);
    expect(held.holds.map(({ handle }: { handle: string }) => handle).toSorted()).toEqual([
      "source_address_changed",
      "source_quantity_changed",
    ]);
    const [entry] = await timeline();
    const kept = entry.changes.filter((one: { keptLocal?: boolean }) => one.keptLocal);
    expect(kept.map(({ path }: { path: string }) => path).toSorted()).toEqual(["/lines", "/shippingAddress", "/total"]);
    await change({ street: "1 Main Street", lines: [first, second] });
    expect((await read()).holds).toEqual([]);
  });

  test("cancelling a partly shipped order holds the rest; for a shipped one it is only reported", async () => {
    const { org, id, change, read, run, timeline } = await aShop("woocommerce");
    await org.patch(`/orders/${id}`, { status: "ready" });
    const [line] = (await read()).lines;
    await run("mark_shipped", { line_items: [{ id: line.id, quantity: 1 }] });
    expect(await change({ status: "cancelled" })).toMatchObject({ held: 1 });
    expect(await read()).toMatchObject({ status: "partially_shipped", onHold: true });
    expect((await run("mark_shipped")).error.code).toBe("on_hold");
    await run("release_hold", { handles: ["source_cancelled"] });
    await run("mark_shipped");
    await change({ status: "processing" });
    expect(await change({ status: "cancelled" })).toMatchObject({ held: 0, kept: 1 });
    expect(await read()).toMatchObject({ status: "shipped", onHold: false });
    expect((await timeline())[0].changes).toContainEqual({
      path: "/status",
      from: "shipped",
      to: "cancelled",
      keptLocal: true,
    });
  });

  test("a refunded order that is not cancelled is put on hold, with the refunded amounts", async () => {
    const { read, change } = await aShop("shopify");
    expect(await change({ isRefunded: true })).toMatchObject({ held: 1 });
    expect(await read()).toMatchObject({ status: "review_required", paymentStatus: "refunded", onHold: true });
  });
});

describe("Shopify", () => {
  test("its holds are imported with reasons and released with it; holds placed by the hub are ignored", async () => {
    const hold = { id: 7, handle: "risk-app", reason: "HIGH_RISK_OF_FRAUD", reasonNotes: "Card of another country" };
    const { order, id, execute, read, change, run } = await aShop("shopify", { holds: [hold] });
    expect((await read()).holds).toMatchObject([
      { handle: "source_hold", reason: "high_risk_of_fraud", note: hold.reasonNotes, source: "bridge" },
    ]);
    expect((await run("mark_shipped")).status).toBe("failed");
    await change({ holds: [] });
    expect((await read()).onHold).toBe(false);
    expect(await execute("orders.hold", { orderIds: [id] })).toMatchObject({ status: "succeeded" });
    expect(order.holds).toHaveLength(1);
    await change({});
    expect((await read()).onHold).toBe(false);
  });

  test("for a partly fulfilled order only the rest is shipped by the hub, and reported", async () => {
    const { order, id, org, execute, read, change, run } = await aShop("shopify");
    await org.patch(`/orders/${id}`, { status: "ready" });
    const [mugs, lamp] = order.lines as [ShopOrder["lines"][number], ShopOrder["lines"][number]];
    const shipment = { id: 1, trackingNumber: "T-THERE", carrier: "ups", items: new Map([[mugs.id, 1]]) };
    await change({ shipments: [shipment] });
    expect(await read()).toMatchObject({
      status: "partially_shipped",
      lines: [{ shippedQuantity: 1 }, { shippedQuantity: 0 }],
    });
    await run("mark_shipped", { tracking_number: "T-HERE" });
    const shipped = await read();
    expect(shipped).toMatchObject({ status: "shipped", shipments: [{ trackingNumber: "T-HERE" }] });
    expect(shipped.shipments[0].lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual([1, 1]);
    const pushed = await execute("fulfillments.push", { orderIds: [id] });
    expect(pushed).toMatchObject({ status: "succeeded", result: { summary: { sent: 1 } } });
    const reported = order.shipments.slice(1).flatMap(({ items }) => [...items]);
    expect(new Map(reported)).toEqual(
      new Map([
        [mugs.id, 1],
        [lamp.id, 1],
      ]),
    );
    await change({});
    expect(await read()).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 2 }, { shippedQuantity: 1 }] });
  });

  test("an order that Shopify fulfilled while it was new becomes shipped", async () => {
    const { order, read, change } = await aShop("shopify");
    const items = new Map(order.lines.map(({ id, quantity }) => [id, quantity]));
    await change({ shipments: [{ id: 1, trackingNumber: "T", carrier: "ups", items }] });
    expect(await read()).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 2 }, { shippedQuantity: 1 }] });
  });

  test("a line without shipping does not prevent reporting the shipment of the others", async () => {
    const { order, id, org, execute, read, change, run } = await aShop("shopify");
    order.lines[1]!.isDigital = true;
    await change({});
    await org.patch(`/orders/${id}`, { status: "ready" });
    await run("mark_shipped", { tracking_number: "T-1" });
    expect((await read()).shipments[0].lines).toHaveLength(1);
    expect((await read()).lines).toMatchObject([{}, { sku: "LAMP", requiresShipping: false, shippedQuantity: 0 }]);
    const pushed = await execute("fulfillments.push", { orderIds: [id] });
    expect(pushed).toMatchObject({ status: "succeeded", result: { summary: { sent: 1 } } });
    expect(order.shipments.map(({ items }) => [...items])).toEqual([[[order.lines[0]!.id, 2]]]);
    // A second time finds that nothing is missing.
    expect(await execute("fulfillments.push", { orderIds: [id] })).toMatchObject({ status: "succeeded" });
    expect(order.shipments).toHaveLength(1);
  });
});
