import pg from "pg";
import { expect, inject, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

test("a database outage gives 503, never 500, and everything works again afterwards", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const admin = new pg.Client({ ...inject("cluster"), database: "postgres" });
  await admin.connect();
  const name = hub.connection.database!;
  const others = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";

  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query(others, [name]);
  await expect.poll(async () => (await hub.anonymous.get("!/readyz")).status).toBe(503);
  for (let i = 0; i < 20; i++) {
    const answer = await org.get("/condition-sets");
    expect(answer.body).toMatchObject({ status: 503, code: "database_unavailable", retryable: true });
    expect(answer.headers.get("retry-after")).toBe("1");
  }
  expect((await hub.anonymous.get("!/healthz")).status).toBe(200);

  await admin.query(`alter database ${name} allow_connections true`);
  await expect.poll(async () => (await hub.anonymous.get("!/readyz")).status, { timeout: 10_000 }).toBe(200);
  const answers = await Promise.all(Array.from({ length: 30 }, () => org.get("/condition-sets")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

  // Connections cut in the middle of the work: each request is answered whole or as 503, and none is lost for good.
  let isCutting = true;
  const cutter = (async () => {
    while (isCutting) await admin.query(others, [name]);
  })();
  for (let i = 0; i < 100; i++) {
    const { status } = await org.post("/condition-sets", { name: `cut ${i}` });
    expect([201, 409, 503]).toContain(status);
  }
  isCutting = false;
  await cutter;
  await expect.poll(async () => (await org.get("/condition-sets")).status).toBe(200);
  const busy = (): number => hub.world.db.connectionCounts().total - hub.world.db.connectionCounts().idle;
  await expect.poll(busy).toBe(0);
  await admin.end();
});

test("a read-only database is not ready, and its connections are replaced once it accepts writes (reliability R6)", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const admin = new pg.Client({ ...inject("cluster"), database: "postgres" });
  await admin.connect();
  const name = hub.connection.database!;
  const setReadOnly = (to: string): Promise<unknown> =>
    admin.query(`alter database ${name} set default_transaction_read_only = ${to}`);
  await setReadOnly("on");
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  const readiness = async (): Promise<unknown> => (await hub.anonymous.get("!/readyz")).body;
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ checks: { database: "read_only" } });
  const refused = await Promise.all(
    Array.from({ length: 20 }, (_, n) => org.post("/condition-sets", { name: `no ${n}` })),
  );
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));

  // As after a failover: the address leads to a server that takes writes, while open connections lead to the old one.
  await setReadOnly("off");
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ status: "ready" });
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, n) => org.post("/condition-sets", { name: `yes ${n}` })),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  await admin.end();
});

test("readiness does not wait for a connection that requests have taken (reliability R6)", async () => {
  const hub = await startTestHub();
  const { db } = hub.world;
  const { promise: enough, resolve: release } = Promise.withResolvers<void>();
  const holding = Array.from({ length: 10 }, () => db.transaction(() => enough));
  await expect.poll(() => db.connectionCounts()).toEqual({ total: 10, idle: 0 });
  const waiting = db.query("select 1");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await hub.anonymous.get("!/readyz")).body).toMatchObject({ status: "ready", checks: { database: "ok" } });
  expect(db.waitingCount()).toBeGreaterThan(0);
  release();
  await Promise.all([...holding, waiting]);
});
