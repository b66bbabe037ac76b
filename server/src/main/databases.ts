import type { ClientConfig } from "pg";
import type { Environment } from "../context.ts";
import { areSameDatabase, createMissingDatabase, readServerVersion } from "../db/database-server.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { DataDirInUse, holdHubLock } from "../db/hub-lock.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";

export type Databases = {
  environments: Environment[];
  /** How to reach the database of this environment, which is made if it is missing. */
  reach(environment: Environment): Promise<ClientConfig>;
  /** No other hub can be at work on these databases. */
  isExclusive: boolean;
  /** Stops the embedded server; does nothing to an external one. */
  stop(): Promise<void>;
};

const minServerVersion = 150_000;

type OpenOptions = {
  log(message: string): void;
  /** Works beside a hub that runs on the same data directory, instead of refusing. */
  mayShare: boolean;
  /** Called while an embedded server starts, which takes a second the first time. */
  meanwhile?(): void;
};

export async function openDatabases(config: Config, options: OpenOptions): Promise<Databases> {
  return config.databaseUrl === undefined ? await openEmbedded(config, options) : await openExternal(config);
}

async function openEmbedded(config: Config, { log, mayShare, meanwhile }: OpenOptions): Promise<Databases> {
  // Both surfaces, the lock, the signals, and some for whoever looks in with psql.
  const settings = { max_connections: String(Math.max(120, 2 * config.maxConnections + 20)) };
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, settings, log, meanwhile });
  let stop = async (): Promise<void> => await postgres.stop();
  let isExclusive = true;
  try {
    const lock = await holdHubLock(postgres.connection("postgres"));
    stop = async () => {
      // The lock last: until PostgreSQL is down, no other hub may begin to use it.
      await postgres.stop();
      await lock.release();
    };
  } catch (error) {
    if (!(error instanceof DataDirInUse)) await postgres.stop();
    postgres.leave();
    if (!(error instanceof DataDirInUse && mayShare)) throw error;
    stop = async () => {};
    isExclusive = false;
  }
  return {
    environments: config.previewPort === undefined ? ["live"] : ["live", "preview"],
    async reach(environment) {
      const name = `hub_${environment}`;
      await createMissingDatabase(postgres.connection("postgres"), name);
      return postgres.connection(name);
    },
    isExclusive,
    stop,
  };
}

async function openExternal(config: Config): Promise<Databases> {
  const live: ClientConfig = { connectionString: config.databaseUrl! };
  const connections = new Map<Environment, ClientConfig>([["live", live]]);
  if (config.previewPort !== undefined && config.previewDatabaseUrl !== undefined) {
    connections.set("preview", { connectionString: config.previewDatabaseUrl });
  }
  for (const [environment, connection] of connections) await requireVersion(environment, connection);
  const preview = connections.get("preview");
  // Emptying the preview is one request; it must never be able to empty the live database.
  if (preview && (await areSameDatabase(live, preview))) {
    throw new ConfigError("PREVIEW_DATABASE_URL leads to the same database as DATABASE_URL; it needs one of its own.");
  }
  return {
    environments: [...connections.keys()],
    reach: async (environment) => connections.get(environment)!,
    isExclusive: false,
    stop: async () => {},
  };
}

async function requireVersion(environment: Environment, connection: ClientConfig): Promise<void> {
  let version: number;
  try {
    version = await readServerVersion(connection);
  } catch (error) {
    throw new ConfigError(`The ${environment} database does not answer: ${describe(error)}`);
  }
  if (version < minServerVersion) {
    throw new ConfigError(
      `The ${environment} database is PostgreSQL ${Math.floor(version / 10_000)}; 15 or newer is needed.`,
    );
  }
}

/** Node reports a refused connection to several addresses as one error without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((cause: Error) => cause.message).join("; ");
  return (error as Error).message;
}
