import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";

export type HubProcess = Pick<Child, "pid" | "stop"> & {
  url: string;
  /** Milliseconds from the launch until the first 200. */
  startMs: number;
};

export const adminPassword = "bench-password-only";
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
  const settings = {
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    HUB_PREVIEW_PORT: "0",
    HUB_RATE_LIMIT: "off",
    HUB_LOG_LEVEL: "warn",
    HUB_ADMIN_PASSWORD: adminPassword,
  };
  const started = performance.now();
  const child = await startChild(hubFile, ["serve"], { ...settings, ...env }, /^live +(http:\S+)/m);
  const url = child.match[1]!;
  const { status } = await fetch(`${url}/readyz`);
  const startMs = performance.now() - started;
  if (status !== 200) {
    await child.stop();
    throw new Error(`/readyz answered ${status}`);
  }
  return { url, startMs, pid: child.pid, stop: child.stop };
}

/** Where the embedded cluster of a hub listens. */
export function clusterOf(dataDir: string) {
  return { host: path.join(dataDir, "run"), port: 5432, user: "hub", database: "hub_live" };
}
