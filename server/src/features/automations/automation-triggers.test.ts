import { describe, expect, test } from "vitest";
import { automationFixture, tag } from "../../testing/automation-fixture.ts";
import { exceptionFixture } from "../../testing/exception-fixture.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { applyLabelResults } from "../operations/operations.ts";

const hub = await startTestHub();
const { work, workUntil, automate, pipelineOf, invocationsOf, tagsOf } = automationFixture(hub);
const { floor, aShop } = exceptionFixture(hub);

const anOrder = async (by: TestClient, more: object = {}): Promise<string> =>
  (await by.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 1 }], ...more })).body.id;

/** A shop that refuses an order when it is exported. */
async function aRefusal() {
  const shop = await aShop();
  const number = `R-${crypto.randomUUID()}`;
  const orderId = await anOrder(shop.org, { number });
  floor.refuses.add(number);
  const push = { type: "run_task", params: { bridge_id: shop.bridgeId, task_name: "orders.export" } };
  return { ...shop, number, orderId, push };
}

describe("exceptions", () => {
  test("an exception of an order runs the pipeline on that order, if the event meets the condition", async () => {
    const { org, bridgeId, orderId, execute } = await aRefusal();
    const event = (kind: string) => ({
      all: [
        { path: "data.kind", op: "eq", value: kind },
        { path: "data.bridgeId", op: "eq", value: bridgeId },
      ],
    });
    const types = ["exception.opened"];
    const made = await automate(org, { trigger: { types, event: event("push") } }, tag("not-received"));
    const other = await automate(org, { trigger: { types, event: event("pickup") } }, tag("pickup"));
    await execute("orders.export", { orderIds: [orderId] });
    await work();
    expect(await tagsOf(org, orderId)).toEqual(["not-received"]);
    expect(await invocationsOf(org, made.id)).toMatchObject([{ kind: "run", order_count: 1 }]);
    expect(await invocationsOf(org, other.id)).toEqual([]);
    const tested = (await org.post(`/automations/${made.id}/test`, {})).body;
    expect(tested).toMatchObject({ events: 1, evaluated: 1, matched: 1, summary: { no_change: 1 } });
    expect((await org.post(`/automations/${other.id}/test`, {})).body).toMatchObject({ events: 1, matched: 0 });
  });

  test("exceptions of many orders at once are one trigger, each order with its own data", async () => {
    const { org, execute, push: _push, ...shop } = await aRefusal();
    const other = `R-${crypto.randomUUID()}`;
    const otherId = await anOrder(org, { number: other });
    floor.refuses.add(other);
    const trigger = {
      types: ["exception.*"],
      event: { path: "data.orderId", op: "eq", value: otherId },
    };
    await automate(org, { trigger }, tag("this-one"));
    await execute("orders.export", { orderIds: [shop.orderId, otherId] });
    await work();
    expect([await tagsOf(org, shop.orderId), await tagsOf(org, otherId)]).toEqual([[], ["this-one"]]);
  });

  test("a failed push is retried at most three times, and its failures do not retry it further", async () => {
    const { org, orderId, push, execute, number } = await aRefusal();
    const types = ["task_execution.failed", "task_execution.completed_with_errors"];
    const trigger = { types, event: { path: "data.taskName", op: "eq", value: "orders.export" }, orders: "failed" };
    const made = await automate(org, { trigger, max_per_object: 3 }, push);
    const fine = await anOrder(org);
    await execute("orders.export", { orderIds: [orderId, fine] });
    const retries = await workUntil(
      () => invocationsOf(org, made.id),
      (found) => found.length === 3,
    );
    expect(retries.map(({ order_count }: { order_count: number }) => order_count)).toEqual([1, 1, 1]);
    expect(retries[0].cause.automation_path).toEqual([made.id, made.id, made.id]);
    const failed = async () =>
      (await org.get("/tasks/executions?status=failed&limit=100")).body.data.filter(
        ({ trigger: by }: { trigger: string }) => by === "operation",
      );
    await workUntil(failed, (all) => all.length === 3);
    await work();
    expect(await invocationsOf(org, made.id)).toHaveLength(3);
    // The next failure of the same order, which the automation did not cause.
    await execute("orders.export", { orderIds: [orderId], forceResend: true });
    await work();
    expect(await invocationsOf(org, made.id)).toHaveLength(3);
    expect(floor.sent).not.toContain(number);
  });

  test("without max_per_object, the failure of its own retry does not trigger the automation", async () => {
    const { org, orderId, push, execute } = await aRefusal();
    const made = await automate(org, { trigger: { types: ["task_execution.*"], orders: "failed" } }, push);
    await execute("orders.export", { orderIds: [orderId] });
    await workUntil(
      async () => (await org.get("/tasks/executions?status=failed")).body.data,
      (all) => all.length === 2,
    );
    await work();
    const runs = (await invocationsOf(org, made.id)).filter(({ run }: { run: object | null }) => run !== null);
    expect(runs).toHaveLength(1);
  });
});

test("an automation with max_per_object that creates orders ends with the orders it created", async () => {
  const org = await hub.org();
  const made = await automate(org, { max_per_object: 2 }, { type: "duplicate", params: {} });
  await anOrder(org);
  await work();
  // The order, its duplicate, and the duplicate of that.
  expect((await org.get("/orders")).body.data).toHaveLength(3);
  expect(await invocationsOf(org, made.id)).toHaveLength(2);
});

describe("a task instead of a pipeline", () => {
  test("is queued once for each event, filled in from it, and limited for its bridge and task", async () => {
    const org = await hub.org();
    const bridgeId = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
    const made = await automate(org, {
      trigger: { types: ["task_execution.failed"], event: { path: "data.bridgeId", op: "eq", value: bridgeId } },
      task: { task_name: "fail", input: { message: "again after {{data.taskName}} {{objectId}}" } },
      max_per_object: 2,
    });
    expect(made).toMatchObject({
      pipeline_id: null,
      branches: null,
      task: { task_name: "fail" },
      blocked_reason: null,
    });
    const fail = { bridgeId, taskName: "fail", input: { message: "closed" }, maxAttempts: 1 };
    const { id } = (await org.post("/tasks/execute", fail)).body;
    const invocations = await workUntil(
      () => invocationsOf(org, made.id),
      (all) => all.length === 2,
    );
    expect(invocations).toMatchObject([
      { kind: "task", run: null, order_count: 1, execution_ids: [expect.any(String)] },
      { kind: "task" },
    ]);
    const first = (await org.get(`/tasks/executions/${invocations[1].execution_ids[0]}`)).body;
    expect(first).toMatchObject({ trigger: "operation", input: { message: `again after fail ${id}` } });
    await workUntil(
      async () => (await org.get("/tasks/executions?status=failed")).body.data,
      (all) => all.length === 3,
    );
    await work();
    expect(await invocationsOf(org, made.id)).toHaveLength(2);
    const tested = (await org.post(`/automations/${made.id}/test`)).body;
    expect(tested).toMatchObject({ events: 1, matched: 1, verdict: "ready", orders: [] });
  });

  test("counts what the bridge rejects, and queues nothing in preflight mode", async () => {
    const org = await hub.org();
    const bridge_id = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
    const trigger = { types: ["order.created"] };
    const wrong = { bridge_id, task_name: "sleep", input: { seconds: "{{data.number}}" } };
    const rejected = await automate(org, { trigger, task: wrong });
    const careful = await automate(org, { trigger, task: { bridge_id, task_name: "noop" }, mode: "preflight" });
    await anOrder(org, { number: `N-${crypto.randomUUID()}` });
    await work();
    expect(await invocationsOf(org, rejected.id)).toMatchObject([
      { kind: "task", execution_ids: [], errors_by_code: { validation_failed: 1 } },
    ]);
    expect(await invocationsOf(org, careful.id)).toMatchObject([{ kind: "preflight", execution_ids: [] }]);
    expect((await org.get("/tasks/executions")).body.data).toEqual([]);
  });
});

describe("shipments, labels and runs", () => {
  test("the status of a shipment runs the pipeline on its order", async () => {
    const org = await hub.org();
    const trigger = {
      types: ["shipment.status_changed"],
      event: { path: "data.status", op: "in", value: ["exception", "delivered"] },
    };
    const made = await automate(org, { trigger }, tag("arrived"));
    const [one, other] = [await anOrder(org), await anOrder(org)];
    for (const orderId of [one, other]) {
      const trackingNumber = `T-${crypto.randomUUID()}`;
      const shipment = (await org.post("/shipments", { orderId, carrier: "Own van", trackingNumber })).body;
      const status = orderId === one ? "delivered" : "in_transit";
      const event = { status, at: new Date().toISOString() };
      const added = await org.post(`/shipments/${shipment.id}/events`, event);
      expect(added.status, added.text).toBeLessThan(300);
    }
    await work();
    expect(await tagsOf(org, one)).toEqual(["arrived"]);
    expect(await tagsOf(org, other)).toEqual([]);
    expect((await org.post(`/automations/${made.id}/test`)).body).toMatchObject({ events: 2, matched: 1 });
  });

  test("a rejected label does not make the automation that requested it buy another one", async () => {
    const org = await hub.org();
    const settings = { refuseLabels: true };
    const account = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo", settings })).body;
    const locationId = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id;
    const params = { carrier_account_id: account.id, service: "NAT_GROUND" };
    const buyer = await automate(
      org,
      { trigger: { types: ["order.created", "label.failed", "exception.opened"] } },
      { type: "buy_label", params },
    );
    const noticed = await automate(org, { trigger: { types: ["label.failed"] } }, tag("no-label"));
    const lines = [{ sku: "MUG", quantity: 1, weight: { value: 300, unit: "g" } }];
    const id = await anOrder(org, { shippingAddress: aParcel.to, lines, locationId });
    for (let nth = 0; nth < 3; nth++) {
      await work();
      await workOff(hub.world, labelWork);
      await applyLabelResults(hub.world, new AbortController().signal);
    }
    expect(await invocationsOf(org, buyer.id)).toMatchObject([{ kind: "run", run: { status: "failed" } }]);
    expect((await org.get("/shipments/labels")).body.data).toMatchObject([{ status: "failed" }]);
    expect(await tagsOf(org, id)).toEqual(["no-label"]);
    expect(await invocationsOf(org, noticed.id)).toMatchObject([
      { cause: { depth: 2, automation_path: [buyer.id, noticed.id] } },
    ]);
  });

  test("a run that partly failed runs the pipeline on its failed orders only", async () => {
    const org = await hub.org();
    const trigger = { types: ["operation_run.partially_failed"], orders: "failed" };
    const made = await automate(org, { trigger }, tag("look-at-it"));
    const [ready, draft] = [await anOrder(org), await anOrder(org, { status: "draft" })];
    const actions = [{ type: "mark_shipped", params: {} }];
    await org.post("/operations/run", { order_ids: [ready, draft], actions });
    await work();
    expect([await tagsOf(org, ready), await tagsOf(org, draft)]).toEqual([[], ["look-at-it"]]);
    const all = await automate(org, { trigger: { types: ["operation_run.*"] } }, tag("all"));
    await org.post("/operations/run", { order_ids: [ready, draft], actions: [tag("x")] });
    await work();
    // Its own run is an event of the same type.
    expect(await invocationsOf(org, all.id)).toHaveLength(1);
    expect(await tagsOf(org, ready)).toContain("all");
    expect(await invocationsOf(org, made.id)).toHaveLength(1);
  });
});

test("a pickup runs the pipeline on the orders of its labels", async () => {
  const org = await hub.org();
  const dock = { ...aParcel.from, phone: "+1 973 555 0100" };
  const made = await automate(org, { trigger: { types: ["pickup.scheduled"] } }, tag("collected-today"));
  hub.world.clock.set({ mode: "frozen", at: "2026-03-02T15:00:00.000Z" });
  try {
    const carrierAccountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
    const locationId = (await org.post("/locations", { name: "Dock", address: dock })).body.id;
    const lines = [{ sku: "MUG", quantity: 1, weight: { value: 300, unit: "g" } }];
    const order = { shippingAddress: aParcel.to, lines, locationId };
    const [one, other] = [await anOrder(org, order), await anOrder(org, order)];
    const label = { carrierAccountId, service: "NAT_GROUND", orderId: one, shipDate: "2026-03-04" };
    const bought = await org.post("/shipments/labels", label);
    expect(bought.status, bought.text).toBe(201);
    const times = { pickupDate: "2026-03-04", readyTime: "13:00", closeTime: "17:00" };
    const pickup = { carrierAccountId, pickupAddress: dock, fromLabels: true, ...times };
    const booked = await org.post("/pickups", pickup);
    expect(booked.status, booked.text).toBe(201);
    await work();
    expect([await tagsOf(org, one), await tagsOf(org, other)]).toEqual([["collected-today"], []]);
    expect(await invocationsOf(org, made.id)).toHaveLength(1);
  } finally {
    hub.world.clock.set({ mode: "real" });
  }
});

describe("a rejected trigger", () => {
  test("gets an error with the field and the allowed values", async () => {
    const org = await hub.org();
    const pipeline_id = await pipelineOf(org, tag("x"));
    const bridge_id = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
    const refused = async (more: object) => {
      const about = { name: "Refused", trigger: { types: ["order.created"] } };
      const way = "task" in more ? {} : { pipeline_id };
      const { status, body } = await org.post("/automations", { ...about, ...way, ...more });
      expect(status, JSON.stringify(more)).toBe(400);
      return body.errors[0];
    };
    const on = (type: string, event: object) => ({ trigger: { types: [type], event } });
    expect(await refused(on("label.failed", { path: "data.carier", op: "eq", value: "ups" }))).toMatchObject({
      pointer: "/trigger/event/path",
      code: "unknown_field",
      suggestion: "data.carrier",
    });
    expect(await refused(on("label.failed", { path: "data.cost", op: "gt", value: "much" }))).toMatchObject({
      pointer: "/trigger/event/value",
    });
    expect(await refused({ trigger: { types: ["bridge.created"] } })).toMatchObject({ code: "not_about_orders" });
    expect(await refused({ trigger: { types: ["order.created"], orders: "failed" } })).toMatchObject({
      pointer: "/trigger/orders",
      code: "runs_required",
    });
    const cron = { cron: "@daily", filter: {} };
    expect(await refused({ trigger: { ...cron, orders: "all" } })).toMatchObject({ code: "types_required" });
    expect(await refused({ trigger: cron, wait: { until: "1h" } })).toMatchObject({ pointer: "/wait" });
    const task = { bridge_id, task_name: "noop" };
    expect(await refused({ task, pipeline_id })).toMatchObject({ code: "one_of" });
    expect(await refused({ task: { ...task, task_name: "nop" } })).toMatchObject({
      pointer: "/task/task_name",
      code: "unknown_task",
      suggestion: "noop",
    });
    expect(await refused({ task: { ...task, bridge_id: crypto.randomUUID() } })).toMatchObject({
      pointer: "/task/bridge_id",
    });
    expect(await refused({ task: { task_name: "noop" } })).toMatchObject({
      pointer: "/task/bridge_id",
      code: "required",
    });
    expect(await refused({ task: { ...task, input: { x: "{{data.nmber}}" } } })).toMatchObject({
      pointer: "/task/input/x",
      code: "unknown_field",
      suggestion: "data.number",
    });
    const when = { path: "total", op: "gt", value: 1 };
    expect(await refused({ task, when })).toMatchObject({ pointer: "/when", code: "not_with_task" });
    expect(await refused({ task, stop_further_rules: true })).toMatchObject({ pointer: "/stop_further_rules" });
    const way = { pipeline_id: undefined };
    expect(await refused(way)).toMatchObject({ pointer: "/pipeline_id", code: "required" });
    const foreign = await hub.org();
    const theirs = (await foreign.post("/bridges", { name: "Theirs", connector: "demo" })).body.id;
    expect(await refused({ task: { ...task, bridge_id: theirs } })).toMatchObject({ pointer: "/task/bridge_id" });
  });

  test("its owner must be able to read the events, and to run the task", async () => {
    const org = await hub.org();
    const pipeline_id = await pipelineOf(org, tag("x"));
    const bridge_id = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
    const narrow = await org.withScopes(["automations:write", "operations:read", "orders:read"]);
    const about = { name: "By a narrow key", trigger: { types: ["exception.opened"] } };
    expect((await narrow.post("/automations", { ...about, pipeline_id })).body).toMatchObject({
      status: 403,
      required: ["exceptions:read"],
    });
    const reader = await org.withScopes(["automations:write", "exceptions:read"]);
    const task = { bridge_id, task_name: "noop" };
    expect((await reader.post("/automations", { ...about, task, mode: "run" })).body).toMatchObject({
      status: 403,
      required: ["tasks:execute"],
    });
    expect((await reader.post("/automations", { ...about, task })).status).toBe(201);
  });
});
