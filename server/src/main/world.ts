import type { Logger } from "pino";
import type { SettableClock } from "../core/clock.ts";
import { createClock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Environment, Settings, World } from "../context.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import type { Migration, MigrationProgress } from "../db/migrate.ts";
import { migrate, readMigrations, requireMigrated } from "../db/migrate.ts";
import { watchSchema } from "../db/schema-watch.ts";
import { findMissingKeys } from "../db/sealed-columns.ts";
import type { Connection } from "../db/server-client.ts";
import { openSignals } from "../db/signals.ts";
import type { HeadSigner } from "../events/audit-head.ts";
import { createHeadSigner, resignHeadsAcrossOrgs } from "../events/audit-head.ts";
import { createSealer } from "../events/sealer.ts";
import { checkSecretKeys } from "./secret-key.ts";

type WorldOptions = {
  environment: Environment;
  connection: Connection;
  maxConnections: number;
  /** Connections for what nobody waits for, besides those. */
  maxBackground?: number;
  /** Nobody waits for anything that is done in this process. */
  isBackground?: boolean;
  secrets: Secrets;
  log: Logger;
  settings: Settings;
  rowSecurity?: boolean;
  clock?: SettableClock;
  /** Opens it although some of what is sealed cannot be read: for the commands that say so, or mend it. */
  mayLackKeys?: boolean;
  /** False: a database that is not up to date is refused and left as it is. */
  mayMigrate?: boolean;
  /** Receives what migrations are doing. */
  report?: (progress: MigrationProgress) => void;
  /** Ends a migration that is under way. */
  stopping?: AbortSignal;
  /** A newer hub has migrated the database: this one can do no more than stop. */
  onNewerSchema?: (migration: string) => void;
};

export type OpenWorld = { world: World; close(): Promise<void> };

/** Connects, migrates, and builds what every verb of this surface works with. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { environment, connection, secrets, settings, maxConnections, maxBackground, isBackground } = options;
  const log = options.log.child({ environment });
  const onDatabaseError = (error: Error): void => log.warn({ err: error }, "a database connection was lost");
  const db = openDatabase({ connection, maxConnections, maxBackground, isBackground, onError: onDatabaseError });
  try {
    const signer = createHeadSigner(secrets, environment);
    const migrations = await readMigrations();
    await bringUpToDate(db, options, { migrations, signer, log });
    if (!options.mayLackKeys) await checkSecretKeys(db, secrets, environment);
    if (options.rowSecurity && !(await db.enableRowSecurity())) {
      log.warn("no role hub_org: organizations are kept apart by the statements alone");
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
  { connection, secrets, mayMigrate = true, report, stopping }: WorldOptions,
  { migrations, signer, log }: { migrations: Migration[]; signer: HeadSigner; log: Logger },
): Promise<void> {
  if (!mayMigrate) return await requireMigrated(db, migrations);
  const begun = performance.now();
  const applied = await migrate(connection, db, migrations, { ...(report ? { report } : {}), stopping });
  const ms = Math.round(performance.now() - begun);
  if (applied.length > 0)
    log.info({ migrations: applied.length, newest: applied.at(-1)?.name, ms }, "database migrated");
  // Its heads have no signature yet. Later ones that have none are somebody else's work, or wait for `hub rewrap`.
  const areHeadsNew = applied.some(({ name }) => name.startsWith("0024_"));
  if (areHeadsNew && (await findMissingKeys(db, secrets)).length === 0) {
    await resignHeadsAcrossOrgs(db, signer, new Date());
  }
}
