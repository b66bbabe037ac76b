import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const bridge = async (name: string): Promise<string> =>
  (await org.post("/bridges", { name, connector: "demo" })).body.id;

async function failed(bridgeId: string, count: number, input: object = { message: "no stock" }): Promise<string[]> {
  const tasks = Array.from({ length: count }, () => ({ bridgeId, taskName: "fail", input, maxAttempts: 1 }));
  const { body } = await org.post("/tasks/bulk", { tasks });
  const ids = (body.results as { id: string }[]).map(({ id }) => id);
  await eventually(
    async () => (await org.get(`/tasks/executions?bridgeId=${bridgeId}&status=queued,running&limit=1`)).body,
    ({ pagination }) => pagination.total === 0,
  );
  return ids;
}

const retryMany = async (body: object, options?: { headers: Record<string, string> }) =>
  await org.post("/tasks/executions/retry", body, options);

test("failed executions are retried by a filter, each once, also with repeated requests", async () => {
  const [one, two] = [await bridge("One"), await bridge("Two")];
  const ids = await failed(one, 3);
  await failed(two, 1);
  const dry = await retryMany({ bridgeId: one, dryRun: true });
  expect([dry.status, dry.body.summary]).toEqual([
    200,
    { matched: 3, queued: 0, failed: 0, outcomeUnknown: 0, remaining: 3 },
  ]);
  expect(dry.body.groups).toEqual([
    { bridgeId: one, taskName: "fail", code: expect.any(String), count: 3, isExcluded: false },
  ]);
  const key = { headers: { "idempotency-key": randomUUID() } };
  const done = await retryMany({ bridgeId: one }, key);
  expect(done.body.summary).toMatchObject({ matched: 3, queued: 3, failed: 0, remaining: 0 });
  expect(done.body.results.map(({ retryOf }: { retryOf: string }) => retryOf).toSorted()).toEqual(ids.toSorted());
  expect((await retryMany({ bridgeId: one }, key)).body).toEqual(done.body);
  const first = (await org.get(`/tasks/executions/${done.body.results[0].id}`)).body;
  expect(first).toMatchObject({ trigger: "retry", retryOf: done.body.results[0].retryOf, maxAttempts: 1 });
  // Now their retries have failed: those are what is left to retry.
  await eventually(
    async () => (await retryMany({ bridgeId: one, dryRun: true })).body.summary,
    ({ matched }) => matched === 3,
  );
  const left = await org.get(`/tasks/executions?bridgeId=${one}&status=failed&isRetried=false`);
  expect(left.body.data.every(({ trigger }: { trigger: string }) => trigger === "retry")).toBe(true);
  expect((await org.get(`/tasks/executions?bridgeId=${one}&isRetried=true`)).body.pagination.total).toBe(3);
  expect((await retryMany({ bridgeId: two, dryRun: true })).body.summary.matched).toBe(1);
});

test("two concurrent retries of the same executions queue each once", async () => {
  const bridgeId = await bridge("Both");
  const ids = await failed(bridgeId, 20);
  const single = ids.map((id) => org.post(`/tasks/executions/${id}/retry`));
  // On a busy machine it may wait too long for the others, which changes nothing: a client repeats it.
  const retryAll = () =>
    eventually(
      () => retryMany({ bridgeId }),
      ({ status }) => status !== 503,
    );
  const answers = await Promise.all([retryAll(), retryAll(), ...single]);
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([202, 202]);
  for (const id of ids) {
    const { retriedBy } = (await org.get(`/tasks/executions/${id}`)).body;
    expect(retriedBy.length).toBeGreaterThan(0);
  }
  const byFilter = answers.slice(0, 2).flatMap(({ body }) => body.results as { retryOf: string; status: string }[]);
  const queued = byFilter.filter(({ status }) => status === "queued").map(({ retryOf }) => retryOf);
  expect(new Set(queued).size).toBe(queued.length);
});

test("executions with an unknown outcome are excluded unless their code is given", async () => {
  const bridgeId = await bridge("Unsure");
  const [id] = await failed(bridgeId, 2);
  await hub.world.db.query(
    "update task_executions set error = jsonb_set(error, '{code}', '\"outcome_unknown\"') where id = $1",
    [id],
  );
  const some = await retryMany({ bridgeId });
  expect(some.body.summary).toEqual({ matched: 2, queued: 1, failed: 0, outcomeUnknown: 1, remaining: 0 });
  expect(some.body.groups).toContainEqual(expect.objectContaining({ code: "outcome_unknown", isExcluded: true }));
  const known = await retryMany({ bridgeId, code: "outcome_unknown" });
  expect(known.body.results).toEqual([{ retryOf: id, status: "queued", id: expect.any(String) }]);
});

test("an execution that cannot be queued is reported and stays; bridges of other organizations are not found", async () => {
  const bridgeId = await bridge("Wrong");
  const [id] = await failed(bridgeId, 2);
  await hub.world.db.query("update task_executions set task_name = 'gone' where id = $1", [id]);
  const { body } = await retryMany({ bridgeId });
  expect(body.summary).toMatchObject({ matched: 2, queued: 1, failed: 1 });
  expect(body.results).toContainEqual(expect.objectContaining({ retryOf: id, status: "failed" }));
  const other = await hub.org();
  expect((await other.post("/tasks/executions/retry", { bridgeId })).body.summary.matched).toBe(0);
  const wrong = await retryMany({ status: "failed,succeeded" });
  expect([wrong.status, wrong.body.errors[0]]).toMatchObject([
    400,
    { pointer: "/status", allowed: ["failed", "timed_out", "cancelled", "expired", "completed_with_errors"] },
  ]);
  expect((await retryMany({ status: "faild" })).body.errors[0]).toMatchObject({
    pointer: "/status",
    suggestion: "failed",
  });
});

test("cancelled executions are retried only when they are named", async () => {
  const bridgeId = await bridge("Stopped");
  const { body } = await org.post("/tasks/execute", { bridgeId, taskName: "noop", delaySeconds: 3_600 });
  await org.post(`/tasks/executions/${body.id}/cancel`);
  expect((await retryMany({ bridgeId })).body.summary.matched).toBe(0);
  expect((await retryMany({ bridgeId, status: "cancelled" })).body.summary.queued).toBe(1);
});

test("the log can be read from a position, and reports its end", async () => {
  const bridgeId = await bridge("Talks");
  const [id] = await failed(bridgeId, 1);
  const add = async (from: number, count: number) =>
    await hub.world.db.query(
      `insert into task_logs (execution_id, attempt, level, message, at)
       select $1, 1, 'info', 'line ' || n, now() from generate_series($2::int, $3::int) n`,
      [id, from, from + count - 1],
    );
  const had = (await org.get(`/tasks/executions/${id}/logs`)).body.next as number;
  await add(1, 5);
  const read = async (after: number, limit: number) =>
    (await org.get(`/tasks/executions/${id}/logs?after=${after}&limit=${limit}`)).body;
  const first = await read(had, 3);
  expect(first.data.map(({ message }: { message: string }) => message)).toEqual(["line 1", "line 2", "line 3"]);
  expect([first.data[0].line, first.next, first.isComplete]).toEqual([had + 1, had + 3, false]);
  const rest = await read(first.next, 3);
  expect([rest.data.length, rest.next, rest.isComplete]).toEqual([2, had + 5, true]);
  expect(await read(rest.next, 3)).toEqual({ data: [], next: had + 5, isComplete: true });
  const running = (await org.post("/tasks/execute", { bridgeId, taskName: "noop", delaySeconds: 3_600 })).body.id;
  expect((await org.get(`/tasks/executions/${running}/logs`)).body).toEqual({ data: [], next: 0, isComplete: false });
});
