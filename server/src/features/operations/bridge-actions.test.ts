import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

let hub: TestHub;
let org: TestOrg;
let bridge_id: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  bridge_id = (await org.post("/bridges", { name: "Partner", connector: "demo" })).body.id;
});

const aReadyOrder = async (more: object = {}) =>
  (await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 1 }], ...more })).body;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const run = async (order_ids: string[], type: string, params: object) =>
  (await org.post("/operations/run", { order_ids, actions: [{ type, params }] })).body;
const ended = (id: string) =>
  eventually(
    async () => (await org.get(`/tasks/executions/${id}`)).body,
    ({ finishedAt }) => finishedAt !== null,
  );

test("the catalog lists these actions if the organization has a bridge, or a carrier account where one is needed", async () => {
  const typesOf = async (who: TestOrg) =>
    (await who.get("/operations/actions")).body.data
      .filter((action: { available: boolean }) => !action.available)
      .map((action: { type: string }) => action.type);
  expect(await typesOf(org)).toEqual(["choose_rate", "buy_label", "create_return", "send_email", "notify"]);
  await org.post("/carrier-accounts", { name: "On paper", carrier: "rate-card" });
  expect(await typesOf(org)).toEqual(["buy_label", "create_return", "send_email", "notify"]);
  await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  expect(await typesOf(org)).toEqual(["send_email", "notify"]);
  expect((await typesOf(await hub.org())).toSorted()).toEqual([
    "buy_label",
    "choose_rate",
    "create_return",
    "notify",
    "recall_fulfillment",
    "run_task",
    "send_email",
    "send_to_fulfillment",
    "set_field_from_request",
    "update_source",
  ]);
});

describe("send_to_fulfillment", () => {
  test("sends all orders in one execution, which the steps name", async () => {
    const orders = await Promise.all([aReadyOrder(), aReadyOrder()]);
    const ids = orders.map(({ id }) => id);
    const done = await run(ids, "send_to_fulfillment", { bridge_id });
    expect(done).toMatchObject({ status: "succeeded", summary: { succeeded: 2 } });
    const steps = done.results.map((result: { steps: object[] }) => result.steps[0]);
    expect(steps[0]).toMatchObject({ status: "applied" });
    expect(new Set(steps.map((step: { execution_id: string }) => step.execution_id)).size).toBe(1);
    const execution = await ended(steps[0].execution_id);
    expect(execution).toMatchObject({ status: "succeeded", trigger: "operation", runId: done.id });
    expect(execution.result.summary).toMatchObject({ sent: 2 });
    for (const path of [`/operations/runs/${done.id}`, `/operations/runs/${done.id}/results`]) {
      const { results, data = results } = (await org.get(path)).body;
      expect(data[0].steps[0]).toMatchObject({ status: "applied", execution_status: "succeeded" });
      expect(data[0].steps[0]).not.toHaveProperty("warning");
    }
    expect((await read(ids[0])).status).toBe("sent");
    expect((await run(ids, "send_to_fulfillment", { bridge_id })).summary).toMatchObject({ no_change: 2 });
  });

  test("an order that the partner does not receive is ready again, on hold with the reason, and can be released", async () => {
    // The partner is closed before its task begins.
    const paused = await startTestHub({ taskSlots: 0 });
    const there = await paused.org();
    const closed = (await there.post("/bridges", { name: "Gone", connector: "demo" })).body;
    const order = (await there.post("/orders", { status: "ready" })).body;
    const action = { type: "send_to_fulfillment", params: { bridge_id: closed.id } };
    const sent = (await there.post("/operations/run", { order_ids: [order.id], actions: [action] })).body;
    const stepOf = ({ results }: { results: { steps: object[] }[] }) => results[0]!.steps[0];
    expect(stepOf(sent)).toMatchObject({ execution_status: "queued", warning: { code: "pending" } });
    expect((await there.get(`/orders/${order.id}`)).body.status).toBe("sent");
    await there.patch(`/bridges/${closed.id}`, { isActive: false });
    const worker = await paused.secondNode({ taskSlots: 2 });
    const back = await eventually(
      async () => (await there.get(`/orders/${order.id}`)).body,
      ({ status }) => status === "ready",
    );
    expect(back).toMatchObject({ onHold: true, holds: [{ handle: "fulfillment", source: "system" }] });
    const told = stepOf((await there.get(`/operations/runs/${sent.id}`)).body);
    expect(told).toMatchObject({ status: "applied", execution_status: "failed", warning: { code: "task_failed" } });
    const release = { type: "release_hold", params: { handles: ["fulfillment"] } };
    const released = await there.post("/operations/run", { order_ids: [order.id], actions: [release] });
    expect(released.body.status).toBe("succeeded");
    await worker.stop();
  });

  test("a retry by order numbers updates the orders as well", async () => {
    const paused = await startTestHub({ taskSlots: 0 });
    const there = await paused.org();
    const partner = (await there.post("/bridges", { name: "Partner", connector: "demo" })).body;
    const order = (await there.post("/orders", { status: "ready" })).body;
    const status = async () => (await there.get(`/orders/${order.id}`)).body.status;
    const action = { type: "send_to_fulfillment", params: { bridge_id: partner.id } };
    const { id, results } = (await there.post("/operations/run", { order_ids: [order.id], actions: [action] })).body;
    const step = async () => (await there.get(`/operations/runs/${id}`)).body.results[0].steps[0];
    const first = results[0].steps[0].execution_id;
    expect((await there.post(`/tasks/executions/${first}/cancel`)).status).toBe(200);
    expect(await status()).toBe("ready");
    expect(await step()).toMatchObject({ execution_status: "cancelled", warning: { code: "task_cancelled" } });
    const retry = async (ref: string) =>
      (await there.post(`/tasks/executions/${first}/retry`, { input: { orderIds: [ref] } })).body.id;
    expect((await there.post(`/tasks/executions/${await retry(order.number)}/cancel`)).status).toBe(200);
    const last = await retry(order.id.toUpperCase());
    const worker = await paused.secondNode({ taskSlots: 2 });
    await eventually(
      async () => (await there.get(`/tasks/executions/${last}`)).body,
      (execution) => execution.status === "succeeded",
    );
    expect(await status()).toBe("sent");
    expect(await step()).toMatchObject({ execution_id: first, execution_status: "succeeded" });
    expect(await step()).not.toHaveProperty("warning");
    await worker.stop();
  });

  test("is rejected without a partner, or if the bridge lacks the task; preflight reports the same and queues nothing", async () => {
    const { id } = await aReadyOrder();
    const actions = [{ type: "send_to_fulfillment", params: {} }];
    const before = (await org.get("/tasks/executions?limit=1")).body.pagination.total;
    const check = await org.post("/operations/preflight", { order_ids: [id], actions });
    expect(check.body.orders[0].steps[0]).toMatchObject({
      verdict: "blocked",
      error: { code: "no_fulfillment_bridge" },
    });
    const fine = [{ type: "send_to_fulfillment", params: { bridge_id } }];
    expect((await org.post("/operations/preflight", { order_ids: [id], actions: fine })).body.verdict).toBe("ready");
    expect((await read(id)).status).toBe("ready");
    const unknown = await org.post("/operations/run", {
      order_ids: [id],
      actions: [{ type: "send_to_fulfillment", params: { bridge_id: id } }],
    });
    expect([unknown.status, unknown.body.errors[0].code]).toEqual([400, "bridge_not_found"]);
    expect((await org.get("/tasks/executions?limit=1")).body.pagination.total).toBe(before);
  });

  test("a bridge that is deleted during the run fails the orders, not the request", async () => {
    const gone = (await org.post("/bridges", { name: "Soon gone", connector: "demo" })).body.id;
    const { id } = await aReadyOrder();
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = hub.world.db.transaction(async (tx) => {
      await tx.query("select from orders where id = $1 for update", [id]);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const running = run([id], "send_to_fulfillment", { bridge_id: gone });
    await lockWaits(hub.world.db, { lock: "transactionid" });
    expect((await org.delete(`/bridges/${gone}?force=true`)).status).toBe(200);
    release.resolve();
    await holding;
    expect(await running).toMatchObject({ status: "failed", results: [{ error: { code: "conflict" } }] });
    expect((await read(id)).status).toBe("ready");
  });

  test("uses the bridge of the order's location", async () => {
    const { changes } = (await org.post(`/locations/sync/${bridge_id}`)).body;
    const order = await aReadyOrder({ locationId: changes[0].location_id });
    expect(await run([order.id], "send_to_fulfillment", {})).toMatchObject({ status: "succeeded" });
  });

  test("cannot be undone, which the undo reports", async () => {
    const { id } = await aReadyOrder();
    const done = await run([id], "send_to_fulfillment", { bridge_id });
    const undo = await org.post(`/operations/runs/${done.id}/undo`);
    expect(undo.body.results[0].steps[0]).toMatchObject({ status: "undo_failed", error: { code: "irreversible" } });
    expect((await read(id)).status).toBe("sent");
  });
});

test("recall_fulfillment keeps the order sent until the partner agrees", async () => {
  const { id } = await aReadyOrder();
  await run([id], "send_to_fulfillment", { bridge_id });
  const recall = await run([id], "recall_fulfillment", { bridge_id, reason: "Wrong address" });
  expect(recall.results[0].steps[0]).toMatchObject({ status: "applied", execution_id: expect.any(String) });
  await ended(recall.results[0].steps[0].execution_id);
  expect((await read(id)).status).toBe("ready");
  const { data } = (await org.get(`/orders/${id}/timeline`)).body;
  expect(data[0]).toMatchObject({ kind: "fulfillment", changes: [{ path: "/status", from: "sent", to: "ready" }] });
});

describe("run_task", () => {
  test("runs a task that takes no orders once for each, with the order filled in", async () => {
    const orders = await Promise.all([aReadyOrder(), aReadyOrder()]);
    const input = { number: "{{number}}", text: "for {{number}}", lines: "{{lines}}" };
    const done = await run(
      orders.map(({ id }) => id),
      "run_task",
      { bridge_id, task_name: "noop", input },
    );
    const executions = await Promise.all(
      done.results.map((result: { steps: { execution_id: string }[] }) => ended(result.steps[0]!.execution_id)),
    );
    expect(executions.map(({ result }) => result.number).toSorted()).toEqual(
      orders.map(({ number }) => number).toSorted(),
    );
    expect(executions[0].result.text).toBe(`for ${executions[0].result.number}`);
    expect(executions[0].result.lines).toHaveLength(1);
  });

  test("is rejected per order when the bridge lacks the task or the input is invalid", async () => {
    const { id } = await aReadyOrder();
    const missing = await run([id], "run_task", { bridge_id, task_name: "no.such" });
    expect(missing.results[0].steps[0].error).toMatchObject({ code: "unknown_task" });
    const wrong = await run([id], "run_task", { bridge_id, task_name: "sleep", input: { ms: "{{number}}" } });
    expect(wrong.results[0].steps[0].error).toMatchObject({ code: "invalid_input" });
  });

  test("needs tasks:execute", async () => {
    const { id } = await aReadyOrder();
    const clerk = await org.withScopes(["operations:run", "operations:read", "orders:read"]);
    const actions = [{ type: "run_task", params: { bridge_id, task_name: "noop" } }];
    expect((await clerk.post("/operations/run", { order_ids: [id], actions })).body.code).toBe("insufficient_scope");
  });
});
