import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { Call } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { eventually } from "../../../testing/eventually.ts";
import { installConnector, scriptedCall } from "../../../testing/scripted-connector.ts";
import type { TestHub, TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { waitsAtFirst } from "../../../testing/waits-at-first.ts";
import { saveProgress, settleAttempts } from "./attempts.store.ts";
import { taskCounters } from "./task-engine.ts";

type Started = Call & { finish(result: Record<string, unknown>): void; fail(error: Error): void };

/** Every call of the scripted tasks, which end when the test says so, whatever their signal says. */
const started: Started[] = [];
const hold = async (call: Call): Promise<Record<string, unknown>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  started.push({ ...call, finish: resolve, fail: reject });
  return await promise;
};
const connector = installConnector([
  scriptedCall("repeatable", true, hold),
  scriptedCall("once", false, hold),
  scriptedCall("obedient", true, async (call) => {
    const left = new Promise<never>((_resolve, reject) => {
      call.signal.addEventListener("abort", () => reject(new RemoteError("cancelled", "Left.")));
    });
    return await Promise.race([hold(call), left]);
  }),
  scriptedCall("unsayable", true, () => Promise.resolve({ text: "a\u0000b" })),
  scriptedCall("half_done", false, () =>
    Promise.reject(new RemoteError("connection_lost", "It broke.", { retryable: true, mayHaveHappened: true })),
  ),
  scriptedCall("refused", false, () => Promise.reject(new RemoteError("busy", "Later.", { retryable: true }))),
]);

let hub: TestHub;
let org: TestOrg;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Scripted", connector })).body.id;
});

const look = async (id: string) => (await org.get(`/tasks/executions/${id}`)).body;
const ended = (id: string) =>
  eventually(
    () => look(id),
    // An answer that the database is away has a status too: 503.
    ({ status }) => typeof status === "string" && status !== "queued" && status !== "running",
  );

async function execute(taskName: string, more: object = {}): Promise<string> {
  const { body, status } = await org.post("/tasks/execute", { bridgeId, taskName, ...more });
  expect(status).toBe(202);
  return body.id;
}

/** The n-th call of this execution, once it is there. */
async function callOf(count: number): Promise<Started> {
  await eventually(
    async () => started.length,
    (length) => length >= count,
  );
  return started[count - 1]!;
}

/** As if its worker had not been heard of for longer than its lease. */
async function loseWorker(id: string): Promise<void> {
  await hub.world.db.query(
    "update task_executions set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 ms' where id = $1",
    [id],
  );
}

/** Rejects new connections and ends existing ones. */
async function outage(work: () => Promise<void>): Promise<void> {
  const { database } = hub.connection;
  const outside = new pg.Client({ ...hub.connection, database: "postgres" });
  await outside.connect();
  try {
    await outside.query(`alter database ${database} with allow_connections false`);
    await outside.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]);
    await work();
  } finally {
    await outside.query(`alter database ${database} with allow_connections true`);
    await outside.end();
  }
}

describe("a lost worker", () => {
  test("is replaced, and its late writes change nothing and are counted", async () => {
    const before = taskCounters(hub.world).fencedWrites;
    const calls = started.length;
    const id = await execute("repeatable");
    const first = await callOf(calls + 1);
    await loseWorker(id);
    const second = await callOf(calls + 2);
    // The end of the first comes while the second is at work.
    first.finish({ by: "first" });
    await eventually(
      async () => taskCounters(hub.world).fencedWrites,
      (count) => count > before,
    );
    expect(await look(id)).toMatchObject({ status: "running", attempt: 2, result: null });
    second.finish({ by: "second" });
    const done = await ended(id);
    expect(done).toMatchObject({ status: "succeeded", result: { by: "second" }, attempt: 2 });
    expect(done.attempts.map(({ status }: { status: string }) => status)).toEqual(["worker_lost", "succeeded"]);
    expect(done.attempts[0].error.code).toBe("worker_lost");
    expect(second.effectKey).toBe(first.effectKey);
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toMatch(/^hub_task_fenced_writes_total\{[^}]*\} [1-9]/m);
  });

  /** Loses the worker of the n-th attempt, so that another takes over; a delay before another attempt ends at once. */
  async function dieOver(id: string, attempt: number): Promise<void> {
    const wake = async () => await org.post("/tasks/execute", { bridgeId, taskName: "connection.test" });
    await loseWorker(id);
    await wake();
    await eventually(
      () => look(id),
      ({ attempts }) => attempts[attempt - 1].status === "worker_lost",
    );
    await hub.world.db.query("update task_executions set due_at = now() where id = $1 and status = 'queued'", [id]);
    await wake();
  }

  test("does not use up the attempts of the execution", async () => {
    const calls = started.length;
    const id = await execute("repeatable", { maxAttempts: 2, retryDelaySeconds: 1 });
    await callOf(calls + 1);
    await dieOver(id, 1);
    await callOf(calls + 2);
    await dieOver(id, 2);
    (await callOf(calls + 3)).fail(new RemoteError("busy", "Later.", { retryable: true }));
    await callOf(calls + 4);
    await dieOver(id, 4);
    (await callOf(calls + 5)).finish({ by: "the fifth" });
    const done = await ended(id);
    expect(done).toMatchObject({ status: "succeeded", attempt: 5, maxAttempts: 2, result: { by: "the fifth" } });
    const statuses = done.attempts.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["worker_lost", "worker_lost", "failed", "worker_lost", "succeeded"]);
  });

  test("may have died because of the task: after five in a row it is given up", async () => {
    const calls = started.length;
    const id = await execute("repeatable", { maxAttempts: 10, retryDelaySeconds: 1 });
    for (let death = 1; death <= 5; death++) {
      await callOf(calls + death);
      await dieOver(id, death);
    }
    expect(await look(id)).toMatchObject({ status: "failed", attempt: 5, error: { code: "worker_lost" } });
    expect(started.length).toBe(calls + 5);
  });

  test("counts as an attempt if only one is allowed: the execution fails", async () => {
    const calls = started.length;
    const id = await execute("repeatable", { maxAttempts: 1 });
    const only = await callOf(calls + 1);
    await loseWorker(id);
    expect(await ended(id)).toMatchObject({ status: "failed", attempt: 1, error: { code: "worker_lost" } });
    only.finish({});
    expect(started.length).toBe(calls + 1);
  });

  test("with a call that must not be repeated: it is not repeated, and the outcome is unknown", async () => {
    const calls = started.length;
    const id = await execute("once", { maxAttempts: 3 });
    const only = await callOf(calls + 1);
    await loseWorker(id);
    expect(await ended(id)).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
    only.finish({ late: true });
    // Whatever else is queued afterwards runs; the lost one does not begin again.
    await org.post("/tasks/execute-sync", { bridgeId, taskName: "connection.test" });
    expect(started.length).toBe(calls + 1);
    expect(await look(id)).toMatchObject({ status: "failed", result: null });
  });

  test("a claim whose response was lost is released without starting the task", async () => {
    const calls = started.length;
    const id = await execute("once", { delaySeconds: 3_600 });
    const held = await execute("once");
    await callOf(calls + 1);
    // As the database sees it, the worker holds both; the worker has only heard of one.
    await hub.world.db.query(
      `update task_executions e set status = 'running', attempt = 1, lease_owner = o.lease_owner,
         lease_until = now() + interval '1 minute', attempts = o.attempts
        from task_executions o where e.id = $1 and o.id = $2`,
      [id, held],
    );
    await outage(async () => {});
    const again = await callOf(calls + 2);
    again.finish({ by: "second" });
    started[calls]!.finish({});
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 2 });
    expect(await ended(held)).toMatchObject({ status: "succeeded", attempt: 1 });
  });
});

describe("attempts", () => {
  test("a call that may have happened and must not be repeated ends with outcome_unknown", async () => {
    const id = await execute("half_done", { maxAttempts: 3, retryDelaySeconds: 1 });
    expect(await ended(id)).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
  });

  test("a definite rejection is retried, at most as often as allowed", async () => {
    const id = await execute("refused", { maxAttempts: 2, retryDelaySeconds: 1 });
    const done = await ended(id);
    expect(done).toMatchObject({ status: "failed", attempt: 2, error: { code: "busy" } });
    expect(done.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2]);
  });

  test("a result that cannot be stored fails only its own execution", async () => {
    const ids = await Promise.all([
      execute("unsayable"),
      execute("connection.test"),
      execute("unsayable"),
      execute("connection.test"),
    ]);
    const states = await Promise.all(ids.map((id) => ended(id)));
    expect(states.map(({ status }) => status)).toEqual(["failed", "succeeded", "failed", "succeeded"]);
    expect(states[0].error).toMatchObject({ code: "result_not_storable", retryable: false });
  });
});

test("a stopping node releases unfinished executions, and another one continues them at once", async () => {
  const quiet = await startTestHub({ taskSlots: 0 });
  const here = await quiet.org();
  const bridge = (await here.post("/bridges", { name: "Scripted", connector })).body;
  const leaving = await quiet.secondNode({ taskSlots: 4 });
  const calls = started.length;
  const queue = async (taskName: string): Promise<string> =>
    (await here.post("/tasks/execute", { bridgeId: bridge.id, taskName, maxAttempts: 1 })).body.id;
  const patient = await queue("obedient");
  await callOf(calls + 1);
  const risky = await queue("once");
  const second = await callOf(calls + 2);
  await leaving.stop();
  second.finish({ late: true });
  const seen = async (id: string) => (await here.get(`/tasks/executions/${id}`)).body;
  // Given back, not left to its lease; being interrupted does not use up the only attempt.
  expect(await seen(patient)).toMatchObject({ status: "queued", attempts: [{ status: "interrupted" }] });
  expect(await seen(risky)).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  await quiet.secondNode({ taskSlots: 4 });
  (await callOf(calls + 3)).finish({ by: "another node" });
  const done = await eventually(
    () => seen(patient),
    ({ status }) => status === "succeeded",
  );
  expect(done).toMatchObject({ attempt: 2, result: { by: "another node" } });
});

describe("a database outage", () => {
  test("at the end of a task: the outcome is written after the outage, and the task is not repeated", async () => {
    const calls = started.length;
    const id = await execute("once");
    const only = await callOf(calls + 1);
    const failures = (): number => hub.logs.filter((line) => line.includes("could not be stored")).length;
    const before = failures();
    await outage(async () => {
      only.finish({ seen: true });
      await eventually(
        async () => failures(),
        (count) => count > before,
      );
    });
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 1, result: { seen: true } });
    expect(started.length).toBe(calls + 1);
  });

  test("that is longer than the lease: the worker keeps its executions after the outage", async () => {
    const calls = started.length;
    const id = await execute("once");
    const only = await callOf(calls + 1);
    await hub.world.db.query("update task_executions set lease_until = now() - interval '1 ms' where id = $1", [id]);
    await outage(async () => {});
    await eventually(
      () =>
        hub.world.db
          .query<{ ok: boolean }>("select lease_until > now() as ok from task_executions where id = $1", [id])
          .catch(() => []),
      ([row]) => row?.ok === true,
    );
    only.finish({ kept: true });
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 1 });
  });

  test("during an import: it continues where it was", async () => {
    const shop = (await org.post("/bridges", { name: "Import", connector: "demo", settings: { pageSize: 1 } })).body;
    const input = { count: 150, seed: 3 };
    const { db } = hub.world;
    // The sixth order waits until the database goes; a sequence does not forget, so it waits only once.
    await db.query("create sequence orders_stored");
    await db.query(`create function hold_sixth() returns trigger language plpgsql as $$ begin
      if nextval('orders_stored') = 6 then perform pg_sleep(25); end if; return new; end $$`);
    await db.query("create trigger hold_sixth before insert on orders for each row execute function hold_sixth()");
    const { id } = (await org.post("/tasks/execute", { bridgeId: shop.id, taskName: "orders.import", input })).body;
    await eventually(
      () => db.query("select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"),
      (held) => held.length === 1,
    );
    await outage(async () => {});
    const done = await ended(id);
    expect(done).toMatchObject({ status: "succeeded", result: { fetched: 150, created: 150, failed: 0 } });
    expect(done.attempts.length).toBeGreaterThan(1);
    expect((await org.get(`/orders?bridgeId=${shop.id}&limit=1`)).body.pagination.total).toBe(150);
  });
});

test("outcomes and progress of several executions are written in the order of their ids, like lease renewals", async () => {
  const calls = started.length;
  const ids = [await execute("repeatable"), await execute("repeatable")] as [string, string];
  await callOf(calls + 2);
  // The later one lies before the earlier one, so that only the order of the ids can tell.
  const [early, late] = ids.toSorted() as [string, string];
  await hub.world.db.query("update task_executions set progress = null where id = $1", [early]);
  const rows = [late, early].map((id) => ({ id, attempt: 1, progress: { processed: 1, total: 2 } }));
  const save = () => saveProgress(hub.world.db, rows);
  expect(await waitsAtFirst(hub.world.db, "task_executions", ids, save)).toBe(true);
  await hub.world.db.query("update task_executions set progress = null where id = $1", [early]);
  const settle = () =>
    hub.world.db.transaction((tx) =>
      settleAttempts(
        tx,
        rows.map((row) => ({ ...endOf, ...row })),
        new Date(),
        "[]",
      ),
    );
  expect(await waitsAtFirst(hub.world.db, "task_executions", ids, settle)).toBe(true);
  for (const call of started.slice(calls)) call.finish({});
  expect(await Promise.all(ids.map(look))).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
});

const endOf = {
  status: "succeeded",
  attempt_status: "succeeded",
  result: null,
  error: null,
  sent_input: null,
  transformations: null,
  next_attempt_at: null,
  due_in_ms: null,
} as const;
