import { describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { automationFixture, tag } from "../../testing/automation-fixture.ts";
import { exceptionFixture } from "../../testing/exception-fixture.ts";
import { lines, rules, to } from "../../testing/merchant-rules.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";

/**
 * The rules that merchants write first in other order systems, each as an automation: tested over the last seven days, run, and undone
 * where an undo is possible.
 */
const hub = await startTestHub();
const { work, workUntil, automate, invocationsOf, tagsOf } = automationFixture(hub);
const { floor, aShop } = exceptionFixture(hub);

const add = async (org: TestOrg, orders: object[]): Promise<string[]> => {
  if (orders.length === 0) return [];
  const { body } = await org.post("/orders/bulk", { orders });
  expect(body.summary, JSON.stringify(body)).toMatchObject({ failed: 0 });
  return body.results.map(({ id }: { id: string }) => id);
};

/** Undoes the runs that the automation started. */
async function undoRunsOf(org: TestOrg, id: string): Promise<void> {
  const started = (await invocationsOf(org, id)).flatMap(({ run }: { run: { id: string } | null }) => run ?? []);
  expect(started.length).toBeGreaterThan(0);
  for (const run of started) {
    expect((await org.post(`/operations/runs/${run.id}/undo`)).body).toMatchObject({ status: "succeeded" });
  }
}

/** What the automation would match of the last seven days. */
const matchedBy = async (org: TestOrg, id: string): Promise<number> =>
  (await org.post(`/automations/${id}/test`, { days: 7 })).body.matched;

describe("the rules of one order", () => {
  for (const { name, ...rule } of rules) {
    test(`rule ${name}`, async () => {
      const org = await hub.org();
      const set = (await org.post("/condition-sets", { name: "VIP" })).body;
      await org.post(`/condition-sets/${set.id}/values`, { values: ["ada@vip.example"] });
      await add(org, rule.before ?? []);
      const made = await automate(org, rule.about, ...rule.actions);
      const [meets, others] = [await add(org, rule.meets), await add(org, rule.others)];
      const { setUp } = rule;
      if (setUp) await org.post("/operations/run", { order_ids: [...meets, ...others], actions: [setUp] });
      if (rule.patch) for (const id of [...meets, ...others]) await org.patch(`/orders/${id}`, rule.patch);
      const tested = (await org.post(`/automations/${made.id}/test`, { days: 7 })).body;
      const matched = meets.length + (rule.metBefore ?? 0);
      expect(tested).toMatchObject({ matched, summary: { orders: matched, blocked: 0 } });
      await work();
      const done = async (ids: string[]) =>
        await Promise.all(ids.map(async (id) => rule.isDone((await org.get(`/orders/${id}`)).body)));
      expect(await done(meets)).toEqual(meets.map(() => true));
      expect(await done(others)).toEqual(others.map(() => false));
      await undoRunsOf(org, made.id);
      expect(await done(meets)).toEqual(meets.map(() => false));
    });
  }
});

test("rule 4: orders are routed to a warehouse by their state", async () => {
  const org = await hub.org();
  const pipelineTo = async (name: string): Promise<{ id: string; pipeline_id: string }> => {
    const { id } = (await org.post("/locations", { name, address: aParcel.from })).body;
    const actions = [{ type: "assign_location", params: { location_id: id } }];
    return { id, pipeline_id: (await org.post("/operations/pipelines", { name, actions })).body.id };
  };
  const [west, east] = [await pipelineTo("West"), await pipelineTo("East")];
  const when = { path: "shippingAddress.provinceCode", op: "in", value: ["CA", "OR", "WA"] };
  const made = await automate(org, {
    branches: [{ when, pipeline_id: west.pipeline_id }],
    otherwise: east.pipeline_id,
  });
  const ids = await add(
    org,
    ["OR", "NY"].map((provinceCode) => ({ shippingAddress: { ...to("US"), provinceCode } })),
  );
  const report = (await org.post(`/automations/${made.id}/test`, { days: 7 })).body;
  expect(report.branches.map(({ matched }: { matched: number }) => matched)).toEqual([1, 1]);
  await work();
  const locations = async () =>
    await Promise.all(ids.map(async (id) => (await org.get(`/orders/${id}`)).body.locationId));
  expect(await locations()).toEqual([west.id, east.id]);
  await undoRunsOf(org, made.id);
  expect(await locations()).toEqual([null, null]);
});

test("rule 5: tagged orders get the cheapest label at four in Berlin on weekdays", async () => {
  const org = await hub.org();
  await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  const locationId = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id;
  const trigger = { cron: "0 16 * * 1-5", timezone: "Europe/Berlin", filter: { tagsAny: ["ship-today"] } };
  const made = await automate(org, { trigger }, { type: "choose_rate", params: {} }, { type: "buy_label", params: {} });
  const parcel = { sku: "MUG", quantity: 1, weight: { value: 300, unit: "g" } };
  const order = { status: "ready", shippingAddress: aParcel.to, locationId, lines: [parcel] };
  const ids = await add(org, [{ ...order, tags: ["ship-today"] }, order]);
  expect((await org.post(`/automations/${made.id}/test`)).body).toMatchObject({ matched: 1 });
  const at = Date.parse(made.next_run_at);
  const berlin = new Intl.DateTimeFormat("en", { hour: "numeric", hour12: false, timeZone: "Europe/Berlin" });
  expect(berlin.format(at)).toBe("16");
  hub.advance(at - hub.world.clock.now().getTime() + 1_000);
  await work();
  await workOff(hub.world, labelWork);
  const status = async (id: string | undefined) => (await org.get(`/orders/${id}`)).body.status;
  expect([await status(ids[0]), await status(ids[1])]).toEqual(["shipped", "ready"]);
});

test("rule 8: items that are in stock elsewhere are split off", async () => {
  const org = await hub.org();
  const levels: object[] = [];
  for (const sku of ["MUG", "LAMP"]) {
    const { id } = (await org.post("/locations", { name: `Only ${sku}`, address: aParcel.from })).body;
    levels.push({ sku, locationId: id, available: 5 });
  }
  expect((await org.call("PUT", "/stock", { levels })).status).toBe(200);
  const when = {
    all: [
      { path: "stock.anywhere", op: "eq", value: false },
      { path: "stock.missing", op: "empty" },
    ],
  };
  const made = await automate(org, { when }, { type: "allocate", params: { allow_split: true } });
  const items = (...skus: string[]) => ({ status: "ready", lines: skus.map((sku) => ({ sku, quantity: 1 })) });
  const [id, whole, none] = await add(org, [items("MUG", "LAMP"), items("MUG"), items("MUG", "GONE")]);
  expect(await matchedBy(org, made.id)).toBe(1);
  await work();
  const skusOf = async (one?: string): Promise<string[]> =>
    (await org.get(`/orders/${one}`)).body.lines.map(({ sku }: { sku: string }) => sku);
  expect([await skusOf(id), await skusOf(whole), await skusOf(none)]).toEqual([["MUG"], ["MUG"], ["MUG", "GONE"]]);
  expect((await org.get(`/orders/${id}`)).body).toMatchObject({ childCount: 1 });
  await undoRunsOf(org, made.id);
  expect(await skusOf(id)).toEqual(["MUG", "LAMP"]);
});

test("rule 9: orders to the same address are merged each hour", async () => {
  const org = await hub.org();
  const trigger = { cron: "0 * * * *", filter: { status: ["ready"] } };
  const made = await automate(org, { trigger }, { type: "merge", params: { by: "ship_to" } });
  const order = { status: "ready", shippingAddress: { ...to("DE"), name: "Ada" }, lines: lines(1) };
  const ids = await add(org, [order, order, { ...order, shippingAddress: { ...to("DE"), name: "Bob" } }]);
  expect(await matchedBy(org, made.id)).toBe(3);
  hub.advance(Date.parse(made.next_run_at) - hub.world.clock.now().getTime() + 1_000);
  await work();
  const mergedInto = async () =>
    await Promise.all(ids.map(async (id) => (await org.get(`/orders/${id}`)).body.mergedIntoId));
  expect(await mergedInto()).toEqual([null, ids[0], null]);
  await undoRunsOf(org, made.id);
  expect(await mergedInto()).toEqual([null, null, null]);
});

test("rule 10: a text about the order is sent to another system", async () => {
  const org = await hub.org();
  const bridge_id = (await org.post("/bridges", { name: "Chat", connector: "demo" })).body.id;
  const input = { text: "Order {{number}} is {{total}} {{currency}}" };
  const notify = { type: "run_task", params: { bridge_id, task_name: "noop", input } };
  const { id } = await automate(org, { when: { path: "total", op: "gte", value: 1_000 } }, notify);
  await add(org, [{ number: "N10", total: 1_500, currency: "USD" }, { total: 5 }]);
  expect(await matchedBy(org, id)).toBe(1);
  const sent = await workUntil(
    async () => (await org.get("/tasks/executions")).body.data,
    (all) => all.length > 0,
  );
  expect(sent).toHaveLength(1);
  const { input: filled } = (await org.get(`/tasks/executions/${sent[0].id}`)).body;
  expect(filled).toEqual({ text: "Order N10 is 1500 USD" });
});

test("rule 11: a push that failed is repeated until it is received, at most three times", async () => {
  const { org, bridgeId, execute } = await aShop();
  const number = `P-${crypto.randomUUID()}`;
  floor.refuses.add(number);
  const push = { type: "run_task", params: { bridge_id: bridgeId, task_name: "orders.export" } };
  const types = ["task_execution.failed", "task_execution.completed_with_errors"];
  const trigger = { types, event: { path: "data.bridgeId", op: "eq", value: bridgeId }, orders: "failed" };
  const made = await automate(org, { trigger, wait: { until: "15m" }, max_per_object: 3 }, push);
  const [id] = await add(org, [{ number, status: "ready", lines: lines(1) }]);
  await execute("orders.export", { orderIds: [id] });
  await hub.world.sealer.sealNow();
  expect(await matchedBy(org, made.id)).toBe(1);
  const isWaiting = async () => (await org.get(`/automations/${made.id}/waiting`)).body.data.length;
  await workUntil(isWaiting, (count) => count === 1);
  hub.advance(16 * 60_000);
  // The second attempt fails as well, and the order waits again.
  await workUntil(
    async () => [(await invocationsOf(org, made.id)).length, await isWaiting()].join(),
    (state) => state === "1,1",
  );
  floor.refuses.delete(number);
  hub.advance(16 * 60_000);
  await workUntil(
    () => Promise.resolve(floor.sent),
    (sent) => sent.includes(number),
  );
  expect(await invocationsOf(org, made.id)).toHaveLength(2);
});

test("rule 12: an order whose parcel has a problem is tagged, and gets a note", async () => {
  const org = await hub.org();
  const trigger = {
    types: ["shipment.status_changed", "exception.opened", "label.failed", "pickup.missed"],
    event: {
      any: [
        { path: "data.status", op: "eq", value: "exception" },
        { path: "data.kind", op: "eq", value: "label" },
      ],
    },
  };
  const note = { type: "add_note", params: { text: "Look at the parcel of {{number}}" } };
  const made = await automate(org, { trigger }, tag("parcel-problem"), note);
  const [id] = await add(org, [{ status: "ready", lines: lines(1) }]);
  const parcel = { orderId: id, carrier: "Own van", trackingNumber: `T-${crypto.randomUUID()}` };
  const shipment = (await org.post("/shipments", parcel)).body;
  const event = { status: "exception", at: hub.world.clock.now().toISOString() };
  await org.post(`/shipments/${shipment.id}/events`, event);
  await work();
  expect(await tagsOf(org, id!)).toEqual(["parcel-problem"]);
  expect((await org.get(`/orders/${id}`)).body.notes).toHaveLength(1);
  expect(await matchedBy(org, made.id)).toBe(1);
  await undoRunsOf(org, made.id);
  expect((await org.get(`/orders/${id}`)).body).toMatchObject({ tags: [], notes: [] });
});

test("rule 16: rules run in their order, and the first that fits ends the rest", async () => {
  const org = await hub.org();
  const rule = (channel: string, name: string) =>
    automate(org, { when: { path: "channel", op: "eq", value: channel }, stop_further_rules: true }, tag(name));
  const last = await automate(org, {}, tag("everything-else"));
  const first = [await rule("amazon", "marketplace"), await rule("b2b", "wholesale")];
  await org.patch(`/automations/${last.id}`, { position: 3 });
  const ids = await add(org, [{ channel: "amazon" }, { channel: "b2b" }, { channel: "web" }]);
  // A test looks at one automation: what the others would stop is not left out.
  const all = [...first, last];
  expect(await Promise.all(all.map(({ id }) => matchedBy(org, id)))).toEqual([1, 1, 3]);
  await work();
  const tags = async () => await Promise.all(ids.map((id) => tagsOf(org, id)));
  expect(await tags()).toEqual([["marketplace"], ["wholesale"], ["everything-else"]]);
  for (const { id } of all) await undoRunsOf(org, id);
  expect(await tags()).toEqual([[], [], []]);
});
