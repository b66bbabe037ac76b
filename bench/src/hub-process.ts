import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientConfig } from "pg";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";

export type HubProcess = Pick<Child, "pid" | "stop"> & {
  url: string;
  /** Milliseconds from the launch until the first 200. */
  startMs: number;
};

export const adminPassword = "bench-password-only";
const askEveryMs = 10;
const answerWithinMs = 10_000;
const hubFile = path.join(import.meta.dirname, "../../server/src/main/hub.ts");

/** A new data directory, gone again when `work` is done. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "hub-bench-"));
  // Run by root, PostgreSQL gets a user of its own, who has to be able to enter.
  await chmod(dataDir, 0o755);
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The hub as its users run it, in a process of its own. `env` adds settings or overrides those here. */
export async function startHub(dataDir: string, env: Record<string, string> = {}): Promise<HubProcess> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    HUB_DATA_DIR: dataDir,
    HUB_PORT: new URL(url).port,
    HUB_PREVIEW_PORT: "0",
    HUB_RATE_LIMIT: "off",
    HUB_LOG_LEVEL: "warn",
    HUB_ADMIN_PASSWORD: adminPassword,
    ...(externalDatabase === undefined ? {} : { DATABASE_URL: externalDatabase, HUB_PREVIEW_PORT: "off" }),
  };
  const started = performance.now();
  const asking = new AbortController();
  const answered = firstAnswer(`${url}/readyz`, asking.signal);
  try {
    // It prints its addresses when everything is in place, the first administrator included.
    const child = await startChild(hubFile, ["serve"], { ...settings, ...env }, /^live +http:/m);
    setTimeout(() => asking.abort(), answerWithinMs).unref();
    const at = await answered;
    if (at !== undefined) return { url, startMs: at - started, pid: child.pid, stop: child.stop };
    await child.stop();
    throw new Error(`${url}/readyz did not answer 200 within ${answerWithinMs} ms after the start`);
  } finally {
    asking.abort();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The moment at which this address first answers 200. */
async function firstAnswer(url: string, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return performance.now();
    await delay(askEveryMs);
  }
  return undefined;
}

/** An empty database on a server of one's own, to be used instead of the embedded one. */
const externalDatabase = process.env.BENCH_DATABASE_URL;

/** Where the database of a hub is. */
export function clusterOf(dataDir: string): ClientConfig {
  if (externalDatabase !== undefined) return { connectionString: externalDatabase };
  return { host: path.join(dataDir, "run"), port: 5432, user: "hub", database: "hub_live" };
}
