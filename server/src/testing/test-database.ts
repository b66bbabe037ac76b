import type { ClientConfig } from "pg";
import pg from "pg";
import { inject } from "vitest";
import { templateDatabase } from "./global-setup.ts";

/** A separate database, cloned from the migrated template; `template0` is empty. */
export async function cloneDatabase(
  template = templateDatabase,
): Promise<{ connection: ClientConfig; drop(): Promise<void> }> {
  const cluster = inject("cluster");
  const name = `t_${crypto.randomUUID().replaceAll("-", "")}`;
  await onCluster(`create database ${name} template ${template} strategy file_copy`);
  return {
    connection: { ...cluster, database: name },
    drop: () => onCluster(`drop database ${name} with (force)`),
  };
}

async function onCluster(sql: string): Promise<void> {
  const client = new pg.Client({ ...inject("cluster"), database: "postgres" });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
