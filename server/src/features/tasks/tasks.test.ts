import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
});

async function ended(id: string) {
  const ask = async () => (await org.get(`/tasks/executions/${id}`)).body;
  return await eventually(ask, ({ status }) => status !== "queued" && status !== "running");
}

describe("executing a task", () => {
  test("returns 202 with the queued execution, which runs once and stores its result", async () => {
    const queued = await org.post("/tasks/execute", { bridgeId, taskName: "noop", input: { hello: "world" } });
    expect(queued.status).toBe(202);
    expect(queued.body).toMatchObject({ bridgeId, taskName: "noop", status: "queued", result: null, error: null });
    const done = await ended(queued.body.id);
    expect(done).toMatchObject({
      status: "succeeded",
      result: { hello: "world" },
      attempt: 1,
      attempts: [{ number: 1, status: "succeeded", error: null }],
    });
    expect(done.durationMs).toBeGreaterThanOrEqual(0);
  });

  test("execute-sync returns 200 with the finished record, also if the task failed", async () => {
    const good = await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { n: 1 } });
    expect([good.status, good.body.status, good.body.result]).toEqual([200, "succeeded", { n: 1 }]);
    const bad = await org.post("/tasks/execute-sync", { bridgeId, taskName: "fail", input: { message: "no stock" } });
    expect([bad.status, bad.body.status]).toEqual([200, "failed"]);
    expect(bad.body.error).toMatchObject({ message: expect.stringContaining("no stock"), retryable: false });
  });

  test("the same Idempotency-Key creates one execution", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = { bridgeId, taskName: "noop", input: { once: true } };
    const answers = await Promise.all([1, 2, 3].map(() => org.post("/tasks/execute", body, { headers })));
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body: { id } }) => id));
    expect(ids.size).toBe(1);
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
  });

  test("a repeated execute-sync during the execution gets 202 with the same execution", async () => {
    const options = { headers: { "idempotency-key": randomUUID() } };
    const request = { bridgeId, taskName: "sleep", input: { ms: 1_500 } };
    const first = org.post("/tasks/execute-sync", request, options);
    const open = async () => (await org.get("/tasks/executions?taskName=sleep&status=queued,running")).body.data;
    await eventually(open, (found) => found.length > 0);
    const repeated = await org.post("/tasks/execute-sync", request, options);
    expect([repeated.status, repeated.body.finishedAt]).toEqual([202, null]);
    const { status, body } = await first;
    expect([status, body.status, body.id]).toEqual([200, "succeeded", repeated.body.id]);
    const replayed = await org.post("/tasks/execute-sync", request, options);
    expect([replayed.status, replayed.body]).toEqual([200, body]);
  });

  test("mistakes are reported before anything is queued", async () => {
    const { pagination } = (await org.get("/tasks/executions?limit=1")).body;
    const unknown = await org.post("/tasks/execute", { bridgeId: randomUUID(), taskName: "noop" });
    expect([unknown.status, unknown.body.code]).toEqual([404, "bridge_not_found"]);
    const task = await org.post("/tasks/execute", { bridgeId, taskName: "orders.imprt" });
    expect(task.status).toBe(400);
    expect(task.body.errors[0]).toMatchObject({
      pointer: "/taskName",
      code: "unknown_task",
      suggestion: "orders.import",
      allowed: expect.arrayContaining(["noop"]),
    });
    const input = await org.post("/tasks/execute", { bridgeId, taskName: "sleep", input: { ms: "long" } });
    expect([input.status, input.body.errors[0].pointer]).toEqual([400, "/input/ms"]);
    const sleeper = (await org.post("/bridges", { name: "Closed", connector: "demo", isActive: false })).body;
    const inactive = await org.post("/tasks/execute", { bridgeId: sleeper.id, taskName: "noop" });
    expect([inactive.status, inactive.body.code]).toEqual([409, "bridge_inactive"]);
    expect((await org.get("/tasks/executions?limit=1")).body.pagination.total).toBe(pagination.total);
  });

  test("a temporary error is retried, with each attempt recorded; other errors are not", async () => {
    const request = { bridgeId, taskName: "fail", maxAttempts: 2, retryDelaySeconds: 1 };
    const again = await org.post("/tasks/execute", { ...request, input: { retryable: true } });
    const never = await org.post("/tasks/execute", { ...request, input: { retryable: false } });
    expect(await ended(never.body.id)).toMatchObject({ status: "failed", attempt: 1 });
    const done = await ended(again.body.id);
    expect(done).toMatchObject({ status: "failed", attempt: 2 });
    expect(done.attempts.map((attempt: { status: string }) => attempt.status)).toEqual(["failed", "failed"]);
  });

  test("a task that takes too long is ended", async () => {
    const slow = { bridgeId, taskName: "sleep", input: { ms: 60_000 }, timeoutSeconds: 1, maxAttempts: 1 };
    const { id } = (await org.post("/tasks/execute", slow)).body;
    expect(await ended(id)).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
  });

  test("the output of an outbound transformation must match the input of the task", async () => {
    const shop = (await org.post("/bridges", { name: "Mapped", connector: "demo" })).body;
    const task = { bridgeId: shop.id, taskName: "sleep" };
    const mappings = [{ value: "a while", target: "ms" }];
    await org.post("/transformations", { ...task, name: "Wrong", direction: "outbound", mappings });
    const { body } = await org.post("/tasks/execute-sync", { ...task, input: { ms: 1 } });
    expect(body).toMatchObject({
      status: "failed",
      transformedInput: { ms: "a while" },
      error: { code: "transformation_failed", retryable: false, errors: [{ pointer: "/input/ms", code: "type" }] },
    });
  });

  test("an execution that did not start in time expires", async () => {
    const late = { bridgeId, taskName: "noop", delaySeconds: 3_600, ttlSeconds: 1 };
    const { id } = (await org.post("/tasks/execute", late)).body;
    hub.advance(2_000);
    expect(await ended(id)).toMatchObject({ status: "expired", attempts: [] });
  });
});

describe("cancelling", () => {
  test("a queued execution never starts, a running one stops, an ended one is rejected", async () => {
    const waiting = await org.post("/tasks/execute", { bridgeId, taskName: "noop", delaySeconds: 3_600 });
    const cancelled = await org.post(`/tasks/executions/${waiting.body.id}/cancel`);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"]);
    expect((await org.post(`/tasks/executions/${waiting.body.id}/cancel`)).status).toBe(200);

    const { id } = (await org.post("/tasks/execute", { bridgeId, taskName: "sleep", input: { ms: 60_000 } })).body;
    const running = async () => (await org.get(`/tasks/executions/${id}`)).body;
    await eventually(running, ({ status }) => status === "running");
    const stopped = await org.post(`/tasks/executions/${id}/cancel`);
    expect(stopped.body).toMatchObject({ status: "cancelled", attempts: [{ number: 1, status: "cancelled" }] });

    const done = await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop" });
    const late = await org.post(`/tasks/executions/${done.body.id}/cancel`);
    expect([late.status, late.body.code]).toEqual([409, "execution_not_cancellable"]);
  });

  test("reaches a task that runs on another node", async () => {
    const quiet = await startTestHub({ taskSlots: 0 });
    const node = await quiet.secondNode({ taskSlots: 1 });
    const here = await quiet.org();
    const bridge = (await here.post("/bridges", { name: "Shop", connector: "demo" })).body;
    const slow = { bridgeId: bridge.id, taskName: "sleep", input: { ms: 60_000 } };
    const { id } = (await here.post("/tasks/execute", slow)).body;
    const look = async () => (await here.get(`/tasks/executions/${id}`)).body;
    await eventually(look, ({ status }) => status === "running");
    await here.post(`/tasks/executions/${id}/cancel`);
    // The one slot over there is free again: the next task runs.
    const next = await here.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "noop" });
    expect(next.body.status).toBe("succeeded");
    expect((await look()).status).toBe("cancelled");
    await node.stop();
  });
});

describe("retrying", () => {
  test("creates a new execution that refers to the first", async () => {
    const failed = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "fail" })).body;
    const retry = await org.post(`/tasks/executions/${failed.id}/retry`);
    expect(retry.status).toBe(202);
    expect(retry.body).toMatchObject({ retryOf: failed.id, trigger: "retry", status: "queued" });
    await ended(retry.body.id);
    expect((await org.get(`/tasks/executions/${failed.id}`)).body.retriedBy).toEqual([retry.body.id]);
  });

  test("keeps the number of attempts and the delay between them", async () => {
    const request = {
      bridgeId,
      taskName: "fail",
      input: { retryable: true },
      maxAttempts: 2,
      retryDelaySeconds: 3_600,
    };
    let { id } = (await org.post("/tasks/execute", request)).body;
    for (const isRetry of [false, true]) {
      if (isRetry) ({ id } = (await org.post(`/tasks/executions/${id}/retry`)).body);
      const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
      const waiting = await eventually(look, ({ nextAttemptAt }) => nextAttemptAt !== null);
      expect(waiting).toMatchObject({ attempt: 1, maxAttempts: 2 });
      expect(Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.startedAt)).toBeGreaterThan(1_000_000);
      await org.post(`/tasks/executions/${id}/cancel`);
    }
  });

  test("is rejected for succeeded and running executions, and while a retry runs", async () => {
    const done = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop" })).body;
    const refused = await org.post(`/tasks/executions/${done.id}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, "execution_not_failed"]);
    const failed = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "fail" })).body;
    const clicks = await Promise.all([1, 2, 3].map(() => org.post(`/tasks/executions/${failed.id}/retry`)));
    expect(clicks.filter(({ status }) => status === 202).length).toBeGreaterThanOrEqual(1);
    const retries = (await org.get(`/tasks/executions?retryOf=${failed.id}`)).body.pagination.total;
    expect(retries).toBe(clicks.filter(({ status }) => status === 202).length);
    expect((await org.post(`/tasks/executions/${randomUUID()}/retry`)).status).toBe(404);
  });
});

describe("importing orders", () => {
  test("creates them, and a second import changes nothing", async () => {
    const shop = (await org.post("/bridges", { name: "Import", connector: "demo" })).body;
    const request = { bridgeId: shop.id, taskName: "orders.import", input: { count: 230, seed: 7 } };
    const first = (await org.post("/tasks/execute-sync", request)).body;
    expect(first).toMatchObject({ status: "succeeded", result: { fetched: 230, created: 230, failed: 0 } });
    expect((await org.get(`/orders?bridgeId=${shop.id}&limit=1`)).body.pagination.total).toBe(230);
    const second = (await org.post("/tasks/execute-sync", request)).body;
    expect(second.result).toMatchObject({ created: 0, updated: 0, failed: 0 });
    expect((await org.get(`/orders?bridgeId=${shop.id}&limit=1`)).body.pagination.total).toBe(230);
  });
});

describe("sending orders", () => {
  test("each is sent once, and a retry of the execution sends none again", async () => {
    const orders = await Promise.all([1, 2].map(async () => (await org.post("/orders", {})).body));
    const orderIds = [...orders.map(({ id }) => id), "NO-SUCH-ORDER"];
    const sent = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.export", input: { orderIds } }))
      .body;
    expect(sent).toMatchObject({
      status: "completed_with_errors",
      result: { summary: { total: 3, sent: 2, failed: 1 } },
    });
    expect(sent.result.results[2]).toMatchObject({ status: "failed", error: { code: "order_not_found" } });
  });

  test("requires order ids", async () => {
    const none = await org.post("/tasks/execute", { bridgeId, taskName: "orders.export", input: {} });
    expect([none.status, none.body.errors[0].pointer]).toEqual([400, "/input/orderIds"]);
  });
});

test("the list filters by bridge, task and status, and rejects an unknown status", async () => {
  const other = (await org.post("/bridges", { name: "Other", connector: "demo" })).body;
  await org.post("/tasks/execute-sync", { bridgeId: other.id, taskName: "noop" });
  await org.post("/tasks/execute-sync", { bridgeId: other.id, taskName: "fail" });
  const total = async (query: string) =>
    (await org.get(`/tasks/executions?bridgeId=${other.id}${query}`)).body.pagination.total;
  expect([await total(""), await total("&taskName=noop"), await total("&status=failed")]).toEqual([2, 1, 1]);
  expect(await total("&status=failed,succeeded")).toBe(2);
  const wrong = await org.get("/tasks/executions?status=faild");
  expect([wrong.status, wrong.body.errors[0].suggestion]).toEqual([400, "failed"]);
});
