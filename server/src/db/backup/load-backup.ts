import { copyIn } from "../copy-in.ts";
import type { OutboundPause } from "../hub-state.ts";
import { saveOutboundPause } from "../hub-state.ts";
import { applyMissing, migrationLock } from "../migrate.ts";
import { findMismatch } from "../schema-mismatch.ts";
import { readMigrations } from "../read-migrations.ts";
import type { Connection, ServerClient } from "../server-client.ts";
import { connectClient, endClient } from "../server-client.ts";
import type { Queryable } from "../transaction.ts";
import { BackupRefused, readFrames } from "./backup-file.ts";
import type { SurfaceManifest, TableName } from "./backup-manifest.ts";
import type { CheckedBackup } from "./read-backup.ts";
import { nextOf, parse, rowsOf } from "./read-backup.ts";
import { copySettings, digestTable, listTables, queryableOf, quoted } from "./snapshot.ts";

export type Target = {
  environment: string;
  connection: Connection;
  /** Removes the remains of an interrupted restore first. */
  mayReplace: boolean;
};

type LoadOptions = {
  /** Why the restored hub must not make outbound calls yet; undefined: it may. */
  pause: OutboundPause | undefined;
  /** Called when all targets are locked and empty, or contain only an interrupted restore. */
  whenEmpty?: (() => Promise<void>) | undefined;
  /** Called when everything was loaded and compared; if it throws, nothing is changed. */
  beforeCommit?: (() => Promise<void>) | undefined;
};

/**
 * Loads the surfaces of a backup into empty databases. Each is one transaction: schema, rows, constraints and sequences are
 * committed together or not at all. Everything is read back and compared before the first commit.
 */
export async function loadBackup(backup: CheckedBackup, targets: Target[], options: LoadOptions): Promise<void> {
  const surfaces = await Promise.all(targets.map((target) => requireLoadable(backup, target)));
  const open: Loading[] = [];
  try {
    for (const [index, target] of targets.entries()) open.push(await begin(target, surfaces[index]!));
    await options.whenEmpty?.();
    await loadRows(backup, open);
    for (const { client, db, surface, undo } of open) {
      for (const statement of undo) await client.query(statement);
      await setSequences(db, surface);
      await compare(client, surface);
      if (options.pause) await saveOutboundPause(db, options.pause);
    }
    await options.beforeCommit?.();
    for (const { client } of open) await client.query("commit");
    // For good plans from the first query on; autovacuum would analyze only later.
    for (const { client } of open) await client.query("analyze").catch(() => {});
  } finally {
    await Promise.all(open.map(({ client }) => endClient(client)));
  }
}

type Loading = {
  surface: SurfaceManifest;
  client: ServerClient;
  db: Queryable;
  /** Statements that restore constraints and triggers. */
  undo: string[];
};

/** Rejects a backup of a newer hub, or with other migrations: its tables cannot be created here. */
async function requireLoadable({ file, manifest }: CheckedBackup, { environment }: Target): Promise<SurfaceManifest> {
  const surface = manifest.surfaces.find((one) => one.environment === environment);
  if (!surface) throw new BackupRefused(`${file} holds no ${environment} surface.`);
  const mismatch = findMismatch(surface.migrations, await readMigrations());
  if (mismatch?.kind === "newer") {
    throw new BackupRefused(
      `${file} was made by a newer hub: it has the migration ${mismatch.name}. Upgrade this hub first.`,
    );
  }
  if (mismatch?.kind === "changed") {
    throw new BackupRefused(
      `${file} was made by another version of this hub: its migration ${mismatch.name} is not the one here.`,
    );
  }
  if (mismatch) {
    throw new BackupRefused(
      `${file} is too old for this hub: its last migration is ${mismatch.name}. Restore it with the version that made it, and upgrade from there.`,
    );
  }
  return surface;
}

async function begin({ environment, connection, mayReplace }: Target, surface: SurfaceManifest): Promise<Loading> {
  const client = await connectClient(connection, copySettings);
  const db = queryableOf(client);
  try {
    await client.query("begin");
    // A hub that starts on this database meanwhile waits for this lock, and then finds the tables.
    await client.query(migrationLock);
    if (mayReplace) await client.query("drop schema public cascade; create schema public");
    await requireEmpty(db, environment);
    const wanted = new Set(surface.migrations.map(({ version }) => version));
    await applyMissing(
      db,
      (await readMigrations()).filter(({ version }) => wanted.has(version)),
    );
    await client.query("delete from schema_migrations");
    return { surface, client, db, undo: await takeDownRules(db) };
  } catch (error) {
    await endClient(client);
    throw error;
  }
}

async function requireEmpty(db: Queryable, environment: string): Promise<void> {
  const [found] = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p', 'v', 'm', 'S', 'f') and relnamespace = current_schema()::regnamespace
      order by relname = 'organizations' desc, 1 limit 1`,
  );
  if (!found) return;
  throw new BackupRefused(
    `The ${environment} database is not empty: it has ${found.name}. Restore into a new data directory or an empty database.`,
  );
}

/**
 * Removes triggers and foreign keys. Triggers would repeat effects that are already in the rows. Foreign keys would be checked row by
 * row, and circular ones allow no order of tables; created again, each is checked for all rows at once.
 */
async function takeDownRules(db: Queryable): Promise<string[]> {
  const keys = await db.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
       from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by 1`,
  );
  const triggers = await db.query<{ disable: string; enable: string }>(
    `select distinct format('alter table %s disable trigger user', tgrelid::regclass) as disable,
                     format('alter table %s enable trigger user', tgrelid::regclass) as enable
       from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace`,
  );
  for (const { drop } of keys) await db.query(drop);
  for (const { disable } of triggers) await db.query(disable);
  return [...keys.map(({ add }) => add), ...triggers.map(({ enable }) => enable)];
}

async function loadRows({ file }: CheckedBackup, open: Loading[]): Promise<void> {
  const frames = readFrames(file);
  for (let frame = await nextOf(frames); frame; frame = await nextOf(frames)) {
    if (frame.type !== "T") continue;
    const { environment, table, columns } = parse(frame) as TableName;
    const rows = rowsOf(frames);
    const loading = open.find(({ surface }) => surface.environment === environment);
    if (loading) {
      await copyIn(loading.client, `copy ${quoted(table)} (${columns.map(quoted).join(", ")}) from stdin`, rows);
    } else {
      for await (const _skipped of rows);
    }
  }
}

async function setSequences(db: Queryable, { sequences }: SurfaceManifest): Promise<void> {
  for (const { table, column, lastValue, isCalled } of sequences) {
    await db.query("select setval(pg_get_serial_sequence(quote_ident($1), $2), $3, $4)", [
      table,
      column,
      lastValue,
      isCalled,
    ]);
  }
}

/** Reads all tables back and compares them with the source at the time of the backup. */
async function compare(client: ServerClient, { environment, tables }: SurfaceManifest): Promise<void> {
  const there = await listTables(queryableOf(client));
  const wanted = tables.map(({ table }) => table);
  if (there.join() !== wanted.toSorted().join())
    throw new Error(`The ${environment} database got other tables than the backup has.`);
  for (const table of tables) {
    const { rows, digest } = await digestTable(client, table);
    if (rows === table.rows && digest === table.digest) continue;
    throw new Error(
      `${environment}: ${table.table} has ${rows} rows that do not match the ${table.rows} of the backup.`,
    );
  }
}
