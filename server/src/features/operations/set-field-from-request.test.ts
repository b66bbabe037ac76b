import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let bridge_id: string;
/** What the other system answers, by order number, and what it was asked. */
let answers: Record<string, { status?: number; body: unknown }> = {};
let asked: string[] = [];
let [now, most] = [0, 0];

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  const server = createServer((request, response) => {
    const number = new URL(request.url!, "http://x").searchParams.get("number") ?? "";
    asked.push(`${request.method} ${number}`);
    most = Math.max(most, ++now);
    setImmediate(() => {
      now--;
      const { status = 200, body } = answers[number] ?? { body: { data: { score: 7 } } };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  afterFile(() => server.close());
  const request = { path: "/score", query: { number: "{{input.number}}" } };
  const settings = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    auth: { kind: "none" },
    tasks: [
      { name: "risk.score", mode: "call", request },
      { name: "risk.begin", mode: "call", request: { ...request, method: "POST" } },
    ],
  };
  const made = await org.post("/bridges", { name: "Scores", connector: "rest", settings, concurrency: 3 });
  expect(made.text).toContain('"id"');
  bridge_id = made.body.id;
});

beforeEach(() => {
  [answers, asked, most] = [{}, [], 0];
});

const anOrder = async (more: object = {}) => (await org.post("/orders", { status: "ready", ...more })).body;
const action = (params: object = {}) => ({
  type: "set_field_from_request",
  params: {
    bridge_id,
    task_name: "risk.score",
    input: { number: "{{number}}" },
    path: "data.score",
    field: "customFields.score",
    ...params,
  },
});
const run = async (order_ids: string[], params: object = {}) =>
  (await org.post("/operations/run", { order_ids, actions: [action(params)] })).body;
const errorOf = async (id: string, params: object = {}) => (await run([id], params)).results[0].steps[0].error;

test("the preflight shows the value, the run sets it, and the undo takes it back", async () => {
  const order = await anOrder({ customFields: { other: "x" } });
  answers[order.number] = { body: { data: { score: 42 } } };
  const check = (await org.post("/operations/preflight", { order_ids: [order.id], actions: [action()] })).body;
  expect(check.orders[0].steps[0].changes).toMatchObject([{ to: { other: "x", score: 42 } }]);
  expect((await org.get(`/orders/${order.id}`)).body.customFields).toEqual({ other: "x" });
  const done = await run([order.id]);
  expect((await org.get(`/orders/${order.id}`)).body.customFields).toEqual({ other: "x", score: 42 });
  expect((await run([order.id])).summary).toMatchObject({ no_change: 1 });
  await org.post(`/operations/runs/${done.id}/undo`, {});
  expect((await org.get(`/orders/${order.id}`)).body.customFields).toEqual({ other: "x" });
});

test("other fields take what is valid for them, and nothing else", async () => {
  const order = await anOrder();
  answers[order.number] = { body: { level: "urgent", list: [1], long: "x".repeat(2_000), none: null } };
  await run([order.id], { path: "level", field: "priority" });
  expect((await org.get(`/orders/${order.id}`)).body.priority).toBe("urgent");
  expect(await errorOf(order.id, { path: "list", field: "priority" })).toMatchObject({ code: "answer_not_valid" });
  expect(await errorOf(order.id, { path: "list" })).toMatchObject({ code: "answer_not_valid" });
  expect(await errorOf(order.id, { path: "long" })).toMatchObject({ code: "answer_not_valid" });
  for (const path of ["none", "missing.at.all", "level.constructor"])
    expect(await errorOf(order.id, { path })).toMatchObject({ code: "answer_without_value" });
  expect((await run([order.id], { path: "none", if_missing: "keep" })).summary).toMatchObject({ no_change: 1 });
});

test("a failed request fails its order with the reason, and the others go on", async () => {
  const [good, bad] = [await anOrder(), await anOrder()];
  answers[bad.number] = { status: 422, body: { message: "Ada Byron is unknown" } };
  const done = await run([good.id, bad.id]);
  expect(done.summary).toMatchObject({ succeeded: 1, failed: 1 });
  const failed = done.results.find(({ order_id: id }: { order_id: string }) => id === bad.id);
  expect(failed.steps[0].error).toMatchObject({ code: "rejected" });
  // What the other side said may be personal data.
  expect(JSON.stringify(done)).not.toContain("Ada Byron");
});

test("many orders are asked for a few at a time, and equal inputs once", async () => {
  const orders = await Promise.all(Array.from({ length: 12 }, () => anOrder()));
  const ids = orders.map(({ id }) => id);
  expect((await run(ids)).summary).toMatchObject({ succeeded: 12 });
  expect(asked).toHaveLength(12);
  expect(most).toBeLessThanOrEqual(3);
  asked = [];
  await run(ids, { input: { number: "same" }, field: "customFields.same" });
  expect(asked).toEqual(["GET same"]);
});

test("a task that changes something is not called, in the preflight or in the run", async () => {
  const order = await anOrder();
  expect(await errorOf(order.id, { task_name: "risk.begin" })).toMatchObject({ code: "task_not_repeatable" });
  expect(asked).toEqual([]);
  expect(await errorOf(order.id, { task_name: "risk.other" })).toMatchObject({ code: "unknown_task" });
});

test("a caller needs tasks:execute, and no bridge of another organization is called", async () => {
  const order = await anOrder();
  const viewer = await org.withScopes(["operations:read", "orders:read"]);
  const body = { order_ids: [order.id], actions: [action()] };
  expect((await viewer.post("/operations/preflight", body)).status).toBe(403);
  const rival = await hub.org();
  const own = (await rival.post("/orders", { status: "ready" })).body;
  const refused = await rival.post("/operations/preflight", { ...body, order_ids: [own.id] });
  expect(refused.body.errors[0].code).toBe("bridge_not_found");
  expect(asked).toEqual([]);
});

test.each([
  [{ field: "status" }, "/field"],
  [{ field: "customFields.__proto__" }, "/field"],
  [{ path: "data..score" }, "/path"],
  [{ path: "items.*.id" }, "/path"],
  [{ input: { at: "{{$now()}}" } }, "/input"],
])("%j is refused", async (params, pointer) => {
  const refused = await run([(await anOrder()).id], params);
  expect(refused.errors[0].pointer).toBe(`/actions/0/params${pointer}`);
});
