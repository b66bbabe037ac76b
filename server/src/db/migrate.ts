import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Queryable } from "./database.ts";
import { openDatabase, sqlState } from "./database.ts";
import type { HubAtWork } from "./hubs-at-work.ts";
import { describeHub, findHubsAtWork } from "./hubs-at-work.ts";
import type { Connection } from "./server-client.ts";
import { announceSchema } from "./signals.ts";

export type Migration = {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** Its statement is repeated, each time in a transaction of its own, until it returns no row. */
  isBatched: boolean;
  /** Creates the schema that all migrations up to its version made. Databases that have those count as having it. */
  isBaseline: boolean;
};

export type AppliedMigration = Pick<Migration, "version" | "name" | "checksum">;

/** What a migration run is doing, for the log and for `/readyz`. */
export type MigrationProgress =
  /** Hubs are still at work on the database; they get a few seconds to end. */
  | { step: "waiting"; hubs: string[] }
  /** `version` is that of the database before; 0 for an empty one. `rows`: estimates for the largest tables. */
  | { step: "begin"; version: number; count: number; rows: Record<string, number> }
  /** `rows`: how many a batched migration has changed so far. */
  | { step: "apply"; name: string; number: number; of: number; rows?: number };

type MigrateOptions = {
  report?(progress: MigrationProgress): void;
  /** Cancels the statement at work. Everything since the last commit is undone. */
  stopping?: AbortSignal | undefined;
  /** How long hubs that are at work may take to end. */
  patienceMs?: number;
};

const migrationsFolder = path.join(import.meta.dirname, "../../migrations");
const lockKey = 7_204_119;
const cancelEveryMs = 100;
const batchedHeader = /^-- hub: in batches$/m;
const baselineHeader = /^-- hub: baseline$/m;
/** The last version of the hub that has the migrations before the baseline. */
const lastBeforeBaseline = "commit e14b1c20";
/** A hub that was told to stop needs up to ten seconds. */
const hubsPatienceMs = 12_000;
const lookAgainMs = 250;
const largestTables = 4;

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
        isBatched: batchedHeader.test(sql),
        isBaseline: baselineHeader.test(sql),
      };
    }),
  );
}

/**
 * Applies what is missing; a second run, or a second hub at the same moment, does nothing. Migrations that follow one another
 * without a batched one between them are applied in one transaction: all or nothing.
 */
export async function migrate(
  connection: Connection,
  db: Queryable,
  migrations: Migration[],
  { report = () => {}, stopping, patienceMs = hubsPatienceMs }: MigrateOptions = {},
): Promise<Migration[]> {
  const version = await appliedVersion(db);
  if (version === newest(migrations)) return [];
  // A connection of its own: the time limits that protect requests would cut off a long migration.
  const patient = openDatabase({ connection, maxConnections: 1, isPatient: true, onError: () => {} });
  try {
    if (version > 0 && !(await awaitHubsGone(patient, migrations, { report, patienceMs }))) return [];
    return await applyAll(patient, db, migrations, { version, report, stopping });
  } catch (error) {
    throw await explain(error, db, stopping);
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

/** The newest migration of the database, if it is newer than those that this hub knows. */
export async function findNewerMigration(db: Queryable, migrations: Migration[]): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    "select name from schema_migrations where version > $1 order by version desc limit 1",
    [newest(migrations)],
  );
  return row?.name;
}

/**
 * A hub at work would meet tables that it does not know, or deadlock with the migration. False: another process has migrated
 * meanwhile, and nothing is left to do.
 */
async function awaitHubsGone(
  db: Database,
  migrations: Migration[],
  { report, patienceMs }: { report(progress: MigrationProgress): void; patienceMs: number },
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (let looks = 0; ; looks++) {
    // First: a hub that has just migrated is at work from then on.
    if ((await findMissing(db, migrations)).length === 0) return false;
    const hubs = await findHubsAtWork(db);
    if (hubs.length === 0) return true;
    if (looks === 0) report({ step: "waiting", hubs: hubs.map(describeHub) });
    if (performance.now() > deadline) throw new Error(refusal(hubs));
    await sleep(lookAgainMs);
  }
}

function refusal(hubs: HubAtWork[]): string {
  return [
    `The database has to be migrated, and ${hubs.length === 1 ? "a hub is" : `${hubs.length} hubs are`} at work on it:`,
    ...hubs.map((hub) => `  ${describeHub(hub)}`),
    "Stop every hub process on this database, then start again. Nothing was changed.",
    `If such a process no longer exists, end what it left in the database: select pg_terminate_backend(${hubs[0]!.pid});`,
  ].join("\n");
}

type ApplyOptions = Pick<Required<MigrateOptions>, "report"> & { version: number; stopping: AbortSignal | undefined };

async function applyAll(
  patient: Database,
  db: Queryable,
  migrations: Migration[],
  { version, report, stopping }: ApplyOptions,
): Promise<Migration[]> {
  const applied: Migration[] = [];
  const missing = version === 0 ? migrations : await findMissing(patient, migrations);
  const rows = await estimateRows(patient);
  report({ step: "begin", version, count: missing.length, rows });
  const changed = new Map<string, number>();
  for (;;) {
    const step = await patient.transaction(async (tx) => {
      const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
      const cancel = (): void => void db.query("select pg_cancel_backend($1)", [pid]).catch(() => {});
      let repeating: NodeJS.Timeout | undefined;
      // Again and again: a request that arrives between two statements cancels nothing, and the next one may wait for a lock.
      const keepCancelling = (): void => {
        cancel();
        repeating = setInterval(cancel, cancelEveryMs);
      };
      stopping?.throwIfAborted();
      stopping?.addEventListener("abort", keepCancelling, { once: true });
      try {
        const done = await applyNext(tx, migrations, (migration) => {
          const number = migrations.indexOf(migration) - (migrations.length - missing.length) + 1;
          const rows = changed.get(migration.name);
          report({ step: "apply", name: migration.name, number, of: missing.length, ...(rows ? { rows } : {}) });
        });
        if (done.applied.length > 0) announceSchema(tx);
        return done;
      } finally {
        stopping?.removeEventListener("abort", keepCancelling);
        clearInterval(repeating);
      }
    });
    applied.push(...step.applied);
    if (step.batchOf) changed.set(step.batchOf.name, (changed.get(step.batchOf.name) ?? 0) + step.rows);
    else if (step.applied.length === 0) return applied;
  }
}

type Step = { applied: Migration[]; batchOf?: Migration; rows: number };

/** Where several begin at the same moment, they do so one after the other. */
export const migrationLock = `select pg_advisory_xact_lock(${lockKey})`;

/** All that are missing, in the transaction of `db`. */
export async function applyMissing(db: Queryable, migrations: Migration[]): Promise<void> {
  for (;;) {
    const { applied, batchOf } = await applyNext(db, migrations, () => {});
    if (applied.length === 0 && !batchOf) return;
  }
}

/** What one transaction does: one batch of a batched migration, or all that are missing before the next of those. */
async function applyNext(tx: Queryable, migrations: Migration[], begin: (migration: Migration) => void): Promise<Step> {
  await tx.query(migrationLock);
  await tx.query(
    `create table if not exists schema_migrations (
       version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const missing = await findMissing(tx, migrations);
  const [first] = missing;
  if (first === undefined) return { applied: [], rows: 0 };
  if (first.isBatched) {
    begin(first);
    const rows = await tx.query(first.sql);
    if (rows.length > 0) return { applied: [], batchOf: first, rows: rows.length };
    await note(tx, first);
    return { applied: [first], rows: 0 };
  }
  const end = missing.findIndex(({ isBatched }) => isBatched);
  const together = end === -1 ? missing : missing.slice(0, end);
  for (const migration of together) {
    begin(migration);
    await tx.query(migration.sql);
    await note(tx, migration);
  }
  return { applied: together, rows: 0 };
}

async function note(tx: Queryable, { version, name, checksum }: Migration): Promise<void> {
  await tx.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
    version,
    name,
    checksum,
  ]);
}

/** PostgreSQL's own estimates: counting would take longer than many a migration. */
async function estimateRows(db: Queryable): Promise<Record<string, number>> {
  const found = await db.query<{ name: string; rows: number }>(
    `select stats.relname as name, greatest(reltuples, n_live_tup)::bigint as rows
       from pg_class join pg_stat_user_tables stats on stats.relid = pg_class.oid
      where greatest(reltuples, n_live_tup) > 0
      order by rows desc, name limit ${largestTables}`,
  );
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** Locks that are in the way are those of other processes: which ones is worth more than PostgreSQL's own words. */
async function explain(error: unknown, db: Queryable, stopping: AbortSignal | undefined): Promise<unknown> {
  if (stopping?.aborted)
    return new Error("The migration was stopped; nothing of its last step was kept.", { cause: error });
  if (!["40P01", "55P03"].includes(sqlState(error) ?? "")) return error;
  const hubs = await findHubsAtWork(db).catch(() => []);
  const others =
    hubs.length > 0 ? refusal(hubs) : "Stop whatever else uses this database, then start again. Nothing was changed.";
  return new Error(`The migration and another connection waited for each other's locks (deadlock). ${others}`, {
    cause: error,
  });
}

async function findMissing(db: Queryable, migrations: Migration[]): Promise<Migration[]> {
  const applied = await db.query<AppliedMigration>(
    "select version, name, checksum from schema_migrations order by version",
  );
  const mismatch = findMismatch(applied, migrations);
  if (mismatch) throw new Error(explainMismatch(mismatch));
  const done = new Set(applied.map((row) => row.version));
  return migrations.filter((migration) => !done.has(migration.version));
}

export type Mismatch = { kind: "newer" | "changed" | "too old"; name: string };

/** Why this hub cannot work with a schema that these migrations made, or upgrade it. */
export function findMismatch(applied: AppliedMigration[], migrations: Migration[]): Mismatch | undefined {
  const baseline = migrations.find(({ isBaseline }) => isBaseline);
  const last = applied.at(-1);
  if (baseline && last && last.version < baseline.version) return { kind: "too old", name: last.name };
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of applied) {
    // The steps that the baseline replaces. The last of them has its version.
    if (baseline && version <= baseline.version && name !== baseline.name) continue;
    const migration = known.get(version);
    if (!migration) return { kind: "newer", name };
    if (migration.checksum !== checksum) return { kind: "changed", name };
  }
  return undefined;
}

function explainMismatch({ kind, name }: Mismatch): string {
  if (kind === "newer") return `The database is newer than this hub: it has migration ${name}. Upgrade the hub.`;
  if (kind === "changed")
    return `Migration ${name} was changed after it was applied. Add a new migration instead.`;
  return (
    `The database is too old for this hub: its last migration is ${name}. ` +
    `Start ${lastBeforeBaseline} of the hub on it once, which upgrades it, then this one. Nothing was changed.`
  );
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
