import type { TestProject } from "vitest/node";
import { startCluster } from "./global-setup.ts";

/** PostgreSQL's default settings, without those of the hub and of fast tests. */
const stock = {
  max_connections: "100",
  wal_level: "replica",
  max_wal_senders: "10",
  max_wal_size: "1GB",
  jit: "on",
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return await startCluster(project, stock);
}
