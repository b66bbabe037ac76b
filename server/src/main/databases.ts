import type { ClientConfig } from "pg";
import type { Environment } from "../context.ts";
import { createMissingDatabases, readServerVersion } from "../db/database-server.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { holdHubLock } from "../db/hub-lock.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";

export type Databases = {
  connections: Map<Environment, ClientConfig>;
  /** Stops the embedded server; does nothing to an external one. */
  stop(): Promise<void>;
};

const minServerVersion = 150_000;

export async function openDatabases(config: Config, log: (message: string) => void): Promise<Databases> {
  return config.databaseUrl === undefined ? await openEmbedded(config, log) : await openExternal(config);
}

async function openEmbedded(config: Config, log: (message: string) => void): Promise<Databases> {
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  const lock = await holdHubLock(postgres.connection("postgres"));
  const names: [Environment, string][] = [["live", "hub_live"]];
  if (config.previewPort !== undefined) names.push(["preview", "hub_preview"]);
  try {
    await createMissingDatabases(
      postgres.connection("postgres"),
      names.map(([, name]) => name),
    );
  } catch (error) {
    await lock.release();
    await postgres.stop();
    throw error;
  }
  return {
    connections: new Map(names.map(([environment, name]) => [environment, postgres.connection(name)])),
    async stop() {
      await lock.release();
      await postgres.stop();
    },
  };
}

async function openExternal(config: Config): Promise<Databases> {
  const connections = new Map<Environment, ClientConfig>([["live", { connectionString: config.databaseUrl! }]]);
  if (config.previewPort !== undefined && config.previewDatabaseUrl !== undefined) {
    connections.set("preview", { connectionString: config.previewDatabaseUrl });
  }
  for (const [environment, connection] of connections) await requireVersion(environment, connection);
  return { connections, stop: async () => {} };
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
