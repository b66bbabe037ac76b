import { beforeAll, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { automationFixture, tag } from "../../testing/automation-fixture.ts";
import type { AnyOrder } from "../../testing/merchant-rules.ts";
import { rules } from "../../testing/merchant-rules.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { labelWork } from "../labels/labels.ts";

/**
 * The rules that merchants write first, as automations on the demo data: each is tested over the last seven days, then switched on, run by
 * a real event and undone. What an automation must match is computed here from the orders, in plain code.
 */
const hub = await startTestHub({ environment: "preview" });
const { work, workUntil, automate, pipelineOf, invocationsOf } = automationFixture(hub);
/** With an API key, since the tests advance the clock past the expiry of tokens. */
let preview: TestClient;
/** The orders of the demo data, before the first automation. */
let demo: AnyOrder[];
let vips: string[];

beforeAll(async () => {
  const { scopes } = (await hub.operator.get("/me")).body;
  preview = hub.client((await hub.operator.post("/api-keys", { name: "everything", scopes })).body.key);
  expect((await preview.post("/preview/reset")).body).toEqual({ reset: true });
  await work();
  // Those of the demo data would react to the changes of the tests.
  for (const { id } of (await preview.get("/automations")).body.data) await preview.delete(`/automations/${id}`);
  demo = await readOrders();
  vips = demo.slice(0, 5).map(({ customer }) => customer.email);
  const set = (await preview.post("/condition-sets", { name: "VIP" })).body;
  await preview.post(`/condition-sets/${set.id}/values`, { values: vips });
});

async function readAll(path: string): Promise<AnyOrder[]> {
  const all: AnyOrder[] = [];
  for (let page = 1; ; page++) {
    const { body } = await preview.get(`${path}${path.includes("?") ? "&" : "?"}limit=100&page=${page}`);
    all.push(...body.data);
    if (!body.pagination.hasMore) return all;
  }
}
const readOrders = () => readAll("/orders?archived=any");
const readOrder = async (id: string): Promise<AnyOrder> => (await preview.get(`/orders/${id}`)).body;
const idsOf = (orders: readonly AnyOrder[]): string[] => orders.map(({ id }) => id).toSorted();

/** What an undo restores. */
const contentOf = ({ version: _version, updatedAt: _updatedAt, ...content }: AnyOrder) => content;
const byId = (orders: AnyOrder[]) => new Map(orders.map((order) => [order.id, contentOf(order)]));

/** Tests the automation over the last seven days, which must match exactly these orders. */
async function testOver(id: string, wanted: readonly AnyOrder[]): Promise<AnyOrder> {
  const { body } = await preview.post(`/automations/${id}/test`, { days: 7 });
  expect(body, JSON.stringify(body).slice(0, 500)).toMatchObject({ truncated: false, matched: wanted.length });
  const listed: string[] = body.orders.map(({ order_id }: { order_id: string }) => order_id);
  expect(new Set(listed).size).toBe(Math.min(wanted.length, 100));
  expect(listed.filter((one) => !wanted.some((order) => order.id === one))).toEqual([]);
  return body;
}

/** The same orders come again: a real `orders.created`. They are ready, and have no tags. */
async function comeAgain(orders: readonly AnyOrder[]): Promise<string[]> {
  const copies = orders.map(({ customer, lines, billingAddress, ...order }) => ({
    customer: { name: customer.name, email: customer.email },
    lines: lines.map(({ sku, name, quantity, price }: AnyOrder) => ({ sku, name, quantity, price })),
    ...(billingAddress && { billingAddress }),
    shippingAddress: order.shippingAddress,
    total: order.total,
    currency: order.currency,
    channel: order.channel,
    orderedAt: order.orderedAt,
    status: "ready",
    paymentStatus: "paid",
  }));
  const { body } = await preview.post("/orders/bulk", { orders: copies });
  expect(body.summary, JSON.stringify(body)).toMatchObject({ created: copies.length, failed: 0 });
  return body.results.map(({ id }: { id: string }) => id);
}

const switchOn = async (id: string): Promise<void> => {
  expect((await preview.patch(`/automations/${id}`, { mode: "run" })).body).toMatchObject({ mode: "run" });
};

/** The runs that the automation started; test mode starts none. */
async function runsOf(id: string): Promise<string[]> {
  const invocations: { run: { id: string } | null }[] = await invocationsOf(preview, id);
  return invocations.flatMap(({ run }) => run?.id ?? []);
}

/** Undoes the runs that the automation started, and ends it. */
async function undoRunsOf(id: string, runs = 1): Promise<AnyOrder[]> {
  const started = await runsOf(id);
  expect(started).toHaveLength(runs);
  const undone: AnyOrder[] = [];
  for (const run of started) {
    const { id: undo } = (await preview.post(`/operations/runs/${run}/undo`)).body;
    await work();
    undone.push((await preview.get(`/operations/runs/${undo}`)).body);
  }
  expect((await preview.delete(`/automations/${id}`)).status).toBe(200);
  return undone;
}
const succeeded = { status: "succeeded" };
const readDone = async (ids: readonly string[], isDone: (order: AnyOrder) => boolean): Promise<boolean[]> =>
  await Promise.all(ids.map(async (id) => isDone(await readOrder(id))));

describe("rules of one order", () => {
  for (const { name, about, actions, fits, isDone, patch } of rules) {
    test(`rule ${name}`, async () => {
      const { id } = await automate(preview, { ...about, mode: "preflight" }, ...actions);
      const orders = await readOrders();
      const fitting = orders.filter((order) => fits(order, orders, vips));
      const wanted = patch ? fitting.filter(({ version }) => version > 1) : fitting;
      expect(wanted.length).toBeGreaterThan(0);
      await testOver(id, wanted);
      await switchOn(id);
      const others = orders.filter((order) => !fitting.includes(order));
      let ids: string[];
      if (patch) {
        const isOpen = ({ status, paymentStatus, holds }: AnyOrder) =>
          paymentStatus === "paid" && ["new", "ready"].includes(status) && holds.length <= 1;
        // Demo orders that are paid once more: `order.updated`. A hold would keep rule 7 from making one ready.
        const some = fitting.filter((order) => isOpen(order) && order.onHold === name.startsWith("6")).slice(0, 3);
        ids = idsOf([...some, ...others.filter(isOpen).slice(0, 3)]);
        for (const one of ids) await preview.patch(`/orders/${one}`, { paymentStatus: "pending" });
        await work();
        expect(await runsOf(id)).toEqual([]);
        for (const one of ids) await preview.patch(`/orders/${one}`, patch);
      } else {
        // A copy of an order counts for rule 3, too.
        const isOnly = ({ id: own, customer }: AnyOrder) =>
          orders.every((order) => order.id === own || order.customer.email !== customer.email);
        ids = await comeAgain([...fitting.slice(0, 5), ...others.filter(isOnly).slice(0, 5)]);
      }
      const before = await readOrders();
      const fit = ids.map((one) =>
        fits(
          before.find((order) => order.id === one),
          before,
          vips,
        ),
      );
      expect(new Set(fit)).toEqual(new Set([true, false]));
      const wasDone = await readDone(ids, isDone);
      await work();
      expect(await readDone(ids, isDone)).toEqual(fit.map((isMet, nth) => isMet || wasDone[nth]));
      expect(await undoRunsOf(id)).toMatchObject([succeeded]);
      expect(byId(await readOrders())).toEqual(byId(before));
    });
  }
});

test("rule 4: orders are routed to a warehouse by their state", async () => {
  const { data: locations } = (await preview.get("/locations")).body;
  const idOf = (name: string): string => locations.find((one: { name: string }) => one.name === name).id;
  const pipelineTo = (name: string) =>
    pipelineOf(preview, { type: "assign_location", params: { location_id: idOf(name) } });
  const states = ["CA", "OR", "WA", "AZ"];
  const when = { path: "shippingAddress.provinceCode", op: "in", value: states };
  const branches = [{ when, pipeline_id: await pipelineTo("Reno") }];
  const { id } = await automate(preview, { branches, otherwise: await pipelineTo("Newark"), mode: "preflight" });
  const orders = await readOrders();
  const isWestern = ({ shippingAddress }: AnyOrder) => states.includes(shippingAddress.provinceCode);
  const western = orders.filter(isWestern);
  const report = await testOver(id, orders);
  expect(report.branches.map(({ matched }: { matched: number }) => matched)).toEqual([
    western.length,
    orders.length - western.length,
  ]);
  await switchOn(id);
  const ids = await comeAgain([western[0], orders.find((order) => !isWestern(order))]);
  const before = await readOrders();
  await work();
  const placed = await Promise.all(ids.map(async (one) => (await readOrder(one)).locationId));
  expect(placed).toEqual([idOf("Reno"), idOf("Newark")]);
  for (const undone of await undoRunsOf(id, 2)) expect(undone).toMatchObject(succeeded);
  expect(byId(await readOrders())).toEqual(byId(before));
});

test("rule 8: an order that no location has in stock alone is split", async () => {
  const when = {
    all: [
      { path: "stock.anywhere", op: "eq", value: false },
      { path: "stock.missing", op: "empty" },
    ],
  };
  const split = { type: "allocate", params: { allow_split: true } };
  const { id } = await automate(preview, { when, mode: "preflight" }, split);
  const levels: { sku: string; locationId: string; allocatable: number }[] = await readAll("/stock");
  const places = [...new Set(levels.map(({ locationId }) => locationId))];
  const has = (locationId: string, sku: string, units: number): boolean =>
    levels.some((level) => level.locationId === locationId && level.sku === sku && level.allocatable >= units);
  const isScattered = ({ lines }: AnyOrder): boolean => {
    const needs: [string, number][] = lines
      .map(({ sku, quantity, shippedQuantity }: AnyOrder) => [sku, quantity - shippedQuantity])
      .filter(([, units]: [string, number]) => units > 0);
    const isSome = needs.every(([sku, units]) => places.some((place) => has(place, sku, units)));
    return isSome && needs.length > 0 && !places.some((place) => needs.every(([sku, units]) => has(place, sku, units)));
  };
  const orders = await readOrders();
  const wanted = orders.filter(isScattered);
  expect(wanted.length).toBeGreaterThan(5);
  await testOver(id, wanted);
  await switchOn(id);
  const ids = await comeAgain([wanted[0], orders.find((order) => order.lines.length === 2 && !isScattered(order))]);
  const before = await readOrders();
  await work();
  const [scattered, together] = await Promise.all(ids.map(readOrder));
  const parts = (await readOrders()).filter(({ parentOrderId }) => parentOrderId === ids[0]);
  expect(parts.length).toBeGreaterThan(0);
  for (const part of [scattered, ...parts])
    for (const { sku, quantity } of part.lines) expect(has(part.locationId, sku, quantity), sku).toBe(true);
  expect(together).toMatchObject({ locationId: null });
  expect(together.lines).toHaveLength(2);
  expect(await undoRunsOf(id)).toMatchObject([succeeded]);
  expect(byId(await readOrders())).toEqual(byId(before));
});

test("rule 10: a text about the order is sent to another system", async () => {
  const { data: bridges } = (await preview.get("/bridges")).body;
  const input = { text: "Order {{number}} is {{total}} {{currency}}" };
  const notify = { type: "run_task", params: { bridge_id: bridges[0].id, task_name: "noop", input } };
  const { id } = await automate(preview, { when: { path: "total", op: "gte", value: 500 }, mode: "preflight" }, notify);
  const orders = await readOrders();
  const wanted = orders.filter(({ total }) => total >= 500);
  await testOver(id, wanted);
  await switchOn(id);
  const [copy] = await comeAgain([wanted[0], orders.find(({ total }) => total < 500)]);
  const readSent = async () => (await readAll("/tasks/executions")).filter(({ taskName }) => taskName === "noop");
  const sent = await workUntil(readSent, (all) => all.length > 0);
  expect(sent).toHaveLength(1);
  const { number, total, currency } = await readOrder(copy!);
  const { input: filled } = (await preview.get(`/tasks/executions/${sent[0].id}`)).body;
  expect(filled).toEqual({ text: `Order ${number} is ${total} ${currency}` });
  // The text has left the hub: the undo says so.
  const [undone] = await undoRunsOf(id);
  expect(undone.results[0].steps).toMatchObject([{ status: "undo_failed", error: { code: "irreversible" } }]);
});

/** The demo shop accepts every order, so no push of the demo data failed: only one that named an order which does not exist. */
test("rule 11: a push that failed is repeated; none of the demo data names an order", async () => {
  const { data: bridges } = (await preview.get("/bridges")).body;
  const push = { type: "run_task", params: { bridge_id: bridges[0].id, task_name: "orders.export" } };
  const types = ["task_execution.failed", "task_execution.completed_with_errors"];
  const event = { path: "data.taskName", op: "eq", value: "orders.export" };
  const more = { trigger: { types, event, orders: "failed" }, wait: { until: "15m" }, max_per_object: 3 };
  const { id } = await automate(preview, { ...more, mode: "preflight" }, push);
  const report = await testOver(id, []);
  expect(report.events).toBeGreaterThan(0);
  await preview.delete(`/automations/${id}`);
});

/** The parcels of the demo data come with their history, not with events: one of them gets a problem here. */
test("rule 12: an order whose parcel has a problem is tagged, and gets a note", async () => {
  const trigger = {
    types: ["shipment.status_changed"],
    event: { path: "data.status", op: "eq", value: "exception" },
  };
  const note = { type: "add_note", params: { text: "Look at the parcel of {{number}}" } };
  const { id } = await automate(preview, { trigger, mode: "preflight" }, tag("parcel-problem"), note);
  await testOver(id, []);
  await switchOn(id);
  const { data: moving } = (await preview.get("/shipments?status=in_transit&limit=2")).body;
  const before = await readOrders();
  const at = hub.world.clock.now().toISOString();
  await preview.post(`/shipments/${moving[0].id}/events`, { status: "exception", at });
  await preview.post(`/shipments/${moving[1].id}/events`, { status: "out_for_delivery", at });
  await work();
  const [order] = before.filter(({ id: one }) => one === moving[0].orderId);
  expect((await readOrders()).filter(({ tags }) => tags.includes("parcel-problem")).map(({ id: one }) => one)).toEqual([
    order.id,
  ]);
  expect((await readOrder(order.id)).notes).toMatchObject([{ text: `Look at the parcel of ${order.number}` }]);
  await testOver(id, [order]);
  expect(await undoRunsOf(id)).toMatchObject([succeeded]);
  expect(byId(await readOrders())).toEqual(byId(before));
});

test("rule 16: rules run in their order, and the first that fits ends the rest", async () => {
  const orders = await readOrders();
  const rule = async (channel: string, name: string): Promise<string> => {
    const when = { path: "channel", op: "eq", value: channel };
    const made = await automate(preview, { when, stop_further_rules: true, mode: "preflight" }, tag(name));
    await testOver(
      made.id,
      orders.filter((order) => order.channel === channel),
    );
    return made.id;
  };
  const last = (await automate(preview, { mode: "preflight" }, tag("everything-else"))).id;
  await testOver(last, orders);
  const ids = [await rule("marketplace", "from-market"), await rule("wholesale", "to-shops"), last];
  expect((await preview.call("PUT", "/automations/order", { ids })).status).toBe(200);
  for (const id of ids) await switchOn(id);
  const channels = ["marketplace", "wholesale", "web-shop"];
  const copies = await comeAgain(channels.map((channel) => orders.find((order) => order.channel === channel)));
  const before = await readOrders();
  await work();
  const tags = await Promise.all(copies.map(async (one) => (await readOrder(one)).tags));
  expect(tags).toEqual([["from-market"], ["to-shops"], ["everything-else"]]);
  for (const id of ids) expect(await undoRunsOf(id)).toMatchObject([succeeded]);
  expect(byId(await readOrders())).toEqual(byId(before));
});

test("rule 9: orders to the same address are merged each hour", async () => {
  const trigger = { cron: "0 * * * *", filter: { status: ["ready"] } };
  const merge = { type: "merge", params: { by: "ship_to" } };
  const { id, next_run_at } = await automate(preview, { trigger, mode: "preflight" }, merge);
  const before = await readOrders();
  const ready = before.filter(({ status }) => status === "ready");
  await testOver(id, ready);
  await switchOn(id);
  const keyOf = ({ shippingAddress: to, channel, currency, paymentStatus, holds }: AnyOrder): string =>
    [to.name, to.address1, to.zip, to.city, channel, currency, paymentStatus, ...holds.map((h: AnyOrder) => h.handle)]
      .join("|")
      .toLowerCase();
  const groups = Object.values(Object.groupBy(ready, keyOf)).filter((group) => group!.length > 1);
  const merged = groups.flatMap((group) =>
    group!.toSorted((a, b) => (a.orderedAt + a.id < b.orderedAt + b.id ? -1 : 1)).slice(1),
  );
  expect(merged.length).toBeGreaterThan(5);
  hub.advance(Date.parse(next_run_at) - hub.world.clock.now().getTime() + 1_000);
  await work();
  expect(idsOf((await readOrders()).filter(({ mergedIntoId }) => mergedIntoId !== null))).toEqual(idsOf(merged));
  expect(await undoRunsOf(id)).toMatchObject([succeeded]);
  expect(byId(await readOrders())).toEqual(byId(before));
});

test("after all these the orders of the demo data are as before", async () => {
  const now = byId(await readOrders());
  expect(new Map(demo.map(({ id }) => [id, now.get(id)]))).toEqual(byId(demo));
});

test("rule 5: tagged orders get the cheapest label at four in Berlin on weekdays", async () => {
  const filter = { status: ["ready"], tagsAny: ["rush"] };
  const trigger = { cron: "0 16 * * 1-5", timezone: "Europe/Berlin", filter };
  const { data: locations } = (await preview.get("/locations")).body;
  const newark = locations.find(({ name }: { name: string }) => name === "Newark").id;
  const cheapest = [
    { type: "assign_location", params: { location_id: newark } },
    { type: "choose_rate", params: {} },
    { type: "buy_label", params: {} },
  ];
  const { id, next_run_at } = await automate(preview, { trigger, mode: "preflight" }, ...cheapest);
  const before = await readOrders();
  const wanted = before.filter(({ status, tags }) => status === "ready" && tags.includes("rush"));
  await testOver(id, wanted);
  await switchOn(id);
  hub.advance(Date.parse(next_run_at) - hub.world.clock.now().getTime() + 1_000);
  await work();
  await workOff(hub.world, labelWork);
  const [run] = await runsOf(id);
  const held = wanted.filter(({ onHold }) => onHold).length;
  const { errors_by_code } = (await preview.get(`/operations/runs/${run}`)).body;
  // One ZIP code is invalid, and one parcel is taken by no service.
  expect(errors_by_code).toEqual({ on_hold: held, invalid_zip: 1, no_rate: 1 });
  const statusOf = new Map((await readOrders()).map((order) => [order.id, order.status]));
  const shipped = wanted.filter(({ id: one, onHold }) => !onHold && statusOf.get(one) === "shipped");
  expect(shipped.length).toBe(wanted.length - held - 2);
  // What was bought stays bought; location and service are given back.
  const [undone] = await undoRunsOf(id);
  expect(undone.summary).toMatchObject({ partially_undone: shipped.length });
  const [first] = undone.results.filter(({ order_id }: AnyOrder) => order_id === shipped[0].id);
  expect(first.steps).toMatchObject([
    { type: "buy_label", status: "undo_failed", error: { code: "irreversible" } },
    { type: "choose_rate", status: "applied" },
    { type: "assign_location", status: "applied" },
  ]);
});
