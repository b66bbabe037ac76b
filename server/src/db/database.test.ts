import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { startPooler } from "../testing/stand-in-pooler.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { isConnectionLoss, openDatabase } from "./database.ts";

test("no statement of ours is compiled first, whatever the server does by default", async () => {
  const database = await cloneDatabase();
  const name = database.connection.database!;
  const db = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => {} });
  // As a stock server: everything that looks expensive is compiled, which takes longer than running it.
  await db.query(`alter database ${name} set jit = on`);
  await db.query(`alter database ${name} set jit_above_cost = 0`);
  await db.close();
  const again = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => {} });
  expect(await again.query("show jit_above_cost")).toEqual([{ jit_above_cost: "0" }]);
  expect(await again.query("show jit")).toEqual([{ jit: "off" }]);
  expect(await again.transaction((tx) => tx.query("show jit"))).toEqual([{ jit: "off" }]);
  await again.close();
  await database.drop();
});

test(
  "a request to a server that can no longer be reached fails within seconds (reliability R10)",
  { timeout: 35_000 },
  async () => {
    const database = await cloneDatabase();
    const pooler = await startPooler();
    const errors: Error[] = [];
    const connection = { ...database.connection, host: "127.0.0.1", port: pooler.port };
    const db = openDatabase({ connection, maxConnections: 2, onError: (error) => errors.push(error) });
    await Promise.all([db.query("select 1"), db.query("select 1")]);
    pooler.passes = "nothing";
    await expect(db.query("select 1")).rejects.toSatisfy(isConnectionLoss);
    pooler.passes = "everything";
    expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
    await db.close();
    await database.drop();
  },
);

test("what is told about a lost connection has nothing in it that could cancel its queries (reliability R10)", async () => {
  const database = await cloneDatabase();
  const errors: Error[] = [];
  const db = openDatabase({
    connection: database.connection,
    maxConnections: 2,
    onError: (error) => errors.push(error),
  });
  await db.query("select 1");
  await database.drop();
  await expect.poll(() => errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(inspect(errors, { depth: 5 })).not.toMatch(/secretKey|processID/);
  await db.close();
});

test("who asks a hub that is ending finds no database, and is not told that something went wrong", async () => {
  const { connection, drop } = await cloneDatabase();
  const db = openDatabase({ connection, maxConnections: 2, onError: () => {} });
  await db.close();
  for (const asked of [db.query("select 1"), db.transaction((tx) => tx.query("select 1"))]) {
    expect(isConnectionLoss(await asked.catch((error: unknown) => error))).toBe(true);
  }
  await drop();
});

test.runIf(process.platform === "linux")(
  "what nobody waits for leaves the processors to requests, also where Linux schedules by session",
  async () => {
    const database = await cloneDatabase();
    const connection = { ...database.connection, isOurs: true };
    const db = openDatabase({ connection, maxConnections: 1, maxBackground: 1, onError: () => {} });
    const pidOf = async (over: Pick<typeof db, "query">): Promise<number> =>
      (await over.query<{ pid: number }>("select pg_backend_pid() as pid"))[0]!.pid;
    const [front, back] = [await pidOf(db), await pidOf(db.background)];
    expect([getPriority(front), getPriority(back)]).toEqual([0, 10]);
    const session = (pid: number): string | undefined => readIfThere(`/proc/${pid}/autogroup`);
    const expected = session(back) === undefined ? undefined : expect.stringMatching(/nice 10$/m);
    await expect.poll(() => session(back), { timeout: 10_000 }).toEqual(expected);
    expect(session(front) ?? "nice 0").toMatch(/nice 0$/m);
    await db.close();
    await database.drop();
  },
);

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
