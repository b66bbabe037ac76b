import { pino } from "pino";
import type { World } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import type { Config } from "./config.ts";
import { openDatabases } from "./databases.ts";
import { findSecretKey } from "./secret-key.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

/** Opens the databases for a command, migrated, and closes them afterwards. */
export async function withWorlds(
  config: Config,
  work: (worlds: World[]) => Promise<void>,
  { mayLackKeys = false } = {},
): Promise<void> {
  const log = pino({ level: "warn" });
  const secrets = createSecrets(await findSecretKey(config), config.previousSecretKeys);
  const databases = await openDatabases(config, { log: () => {}, mayShare: true });
  const open: OpenWorld[] = [];
  const interrupt = (): void => void databases.stop().finally(() => process.exit(130));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, interrupt);
  try {
    for (const environment of databases.environments) {
      const connection = await databases.reach(environment);
      const { maxSignInFailures, outbound } = config;
      const settings = { maxSignInFailures, outbound };
      const options = { environment, connection, maxConnections: 2, secrets, log, settings, mayLackKeys };
      open.push(await openWorld(options));
    }
    await work(open.map(({ world }) => world));
  } finally {
    for (const { close } of open) await close();
    await databases.stop();
  }
}
