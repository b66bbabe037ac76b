import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { startPooler } from "../testing/stand-in-pooler.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import type { Tx } from "./database.ts";
import { isConnectionLoss, openDatabase, sqlState, violatedConstraint } from "./database.ts";

test("jit is off for all statements, whatever the default of the server", async () => {
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

test("the error of a lost connection contains no cancel key (reliability R10)", async () => {
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

test("a request to a stopping hub finds no database, and is not logged as a failure", async () => {
  const { connection, drop } = await cloneDatabase();
  const db = openDatabase({ connection, maxConnections: 2, onError: () => {} });
  await db.close();
  for (const asked of [db.query("select 1"), db.transaction((tx) => tx.query("select 1"))]) {
    expect(isConnectionLoss(await asked.catch((error: unknown) => error))).toBe(true);
  }
  await drop();
});

describe("statements sent without waiting", () => {
  async function openTable() {
    const database = await cloneDatabase();
    const db = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => {} });
    await db.query("create table kept (n integer constraint kept_once primary key)");
    const kept = async (): Promise<number[]> =>
      (await db.query<{ n: number }>("select n from kept order by n")).map(({ n }) => n);
    const close = async (): Promise<void> => {
      await db.close();
      await database.drop();
    };
    return { db, kept, close };
  }
  const insert = "insert into kept values ($1)";
  const failureOf = async (asked: Promise<unknown>): Promise<unknown> =>
    await asked.then(
      () => "none",
      (error: unknown) => error,
    );

  test("are executed in sequence with the others, and committed with them", async () => {
    const { db, kept, close } = await openTable();
    const seen = await db.transaction(async (tx) => {
      tx.queue(insert, [1]);
      const before = await tx.query("select n from kept");
      tx.queue("delete from kept");
      tx.queue(insert, [2]);
      tx.queue(insert, [3]);
      return before;
    });
    expect(seen).toEqual([{ n: 1 }]);
    expect(await kept()).toEqual([2, 3]);
    await close();
  });

  test("fail the transaction with their error, and nothing of it is committed", async () => {
    const { db, kept, close } = await openTable();
    let effects = 0;
    const twice = await failureOf(
      db.transaction(async (tx) => {
        tx.afterCommit(() => void effects++);
        tx.queue(insert, [1]);
        tx.queue(insert, [1]);
        tx.queue(insert, [2]);
      }),
    );
    expect(violatedConstraint(twice)).toBe("kept_once");
    const asked = await failureOf(
      db.transaction(async (tx) => {
        tx.queue(insert, [1]);
        tx.queue(insert, [1]);
        await tx.query("select n from kept");
      }),
    );
    expect(violatedConstraint(asked)).toBe("kept_once");
    expect([await kept(), effects]).toEqual([[], 0]);
    await db.transaction(async (tx) => tx.queue(insert, [4]));
    expect(await kept()).toEqual([4]);
    await close();
  });

  test("are retried with the transaction after a deadlock", async () => {
    const { db, kept, close } = await openTable();
    await db.query("insert into kept values (10), (20)");
    const bothHave = Promise.withResolvers<void>();
    let having = 0;
    const swap = async (first: number, second: number): Promise<void> =>
      await db.transaction(async (tx) => {
        await tx.query("update kept set n = n + 1 where n between $1 and $1 + 5", [first]);
        if (++having >= 2) bothHave.resolve();
        await bothHave.promise;
        tx.queue("update kept set n = n + 1 where n between $1 and $1 + 5", [second]);
      });
    await Promise.all([swap(10, 20), swap(20, 10)]);
    expect(await kept()).toEqual([12, 22]);
    await close();
  });

  test("are not executed, nor is any other change, if the transaction did not begin", async () => {
    const { db, kept, close } = await openTable();
    const [broken, ...works] = [
      "no statement at all",
      async (tx) => void (await tx.query(insert, [1])),
      async (tx) => tx.queue(insert, [2]),
      async (tx) => {
        await tx.query("select n from kept");
        await tx.query(insert, [3]);
      },
      async (tx) => {
        await Promise.all([tx.query("select n from kept"), tx.query(insert, [4])]);
      },
    ] satisfies [string, ...((tx: Tx) => Promise<void>)[]];
    for (const work of works) expect(sqlState(await failureOf(db.transaction(work, broken)))).toBe("42601");
    expect(await kept()).toEqual([]);
    await close();
  });

  test("a swallowed error does not count as a commit", async () => {
    const { db, kept, close } = await openTable();
    const swallowed = db.transaction(async (tx) => {
      await tx.query(insert, [1]);
      await tx.query("select 1 / 0").catch(() => {});
    });
    await expect(swallowed).rejects.toThrow("the transaction was rolled back");
    expect(await kept()).toEqual([]);
    await close();
  });
});
