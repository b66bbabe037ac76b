import { pino } from "pino";
import type { World } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import type { Config } from "./config.ts";
import type { Databases, OpenOptions } from "./databases.ts";
import { openDatabases } from "./databases.ts";
import { findSecretKey } from "./secret-key.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

type WorldsOptions = {
  /** Only a command whose purpose it is: there is no way back, and an older hub may be at work on them. */
  mayMigrate: boolean;
  /** Opens them although some of what is sealed cannot be read. */
  mayLackKeys?: boolean;
};

/** Opens the databases for a command and closes them afterwards. */
export async function withWorlds(
  config: Config,
  { mayMigrate, mayLackKeys = false }: WorldsOptions,
  work: (worlds: World[]) => Promise<void>,
): Promise<void> {
  const log = pino({ level: "warn" });
  await withDatabases(config, { mayShare: true, mayCreate: mayMigrate }, async (databases) => {
    const open: OpenWorld[] = [];
    try {
      const secrets = createSecrets(await findSecretKey(config), config.previousSecretKeys);
      for (const environment of databases.environments) {
        const connection = await databases.reach(environment);
        const { maxSignInFailures, outbound } = config;
        const settings = { maxSignInFailures, outbound };
        const options = { environment, connection, maxConnections: 2, secrets, log, settings, mayMigrate, mayLackKeys };
        open.push(await openWorld(options));
      }
      await work(open.map(({ world }) => world));
    } finally {
      for (const { close } of open) await close();
    }
  });
}

/** For a command that needs the databases and no more; Ctrl-C leaves no PostgreSQL behind. */
export async function withDatabases(
  config: Config,
  options: Omit<OpenOptions, "log" | "meanwhile">,
  work: (databases: Databases) => Promise<void>,
): Promise<void> {
  const databases = await openDatabases(config, { ...options, log: () => {} });
  let interrupted: Promise<void> | undefined;
  // Ctrl-C may arrive twice: from the terminal, and passed on by the process that started this one.
  const interrupt = (): void => void (interrupted ??= databases.stop().finally(() => process.exit(130)));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, interrupt);
  try {
    await work(databases);
  } finally {
    await databases.stop();
  }
}
