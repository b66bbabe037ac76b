import pg from "pg";
import { expect, inject, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

test("a database that goes away is said as 503, never as 500, and everything works again when it is back", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const admin = new pg.Client({ ...inject("cluster"), database: "postgres" });
  await admin.connect();
  const name = hub.connection.database!;
  const others = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";

  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query(others, [name]);
  await expect.poll(async () => (await hub.anonymous.get("!/readyz")).status, { timeout: 5_000 }).toBe(503);
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
  await expect.poll(async () => (await org.get("/condition-sets")).status, { timeout: 5_000 }).toBe(200);
  const busy = (): number => hub.world.db.connectionCounts().total - hub.world.db.connectionCounts().idle;
  await expect.poll(busy).toBe(0);
  await admin.end();
});
