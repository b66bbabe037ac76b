import { existsSync } from "node:fs";
import type { Environment } from "../context.ts";
import { areSameDatabase, findOwner, prepareDatabase, readServerVersion } from "../db/database-server.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { DataDirInUse, holdHubLock } from "../db/hub-lock.ts";
import type { Connection } from "../db/server-client.ts";
import { readDatabaseUrl } from "../db/server-client.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import { refuseMarked } from "./data-dir-marks.ts";
import { secretKeyFile } from "./secret-key.ts";

export type Databases = {
  environments: Environment[];
  /** How to reach the database of this environment, which is made if it is missing. */
  reach(environment: Environment): Promise<Connection>;
  /** No other hub can be at work on these databases. */
  isExclusive: boolean;
  /** Stops the embedded server, in good order if it takes no longer than this; does nothing to an external one. */
  stop(patienceMs?: number): Promise<void>;
};

const minServerVersion = 150_000;

export type OpenOptions = {
  log(message: string): void;
  /** Works beside a hub that runs on the same data directory, instead of refusing. */
  mayShare: boolean;
  /** Makes what is missing: the cluster, and the databases in it. Otherwise that is refused. */
  mayCreate: boolean;
  /** Ends it, wherever it is; what was started is stopped then. */
  stopping?: AbortSignal;
  /** A restore, or a move, is at work on this data directory itself. */
  mayBeMarked?: boolean;
  /** Called while an embedded server starts, which takes a second the first time. */
  meanwhile?(): void;
};

export async function openDatabases(config: Config, options: OpenOptions): Promise<Databases> {
  return config.databaseUrl === undefined ? await openEmbedded(config, options) : await openExternal(config);
}

async function openEmbedded(config: Config, options: OpenOptions): Promise<Databases> {
  // Both surfaces with what is done in the background, the lock, the signals, and some for whoever looks in with psql.
  const settings = { max_connections: String(Math.max(120, 3 * config.maxConnections + 40)) };
  const { log, mayShare, mayCreate, mayBeMarked = false, meanwhile, stopping } = options;
  const { dataDir } = config;
  if (!mayBeMarked) refuseMarked(dataDir);
  // A restore brings the database that belongs to a key.
  const whyNotEmpty = mayCreate && mayBeMarked ? undefined : refuseToBeginEmpty(config, mayCreate);
  const postgres = await startEmbeddedPostgres({ dataDir, settings, log, meanwhile, whyNotEmpty, stopping });
  let stop: Databases["stop"] = async (patienceMs) => await postgres.stop(patienceMs);
  let isExclusive = true;
  try {
    const lock = await holdHubLock(postgres.connection("postgres"), (lost) => {
      // Both would do the same work. The database is the other one's now, so nothing can be written down any more.
      log(`${lost.message} This one ends.`);
      postgres.leave();
      process.exit(1);
    });
    stop = async (patienceMs) => await lock.release(() => postgres.stop(patienceMs));
    postgres.guard();
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
      const connection = postgres.connection(name);
      const prepare = mayCreate
        ? prepareDatabase(postgres.connection, name)
        : findOwner(postgres.connection("postgres"), name);
      return { ...connection, user: (await prepare) ?? connection.user, isOurs: true };
    },
    isExclusive,
    stop,
  };
}

/**
 * The key is made after the cluster, so a key without one means that the data is elsewhere: of a data directory that was
 * moved, or restored in part. An empty database instead of theirs is the last thing its owners want.
 */
function refuseToBeginEmpty({ dataDir }: Config, mayCreate: boolean): string | undefined {
  if (!mayCreate) return `There is no database in ${dataDir} yet. Start the hub or run "hub migrate" first.`;
  const key = secretKeyFile(dataDir);
  if (!existsSync(key)) return undefined;
  return (
    `There is a ${key}, but no database belongs to ${dataDir}: it was moved, or restored in part ` +
    '(see "Where data lies" in docs/operate.md). Bring the database back, or remove the key to begin with an empty one.'
  );
}

async function openExternal(config: Config): Promise<Databases> {
  const live: Connection = readDatabaseUrl(config.databaseUrl!);
  const connections = new Map<Environment, Connection>([["live", live]]);
  if (config.previewPort !== undefined && config.previewDatabaseUrl !== undefined) {
    connections.set("preview", readDatabaseUrl(config.previewDatabaseUrl));
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

async function requireVersion(environment: Environment, connection: Connection): Promise<void> {
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
