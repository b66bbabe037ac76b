import type { Logger } from "pino";
import type { SettableClock } from "../core/clock.ts";
import { createClock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Environment, Settings, World } from "../context.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import type { Migration } from "../db/read-migrations.ts";
import type { MigrationProgress } from "../db/migrate.ts";
import { migrate, requireMigrated } from "../db/migrate.ts";
import { readMigrations } from "../db/read-migrations.ts";
import { watchSchema } from "../db/schema-watch.ts";
import type { Connection } from "../db/server-client.ts";
import { openSignals } from "../db/signals.ts";
import { createHeadSigner } from "../events/audit-head.ts";
import { createSealer } from "../events/sealer.ts";
import { checkSecretKeys } from "./secret-key.ts";

type WorldOptions = {
  environment: Environment;
  connection: Connection;
  maxConnections: number;
  /** Further connections, for background work. */
  maxBackground?: number;
  secrets: Secrets;
  log: Logger;
  settings: Settings;
  rowSecurity?: boolean;
  clock?: SettableClock;
  /** Opens a database although some secrets cannot be decrypted: for commands that report or repair that. */
  mayLackKeys?: boolean;
  /** False: rejects a database that is not up to date. */
  mayMigrate?: boolean;
  /** Receives the progress of migrations. */
  report?: (progress: MigrationProgress) => void;
  /** Ends a migration that is under way. */
  stopping?: AbortSignal;
  /** A newer hub migrated the database: this one has to stop. */
  onNewerSchema?: (migration: string) => void;
};

export type OpenWorld = { world: World; close(): Promise<void> };

/** Connects, migrates, and builds the context of every verb of this surface. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { environment, connection, secrets, settings, maxConnections, maxBackground } = options;
  const log = options.log.child({ environment });
  const onDatabaseError = (error: Error): void => log.warn({ err: error }, "a database connection was lost");
  const db = openDatabase({ connection, maxConnections, maxBackground, onError: onDatabaseError });
  try {
    const signer = createHeadSigner(secrets, environment);
    const migrations = await readMigrations();
    await bringUpToDate(db, options, { migrations, log });
    if (!options.mayLackKeys) await checkSecretKeys(db, secrets, environment);
    if (options.rowSecurity && !(await db.enableRowSecurity())) {
      log.warn("no role hub_org: row-level security is off, organizations are separated by the queries alone");
    }
    const signals = await openSignals(connection, { onError: onDatabaseError });
    const { onNewerSchema } = options;
    if (onNewerSchema) watchSchema({ db, signals }, migrations, onNewerSchema);
    const sealer = createSealer(db, signer, {
      onSealed: (tx, orgId) => signals.publish(tx, "events", orgId),
      onError: (error) => log.warn({ err: error }, "events could not be sealed yet"),
    });
    const world: World = {
      environment,
      db,
      clock: options.clock ?? createClock(),
      secrets,
      signals,
      sealer,
      log,
      newId,
      settings,
    };
    return {
      world,
      async close() {
        await sealer.stop();
        await signals.close();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function bringUpToDate(
  db: Database,
  { connection, mayMigrate = true, report, stopping }: WorldOptions,
  { migrations, log }: { migrations: Migration[]; log: Logger },
): Promise<void> {
  if (!mayMigrate) return await requireMigrated(db, migrations);
  const begun = performance.now();
  const applied = await migrate(connection, db, migrations, { ...(report ? { report } : {}), stopping });
  const ms = Math.round(performance.now() - begun);
  if (applied.length > 0)
    log.info({ migrations: applied.length, newest: applied.at(-1)?.name, ms }, "database migrated");
}
