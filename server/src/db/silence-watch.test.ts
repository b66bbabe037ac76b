import { afterAll, expect, test } from "vitest";
import pg from "pg";
import { cloneDatabase } from "../testing/test-database.ts";
import { watchForSilence } from "./silence-watch.ts";

// Far above what a busy machine keeps an answer waiting.
const limitMs = 1_200;
const database = await cloneDatabase();
const pool = new pg.Pool({ ...database.connection, max: 1 });
pool.on("error", () => {});
pool.on("connect", (client) => client.on("error", () => {}));
const watch = watchForSilence(pool, limitMs, async () => true);

afterAll(async () => {
  await pool.end();
  watch.stop();
  await database.drop();
});

test("a query without a response fails, and the pool continues with a new connection", async () => {
  await expect(pool.query("select pg_sleep(30)")).rejects.toThrow(/terminated/);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a long use with continuous responses is not interrupted", async () => {
  const client = await pool.connect();
  for (let n = 0; n < 10; n++) {
    watch.querySent(client);
    await client.query("select pg_sleep(0.2)");
  }
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  client.release();
});

test("an idle connection stays open", async () => {
  await pool.query("select 1");
  await new Promise((resolve) => setTimeout(resolve, 2.5 * limitMs));
  expect(pool.idleCount).toBe(1);
});
