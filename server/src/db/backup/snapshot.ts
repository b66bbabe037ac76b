import type { ServerClient } from "../server-client.ts";
import { connectClient, endClient } from "../server-client.ts";
import type { Connection } from "../server-client.ts";
import type { Queryable } from "../transaction.ts";
import { copyOut } from "../copy-out.ts";
import type { BackupWriter } from "./backup-file.ts";
import type { AppliedMigration } from "../schema-mismatch.ts";
import type { SequenceManifest, SurfaceManifest, TableManifest, TableName } from "./backup-manifest.ts";
import type { TableDigest } from "./row-digest.ts";
import { createRowDigest } from "./row-digest.ts";

/** Makes the text of rows independent of server settings, and turns off timeouts: no request waits for a snapshot. */
export const copySettings = {
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  lock_timeout: 60_000,
  timezone: "'UTC'",
  datestyle: "'ISO, MDY'",
  intervalstyle: "'postgres'",
  extra_float_digits: 1,
  bytea_output: "'hex'",
  row_security: "off",
};

export type Snapshot = {
  environment: string;
  db: Queryable;
  /** Writes every table and returns the manifest. */
  write(to: BackupWriter): Promise<SurfaceManifest>;
  close(): Promise<void>;
};

/**
 * A snapshot of a database, held by an open transaction. Other connections read and write as before; only statements that
 * change tables themselves (a migration, the reset of a preview) wait for its end.
 */
export async function openSnapshot(environment: string, connection: Connection): Promise<Snapshot> {
  const client = await connectClient(connection, copySettings);
  const db = queryableOf(client);
  try {
    const tables = await lockTables(client, db);
    return {
      environment,
      db,
      write: async (to) => await writeTables(client, db, { environment, tables, to }),
      close: () => endClient(client),
    };
  } catch (error) {
    await endClient(client);
    throw error;
  }
}

export function queryableOf(client: ServerClient): Queryable {
  return {
    query: async <Row>(statement: string | { text: string }, values?: readonly unknown[]) => {
      const text = typeof statement === "string" ? statement : statement.text;
      return (await client.query(text, [...(values ?? [])])).rows as Row[];
    },
  };
}

/**
 * Locks the tables before the snapshot is taken, so that no table can be truncated or rewritten between the two: its rows
 * would be missing in the snapshot. If a migration has changed the tables meanwhile, they are locked again.
 */
async function lockTables(client: ServerClient, db: Queryable): Promise<string[]> {
  for (;;) {
    const before = await listTables(db);
    if (before.length === 0) throw new Error("There is nothing to back up: the database has no tables.");
    await client.query("begin isolation level repeatable read, read only");
    await client.query(`lock table ${before.map(quoted).join(", ")} in access share mode`);
    const tables = await listTables(db);
    if (tables.join() === before.join()) return tables;
    await client.query("rollback");
  }
}

export async function listTables(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Columns by table, without generated columns. */
async function listColumns(db: Queryable): Promise<Map<string, string[]>> {
  const rows = await db.query<{ table: string; columns: string[] }>(
    `select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

type WriteOptions = { environment: string; tables: string[]; to: BackupWriter };

async function writeTables(
  client: ServerClient,
  db: Queryable,
  { environment, tables, to }: WriteOptions,
): Promise<SurfaceManifest> {
  const columns = await listColumns(db);
  const written: TableManifest[] = [];
  for (const table of tables) {
    const name: TableName = { environment, table, columns: columns.get(table) ?? [] };
    await to.write("T", JSON.stringify(name));
    const { take, flush } = gatherRows((rows) => to.write("D", rows));
    const counted = await digestTable(client, name, take);
    await flush();
    await to.write("E", JSON.stringify(counted));
    written.push({ ...name, ...counted });
  }
  const [server] = await db.query<{ server_version: string }>("show server_version");
  return {
    environment,
    serverVersion: server?.server_version ?? "",
    migrations: await db.query<AppliedMigration>(
      "select version, name, checksum from schema_migrations order by version",
    ),
    tables: written,
    sequences: await readSequences(db),
  };
}

/** Reads a whole table, counts its rows and adds up their hashes. */
export async function digestTable(
  client: ServerClient,
  { table, columns }: TableName,
  take?: (row: Buffer) => Promise<void> | undefined,
): Promise<TableDigest> {
  const digest = createRowDigest();
  const counted = await copyOut(
    client,
    `copy ${quoted(table)} (${columns.map(quoted).join(", ")}) to stdout`,
    (row) => {
      digest.add(row);
      return take?.(row);
    },
  );
  const read = digest.end();
  if (read.rows !== counted) throw new Error(`${table} has ${counted} rows, and ${read.rows} of them were read.`);
  return read;
}

const frameBytes = 256 * 1024;

/** Combines many rows into one frame. */
function gatherRows(write: (rows: Buffer) => Promise<void>) {
  let rows: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (size === 0) return;
    const gathered = Buffer.concat(rows, size);
    rows = [];
    size = 0;
    await write(gathered);
  };
  return {
    flush,
    take(row: Buffer): Promise<void> | undefined {
      // Copied, because the driver reuses its buffer.
      rows.push(Buffer.from(row));
      size += row.length;
      return size < frameBytes ? undefined : flush();
    },
  };
}

/** Sequences are not part of a snapshot. They are read after it, so they are at least as high as its rows. */
async function readSequences(db: Queryable): Promise<SequenceManifest[]> {
  const owned = await db.query<{ table: string; column: string; sequence: string }>(
    `select c.relname as "table", a.attname as "column",
            pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and a.attnum > 0
        and not a.attisdropped and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null
      order by 1, 2`,
  );
  const found: SequenceManifest[] = [];
  for (const { table, column, sequence } of owned) {
    const [row] = await db.query<{ lastValue: string; isCalled: boolean }>(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${sequence}`,
    );
    found.push({ table, column, ...row! });
  }
  return found;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
