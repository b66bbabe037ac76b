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
  /** Creates the database of this environment if it is missing. */
  reach(environment: Environment): Promise<Connection>;
  /** No other hub can use these databases. */
  isExclusive: boolean;
  /** Stops the embedded server, in good order if it takes no longer than this; does nothing to an external one. */
  stop(patienceMs?: number): Promise<void>;
};

const minServerVersion = 150_000;

/** Of each process and database: signals, and two worker processes with four connections each. */
const connectionsBesidePool = 9;
const fewestInBackground = 4;

/** Some background work needs two connections at a time. The first process runs all of it, so it is not divided. */
export function backgroundConnections({
  maxConnections,
  processes,
}: Pick<Config, "maxConnections" | "processes">): number {
  return Math.max(fewestInBackground, Math.ceil((maxConnections * processes) / 2));
}

export type OpenOptions = {
  log(message: string): void;
  /** Shares the data directory with a running hub, instead of failing. */
  mayShare: boolean;
  /** Creates a missing cluster or database, instead of failing. */
  mayCreate: boolean;
  /** Aborts the start and stops what was started. */
  stopping?: AbortSignal;
  /** The caller is the restore or move that has marked this data directory. */
  mayBeMarked?: boolean;
  /** Called while an embedded server starts, which takes a second the first time. */
  meanwhile?(): void;
};

export async function openDatabases(config: Config, options: OpenOptions): Promise<Databases> {
  return config.databaseUrl === undefined ? await openEmbedded(config, options) : await openExternal(config);
}

async function openEmbedded(config: Config, options: OpenOptions): Promise<Databases> {
  // Both databases: requests of all processes, background work, worker processes, signals; and some for psql.
  const { maxConnections, processes } = config;
  const perDatabase = processes * (maxConnections + connectionsBesidePool) + backgroundConnections(config);
  const settings = { max_connections: String(Math.max(120, 2 * perDatabase + 20)) };
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
      return { ...connection, user: (await prepare) ?? connection.user };
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
    '(see "Where data is stored" in docs/operate.md). Bring the database back, or remove the key to begin with an empty one.'
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
