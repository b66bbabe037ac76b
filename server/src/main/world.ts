import type { ClientConfig } from "pg";
import type { Logger } from "pino";
import type { SettableClock } from "../core/clock.ts";
import { createClock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Environment, Settings, World } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate, readMigrations } from "../db/migrate.ts";
import { openSignals } from "../db/signals.ts";
import { createSealer } from "../events/sealer.ts";

type WorldOptions = {
  environment: Environment;
  connection: ClientConfig;
  maxConnections: number;
  secrets: Secrets;
  log: Logger;
  settings: Settings;
  rowSecurity?: boolean;
  clock?: SettableClock;
};

export type OpenWorld = { world: World; close(): Promise<void> };

/** Connects, migrates, and builds what every verb of this surface works with. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { environment, connection, secrets, settings } = options;
  const log = options.log.child({ environment });
  const onDatabaseError = (error: Error): void => log.warn({ err: error }, "a database connection was lost");
  const db = openDatabase({ connection, maxConnections: options.maxConnections, onError: onDatabaseError });
  try {
    const applied = await migrate(connection, db, await readMigrations());
    if (applied.length > 0) log.info({ migrations: applied.map(({ name }) => name) }, "database migrated");
    if (options.rowSecurity && !(await db.confine())) {
      log.warn("no role hub_org: organizations are kept apart by the statements alone");
    }
    const signals = await openSignals(connection, onDatabaseError);
    const sealer = createSealer(db, (error) => log.warn({ err: error }, "events could not be sealed yet"));
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
