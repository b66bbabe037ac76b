import path from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../server/src/db/embedded-postgres.ts";
import { postmasterOf } from "../../server/src/testing/launch-hub.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub } from "./chaos-hub.ts";
import type { CommitCutter } from "./commit-cutter.ts";
import { startCommitCutter } from "./commit-cutter.ts";
import type { Random } from "./chaos-plan.ts";
import { until } from "./until.ts";

/** Several hubs on one external PostgreSQL. */
export type TaskCluster = {
  nodes: ChaosHub[];
  cutter: CommitCutter;
  /** Address of a hub that is believed to be up. */
  url(): Promise<string>;
  /** Connects to the database directly, bypassing hubs and cutter. */
  withDatabase<T>(work: (db: pg.Client) => Promise<T>): Promise<T>;
  restartPostgres(signal: "SIGKILL" | "SIGINT"): Promise<void>;
  stop(): Promise<void>;
};

const database = "hub_chaos";
const patienceMs = 60_000;

export async function startCluster(
  folder: string,
  count: number,
  random: Random,
  settingsOf: (node: number) => Record<string, string> = () => ({}),
): Promise<TaskCluster> {
  const dataDir = path.join(folder, "database");
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const { host, port, user } = postgres.connection("postgres") as { host: string; port: number; user: string };
  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client({ host, port, user, database: name });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const admin = await connect("postgres");
  await admin.query(`create database ${database}`);
  await admin.end();
  const cutter = await startCommitCutter({ host, port });
  const env = {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${cutter.port}/${database}`,
    HUB_SECRET_KEY: "chaos-secret-key-chaos-secret-key-chaos",
    HUB_PRIVATE_ADDRESSES: "allow",
    HUB_TASK_CONCURRENCY: "16",
  };
  const nodes = Array.from({ length: count }, (_, i) =>
    createChaosHub(path.join(folder, `node${i}`), path.join(folder, `node${i}.log`), { ...env, ...settingsOf(i) }),
  );
  for (const node of nodes) await node.start();
  return {
    nodes,
    cutter,
    async url() {
      let ready: ChaosHub[] = [];
      await until(
        () => (ready = nodes.filter((node) => node.isReady())).length > 0,
        patienceMs,
        () => "no hub is ready",
      );
      return await random.pick(ready).url();
    },
    async withDatabase(work) {
      const client = await connect(database);
      try {
        return await work(client);
      } finally {
        await client.end().catch(() => {});
      }
    },
    async restartPostgres(signal) {
      const killed = postmasterOf(dataDir);
      if (killed === undefined) throw new Error("there is no PostgreSQL to kill");
      process.kill(killed, signal);
      const isBack = async (): Promise<boolean> => {
        const now = postmasterOf(dataDir);
        if (now === undefined || now === killed) return false;
        return await connect(database).then(
          async (client) => (await client.end(), true),
          () => false,
        );
      };
      await until(isBack, patienceMs, () => "PostgreSQL did not come back");
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await cutter.close();
      await postgres.stop();
    },
  };
}
