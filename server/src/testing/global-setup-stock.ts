import type { TestProject } from "vitest/node";
import { startCluster } from "./global-setup.ts";

/** What PostgreSQL does where nobody has set anything: not what the hub sets for its own, nor what tests are sped up by. */
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
