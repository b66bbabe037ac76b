import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Queryable } from "./database.ts";
import { openDatabase, sqlState } from "./database.ts";
import type { HubAtWork } from "./hubs-at-work.ts";
import { describeHub, findHubsAtWork } from "./hubs-at-work.ts";
import type { Connection } from "./server-client.ts";
import { announceSchema } from "./signals.ts";
import type { Migration } from "./read-migrations.ts";
import type { AppliedMigration } from "./schema-mismatch.ts";
import { explainMismatch, findMismatch } from "./schema-mismatch.ts";

/** Progress of a migration, for the log and for `/readyz`. */
export type MigrationProgress =
  /** Other hubs are running; they get a few seconds to stop. */
  | { step: "waiting"; hubs: string[] }
  /** `version` of the database before the migration, 0 if empty. `rows`: estimates for the largest tables. */
  | { step: "begin"; version: number; count: number; rows: Record<string, number> }
  /** `rows`: changed so far by a batched migration. */
  | { step: "apply"; name: string; number: number; of: number; rows?: number };

type MigrateOptions = {
  report?(progress: MigrationProgress): void;
  /** Cancels the current statement and rolls back to the last commit. */
  stopping?: AbortSignal | undefined;
  /** How long to wait for running hubs to stop. */
  hubsTimeoutMs?: number;
};

const lockKey = 7_204_119;
const cancelEveryMs = 100;
/** A hub takes up to ten seconds to stop. */
const defaultHubsTimeoutMs = 12_000;
const pollMs = 250;
const largestTables = 4;

/**
 * Applies missing migrations; a second run, or a second hub at the same time, does nothing. Consecutive migrations without a
 * batched one between them are applied in one transaction.
 */
export async function migrate(
  connection: Connection,
  db: Queryable,
  migrations: Migration[],
  { report = () => {}, stopping, hubsTimeoutMs = defaultHubsTimeoutMs }: MigrateOptions = {},
): Promise<Migration[]> {
  const version = await appliedVersion(db);
  if (version === newest(migrations)) return [];
  // A separate connection without the timeouts of requests, which would interrupt a long migration.
  const patient = openDatabase({ connection, maxConnections: 1, isPatient: true, onError: () => {} });
  try {
    if (version > 0 && !(await awaitHubsGone(patient, migrations, { report, hubsTimeoutMs }))) return [];
    return await applyAll(patient, db, migrations, { version, report, stopping });
  } catch (error) {
    throw await explain(error, db, stopping);
  } finally {
    await patient.close();
  }
}

/** Checks without migrating, for processes that must not change a database in use by an older hub. */
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

/** The newest migration of the database, if this hub does not know it. */
export async function findNewerMigration(db: Queryable, migrations: Migration[]): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    "select name from schema_migrations where version > $1 order by version desc limit 1",
    [newest(migrations)],
  );
  return row?.name;
}

/**
 * A running hub would find unknown tables or deadlock with the migration. Returns false if another process has migrated in the
 * meantime.
 */
async function awaitHubsGone(
  db: Database,
  migrations: Migration[],
  { report, hubsTimeoutMs }: { report(progress: MigrationProgress): void; hubsTimeoutMs: number },
): Promise<boolean> {
  const deadline = performance.now() + hubsTimeoutMs;
  for (let polls = 0; ; polls++) {
    // Checked first, since a hub that has just migrated is running from then on.
    if ((await findMissing(db, migrations)).length === 0) return false;
    const hubs = await findHubsAtWork(db);
    if (hubs.length === 0) return true;
    if (polls === 0) report({ step: "waiting", hubs: hubs.map(describeHub) });
    if (performance.now() > deadline) throw new Error(refusal(hubs));
    await sleep(pollMs);
  }
}

function refusal(hubs: HubAtWork[]): string {
  return [
    `The database must be migrated, but ${hubs.length === 1 ? "a hub is" : `${hubs.length} hubs are`} running on it:`,
    ...hubs.map((hub) => `  ${describeHub(hub)}`),
    "Stop every hub process on this database, then start again. Nothing was changed.",
    `If such a process no longer exists, close its connection: select pg_terminate_backend(${hubs[0]!.pid});`,
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
      // Repeated: a cancel request between two statements has no effect, and the next statement may wait for a lock.
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

/** Serializes concurrent migrations. */
export const migrationLock = `select pg_advisory_xact_lock(${lockKey})`;

/** Applies all missing migrations in the transaction of `db`. */
export async function applyMissing(db: Queryable, migrations: Migration[]): Promise<void> {
  for (;;) {
    const { applied, batchOf } = await applyNext(db, migrations, () => {});
    if (applied.length === 0 && !batchOf) return;
  }
}

/** One transaction: one batch of a batched migration, or all missing migrations before the next batched one. */
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
    await recordMigration(tx, first);
    return { applied: [first], rows: 0 };
  }
  const end = missing.findIndex(({ isBatched }) => isBatched);
  const together = end === -1 ? missing : missing.slice(0, end);
  for (const migration of together) {
    begin(migration);
    await tx.query(migration.sql);
    await recordMigration(tx, migration);
  }
  return { applied: together, rows: 0 };
}

async function recordMigration(tx: Queryable, { version, name, checksum }: Migration): Promise<void> {
  await tx.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
    version,
    name,
    checksum,
  ]);
}

/** PostgreSQL's estimates, since counting may take longer than the migration. */
async function estimateRows(db: Queryable): Promise<Record<string, number>> {
  const found = await db.query<{ name: string; rows: number }>(
    `select stats.relname as name, greatest(reltuples, n_live_tup)::bigint as rows
       from pg_class join pg_stat_user_tables stats on stats.relid = pg_class.oid
      where greatest(reltuples, n_live_tup) > 0
      order by rows desc, name limit ${largestTables}`,
  );
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** Replaces PostgreSQL's deadlock message by the processes that hold the locks. */
async function explain(error: unknown, db: Queryable, stopping: AbortSignal | undefined): Promise<unknown> {
  if (stopping?.aborted)
    return new Error("The migration was stopped; its last step was rolled back.", { cause: error });
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
