import type { Environment, World } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import type { MigrationProgress } from "../db/migrate.ts";
import type { Config } from "./config.ts";
import type { Databases, OpenOptions } from "./databases.ts";
import { openDatabases } from "./databases.ts";
import { createHubLog } from "./hub-log.ts";
import { findSecretKey } from "./secret-key.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

type WorldsOptions = {
  /** Only for commands that are meant to migrate: it cannot be reverted, and an older hub may use the databases. */
  mayMigrate: boolean;
  /** Opens the databases although some secrets cannot be decrypted. */
  mayLackKeys?: boolean;
  /** Receives the progress of migrations. */
  reporter?: (environment: Environment) => (progress: MigrationProgress) => void;
};

/** How long interrupted work may take to end before it is abandoned. */
const interruptMs = 2_000;

/** Opens the databases for a command and closes them afterwards. */
export async function withWorlds(
  config: Config,
  { mayMigrate, mayLackKeys = false, reporter }: WorldsOptions,
  work: (worlds: World[]) => Promise<void>,
): Promise<void> {
  const log = createHubLog({ ...config, logLevel: "warn" });
  await withDatabases(config, { mayShare: true, mayCreate: mayMigrate }, async (databases, stopping) => {
    const open: OpenWorld[] = [];
    try {
      const secrets = createSecrets(await findSecretKey(config), config.previousSecretKeys);
      for (const environment of databases.environments) {
        const connection = await databases.reach(environment);
        const { maxSignInFailures, outbound } = config;
        const settings = { maxSignInFailures, outbound };
        const options = { environment, connection, maxConnections: 2, secrets, log, settings, mayMigrate, mayLackKeys };
        const report = reporter?.(environment);
        open.push(await openWorld({ ...options, stopping, ...(report ? { report } : {}) }));
      }
      await work(open.map(({ world }) => world));
    } finally {
      for (const { close } of open) await close();
    }
  });
}

/** For a command that needs only the databases; Ctrl-C leaves no PostgreSQL running. */
export async function withDatabases(
  config: Config,
  options: Omit<OpenOptions, "log" | "meanwhile" | "stopping">,
  work: (databases: Databases, stopping: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  // Ctrl-C may arrive twice: from the terminal, and forwarded by the parent process.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  const opening = openDatabases(config, { ...options, log: () => {}, stopping: stopping.signal });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  stopping.signal.addEventListener("abort", () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, interruptMs));
    // A cancelled migration needs a moment to cancel its statement on an external server.
    const quiet = Promise.race([ended, opening.then(() => late)]);
    const stopped = quiet.then(() => opening).then((databases) => databases.stop());
    void stopped.catch(() => {}).finally(() => process.exit(130));
  });
  const databases = await opening;
  try {
    await work(databases, stopping.signal);
  } finally {
    end();
    await databases.stop();
  }
}
