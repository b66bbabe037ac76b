import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { startPooler } from "../testing/stand-in-pooler.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { openDatabase } from "./database.ts";
import { connectClient, readDatabaseUrl } from "./server-client.ts";

async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

test("of several servers the writable one is used, and the next one after a demotion (reliability R6)", async () => {
  const [one, other] = [await cloneDatabase(), await cloneDatabase()];
  const user = one.connection.user!;
  const setReadOnly = async (name: string, to: "on" | "off"): Promise<void> => {
    const owner = await connectClient({ ...one.connection, database: "postgres" });
    await owner.query(`alter database ${name} set default_transaction_read_only = ${to}`);
    await owner.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await owner.end();
  };
  const names = [one, other].map(({ connection }) => connection.database!) as [string, string];
  const poolers = [await startPooler({ database: names[0] }), await startPooler({ database: names[1] })];
  await setReadOnly(names[0], "on");
  const hosts = [await closedPort(), ...poolers.map(({ port }) => port)].map((port) => `127.0.0.1:${port}`).join(",");
  const connection = readDatabaseUrl(`postgres://${user}@${hosts}/any?target_session_attrs=read-write`);
  const first = await connectClient(connection);
  await first.end();

  const db = openDatabase({ connection, maxConnections: 4, onError: () => {} });
  afterFile(async () => {
    await db.close();
    await Promise.all([one.drop(), other.drop()]);
  });
  const where = async (): Promise<unknown> =>
    await db.transaction(async (tx) => {
      await tx.query("create table if not exists here_is_written (id integer)");
      return (await tx.query<{ name: string }>("select current_database() as name"))[0]!.name;
    });
  expect(await where()).toBe(names[1]);
  expect(new Set(await Promise.all([where(), where(), where()]))).toEqual(new Set([names[1]]));
  expect(await db.isWritable()).toBe(true);

  await setReadOnly(names[0], "off");
  await setReadOnly(names[1], "on");
  await expect.poll(() => where().catch(() => undefined), { timeout: 10_000 }).toBe(names[0]);
  expect(new Set(await Promise.all([where(), where(), where(), where()]))).toEqual(new Set([names[0]]));
});

test("a single server address is passed to the driver", () => {
  const url = "postgres://hub:a%2Cb@db.internal/hub?options=a,b";
  expect(readDatabaseUrl(url)).toEqual({ connectionString: url });
  expect(readDatabaseUrl("postgres://hub:a,b@one,two:5433/hub").servers?.urls).toEqual([
    "postgres://hub:a,b@one/hub",
    "postgres://hub:a,b@two:5433/hub",
  ]);
});
