import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Database, Queryable } from "./database.ts";
import { openDatabase } from "./database.ts";
import type { Connection } from "./server-client.ts";

type Migration = { version: number; name: string; sql: string; checksum: string };

const migrationsFolder = path.join(import.meta.dirname, "../../migrations");
const lockKey = 7_204_119;

export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name), "utf8");
      return {
        version: Number.parseInt(name, 10),
        name,
        sql,
        checksum: createHash("sha256").update(sql).digest("hex"),
      };
    }),
  );
}

/** Applies what is missing, all or nothing; a second run, or a second hub at the same moment, does nothing. */
export async function migrate(connection: Connection, db: Queryable, migrations: Migration[]): Promise<Migration[]> {
  if ((await appliedVersion(db)) === newest(migrations)) return [];
  // A connection of its own: the time limits that protect requests would cut off a long migration.
  const patient = openDatabase({ connection, maxConnections: 1, isPatient: true, onError: () => {} });
  try {
    return await patient.transaction((tx) => applyMissing(tx, migrations));
  } finally {
    await patient.close();
  }
}

/** Looks only: for those who must not change a database that an older hub may be at work on. */
export async function requireMigrated(db: Database, migrations: Migration[]): Promise<void> {
  const missing = await db.transaction(async (tx) =>
    (await appliedVersion(tx)) === 0 ? migrations : await findMissing(tx, migrations),
  );
  const [first] = missing;
  if (first === undefined) return;
  throw new Error(
    `The database lacks ${missing.length} migrations, from ${first.name} on. Start the hub or run "hub migrate" first.`,
  );
}

/** Where several begin at the same moment, they do so one after the other. */
export const migrationLock = `select pg_advisory_xact_lock(${lockKey})`;

/** In the transaction of `tx`. */
export async function applyMissing(tx: Queryable, migrations: Migration[]): Promise<Migration[]> {
  await tx.query(migrationLock);
  await tx.query(
    `create table if not exists schema_migrations (
       version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const missing = await findMissing(tx, migrations);
  for (const migration of missing) {
    await tx.query(migration.sql);
    await tx.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
  }
  return missing;
}

async function findMissing(tx: Queryable, migrations: Migration[]): Promise<Migration[]> {
  const applied = await tx.query<{ version: number; name: string; checksum: string }>(
    "select version, name, checksum from schema_migrations order by version",
  );
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = known.get(row.version);
    if (!migration)
      throw new Error(`The database is newer than this hub: it has migration ${row.name}. Upgrade the hub.`);
    if (migration.checksum !== row.checksum) {
      throw new Error(`Migration ${row.name} was changed after it was applied. Add a new migration instead.`);
    }
  }
  const done = new Set(applied.map((row) => row.version));
  return migrations.filter((migration) => !done.has(migration.version));
}

async function appliedVersion(db: Queryable): Promise<number> {
  const [{ exists } = { exists: false }] = await db.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (!exists) return 0;
  const [row] = await db.query<{ version: number | null }>("select max(version) as version from schema_migrations");
  return row?.version ?? 0;
}

function newest(migrations: Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}
