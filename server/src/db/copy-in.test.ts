import { expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { isConnectionLoss, openDatabase, sqlState } from "./database.ts";

const database = await cloneDatabase();
// One connection: what a failure leaves behind would be met by the next one.
const db = openDatabase({ connection: database.connection, maxConnections: 1, onError: () => {} });
afterFile(async () => {
  await db.close();
  await database.drop();
});
await db.query("create table copied (position integer primary key, text text)");
const copy = "copy copied (position, text) from stdin";

async function* linesOf(count: number, text = "Zoë", from = 0): AsyncGenerator<string> {
  for (let i = from; i < from + count; i++) yield `${i}\t${text}\n`;
}
const countRows = async () => (await db.query<{ count: number }>("select count(*) from copied"))[0]!.count;

test("any number of rows is written with the rest of the transaction", async () => {
  const long = "x".repeat(10_000);
  await db.transaction(async (tx) => {
    await tx.copy(copy, linesOf(2_000, long));
    expect(await tx.query("select count(*), sum(length(text)) as length from copied")).toEqual([
      { count: 2_000, length: 20_000_000 },
    ]);
    await tx.query("update copied set text = null where position = 0");
  });
  expect(await countRows()).toBe(2_000);
  await db.query("truncate copied");
});

test("no rows, null values and any characters are written unchanged", async () => {
  await db.transaction(async (tx) => {
    await tx.copy(copy, linesOf(0));
    await tx.copy(copy, linesOf(1));
    await tx.copy(copy, linesOf(1, "\\N", 1));
  });
  expect(await db.query("select * from copied order by position")).toEqual([
    { position: 0, text: "Zoë" },
    { position: 1, text: null },
  ]);
  await db.query("truncate copied");
});

test("a row that the server rejects fails the copy with the reason, and nothing is written", async () => {
  async function* lines(): AsyncGenerator<string> {
    yield* linesOf(10);
    yield "no number\tx\n";
    for (;;) yield `${"x".repeat(100_000)}\n`;
  }
  const failed = db.transaction(async (tx) => await tx.copy(copy, lines()));
  expect(await failed.catch(sqlState)).toBe("22P02");
  expect(await countRows()).toBe(0);
});

test("an error while rows are produced is thrown, and nothing is written", async () => {
  async function* lines(): AsyncGenerator<string> {
    yield* linesOf(10);
    throw new Error("out of paper");
  }
  await expect(db.transaction((tx) => tx.copy(copy, lines()))).rejects.toThrow("out of paper");
  expect(await countRows()).toBe(0);
});

test("an invalid statement, and one after a failure, are reported", async () => {
  const failed = db.transaction((tx) => tx.copy("copy nothing (x) from stdin", linesOf(1)));
  expect(await failed.catch(sqlState)).toBe("42P01");
  await db.transaction((tx) => tx.copy(copy, linesOf(3)));
  expect(await countRows()).toBe(3);
  await db.query("truncate copied");
});

test("a connection that is lost halfway is a failure, not a hang", async () => {
  const other = openDatabase({ connection: database.connection, maxConnections: 1, onError: () => {} });
  async function* lines(): AsyncGenerator<string> {
    yield* linesOf(10);
    await other.query(
      "select pg_terminate_backend(pid, 10000) from pg_stat_activity where query like 'copy copied%' and pid <> pg_backend_pid()",
    );
    for (;;) yield `${"x".repeat(100_000)}\n`;
  }
  await expect(db.transaction((tx) => tx.copy(copy, lines()))).rejects.toSatisfy(isConnectionLoss);
  await other.close();
  expect(await countRows()).toBe(0);
});
