import { randomInt } from "node:crypto";
import type { Client } from "pg";
import type { Queryable } from "./database.ts";
import type { Connection } from "./server-client.ts";
import { connectClient } from "./server-client.ts";

/** `connection` leads to any database of the server; the name is our own, never a caller's. */
export async function createMissingDatabase(connection: Connection, name: string): Promise<void> {
  await withClient(connection, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${name} template template0`);
  });
}

/** As PostgreSQL counts: 150004 is 15.4. */
export async function readServerVersion(connection: Connection): Promise<number> {
  return await withClient({ ...connection, connectionTimeoutMillis: 5_000 }, async (client) => {
    const { rows } = await client.query<{ server_version_num: string }>("show server_version_num");
    return Number(rows[0]?.server_version_num);
  });
}

/** However differently the two are spelled: a lock taken through one is seen through the other. */
export async function areSameDatabase(one: Connection, other: Connection): Promise<boolean> {
  const key = randomInt(2 ** 47);
  return await withClient(one, async (holder) => {
    await holder.query("select pg_advisory_lock($1)", [key]);
    return await withClient(other, async (asker) => {
      const { rows } = await asker.query<{ isFree: boolean }>('select pg_try_advisory_lock($1) as "isFree"', [key]);
      return rows[0]?.isFree !== true;
    });
  });
}

export async function describeServer(db: Queryable): Promise<{ version: string; isDurable: boolean }> {
  const [row] = await db.query<{ version: string; fsync: string }>(
    "select version() as version, current_setting('fsync') as fsync",
  );
  return { version: row?.version.split(" ").slice(0, 2).join(" ") ?? "unknown", isDurable: row?.fsync === "on" };
}

async function withClient<T>(connection: Connection, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectClient(connection);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
