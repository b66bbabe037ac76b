import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientConfig } from "pg";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../db/database.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { readMigrations } from "../db/read-migrations.ts";

declare module "vitest" {
  interface ProvidedContext {
    cluster: { host: string; port: number; user: string };
    /** Path of the data directory that others are copied from; created on first use. */
    readyDataDir: string;
  }
}

export const templateDatabase = "hub_template";

// Without fsync, since tests need no durability and run several times faster.
const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return await startCluster(project, fast);
}

/** One cluster per test run, with a migrated template database that test files clone. */
export async function startCluster(
  project: TestProject,
  settings: Record<string, string>,
): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "hub-test-"));
  await chmod(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir, settings, log: () => {} });
  const admin = new pg.Client(postgres.connection("postgres"));
  await admin.connect();
  await admin.query(`create database ${templateDatabase} template template0`);
  await admin.end();
  const connection = postgres.connection(templateDatabase);
  const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
  await migrate(connection, db, await readMigrations());
  await db.close();
  const { host, port, user } = postgres.connection("postgres") as Required<ClientConfig>;
  project.provide("cluster", { host, port, user });
  project.provide("readyDataDir", path.join(dataDir, "ready"));
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
