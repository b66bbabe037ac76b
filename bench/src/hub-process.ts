import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { memorySettings } from "../../server/src/main/supervise.ts";
import { databaseOf, launchHub, makeOpenFolder, unattended } from "../../server/src/testing/launch-hub.ts";
import type { Child } from "./child.ts";
import { readyWithinMs, showErrors } from "./child.ts";

export type HubProcess = Pick<Child, "pid" | "stop"> & {
  url: string;
  /** Milliseconds from launch to the first 200. */
  startMs: number;
};

const askEveryMs = 10;
const answerWithinMs = 10_000;

/** A temporary data directory for `work`. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await makeOpenFolder("hub-bench-");
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts the hub in a process without a supervisor. `env` adds or overrides settings. */
export async function startHub(dataDir: string, env: Record<string, string> = {}): Promise<HubProcess> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    ...unattended,
    ...memorySettings,
    HUB_PORT: new URL(url).port,
    ...(rowSecurity === undefined ? {} : { HUB_ROW_SECURITY: rowSecurity }),
    ...(externalDatabase === undefined
      ? {}
      : { DATABASE_URL: externalDatabase, HUB_PREVIEW_PORT: "off", HUB_SECRET_KEY: randomUUID() }),
  };
  const started = performance.now();
  const asking = new AbortController();
  const answered = firstAnswer(`${url}/readyz`, asking.signal);
  try {
    // The hub prints its addresses once it is ready, including the first administrator.
    const hub = launchHub(dataDir, { env: { ...settings, ...env }, listener: showErrors });
    await hub.printed(/^live +http:/m, readyWithinMs);
    setTimeout(() => asking.abort(), answerWithinMs).unref();
    const at = await answered;
    if (at !== undefined) return { url, startMs: at - started, pid: hub.pid, stop: hub.stop };
    await hub.stop();
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

/** Time of the first 200 of this address. */
async function firstAnswer(url: string, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return performance.now();
    await delay(askEveryMs);
  }
  return undefined;
}

/** An empty external database to use instead of the embedded one. */
const externalDatabase = process.env.BENCH_DATABASE_URL;
/** `on` or `off`. */
const rowSecurity = process.env.BENCH_ROW_SECURITY;

/** Connection settings of a hub's database. */
export function clusterOf(dataDir: string): ClientConfig {
  if (externalDatabase !== undefined) return { connectionString: externalDatabase };
  return databaseOf(dataDir);
}
