import { readFileSync } from "node:fs";
import { chown, rm } from "node:fs/promises";
import path from "node:path";
import { vi } from "vitest";
import { afterFile } from "./after-file.ts";
import type { Launch, Launched } from "./launch-hub.ts";
import { killAllLaunched, launchHub, makeOpenFolder, postmasterOf } from "./launch-hub.ts";
import type { TestClient } from "./test-client.ts";
import { createClient } from "./test-client.ts";

/** `dataDir`: default a new one, removed after the test file. */
type HubOptions = Launch & { dataDir?: string };

export type HubProcess = Launched & { dataDir: string };

type UserIds = { uid: number; gid: number };
type Finished = { code: number | null; stdout: string; stderr: string };

const startPatienceMs = 40_000;
/** A larger young generation and no helper threads: the start takes a fifth less CPU time. */
const roomToStart = ["--min-semi-space-size=16", "--max-semi-space-size=32", "--single-threaded-gc"];
const folders = new Set<string>();

/** A world-readable folder for a data directory. After the test file it is removed and its PostgreSQL stopped. */
export async function makeFolder(owner?: UserIds): Promise<string> {
  const folder = await makeOpenFolder("hub-start-");
  if (owner) await chown(folder, owner.uid, owner.gid);
  return removeAfterwards(folder);
}

/** An unprivileged user if the tests run as root, else undefined. */
export function ordinaryUser(): UserIds | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+)/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export function removeAfterwards(folder: string): string {
  if (folders.size === 0) afterFile(endAndRemove);
  folders.add(folder);
  return folder;
}

/** Starts a hub and waits until it has printed its addresses. */
export async function startHubProcess(options: HubOptions = {}): Promise<HubProcess> {
  const hub = await spawnHub(options);
  // All addresses and the first password are printed at once.
  await hub.printed(/^(live|preview) +http/m, startPatienceMs);
  return hub;
}

/** Runs a hub command, or a start that is expected to fail, and waits for its exit. */
export async function runHub(args: string[], options: HubOptions = {}): Promise<Finished> {
  const hub = await spawnHub({ ...options, args });
  const patience = setTimeout(() => hub.send("SIGKILL"), startPatienceMs);
  const code = await hub.exited;
  clearTimeout(patience);
  return { code, stdout: hub.stdout(), stderr: hub.stderr() };
}

/** A hub process that may not be ready yet. */
export async function spawnHub({ dataDir: given, ...options }: HubOptions = {}): Promise<HubProcess> {
  const dataDir = removeAfterwards(given ?? path.join(await makeFolder(options.user), "data"));
  return Object.assign(launchHub(dataDir, { nodeFlags: roomToStart, ...options }), { dataDir });
}

export function clientOf(url: string, token?: string): TestClient {
  return createClient(url, token, async () => () => {});
}

/** Signs in over HTTP. */
export async function signIn(url: string, credentials: { email: string; password: string }): Promise<TestClient> {
  const { status, body, text } = await clientOf(url).post("/auth/token", credentials);
  if (status !== 200) throw new Error(`sign-in at ${url} returned ${status}: ${text}`);
  return clientOf(url, (body as { accessToken: string }).accessToken);
}

function endAllAtOnce(): void {
  killAllLaunched();
  for (const folder of folders) {
    const pid = postmasterOf(folder);
    if (pid !== undefined) process.kill(pid, "SIGQUIT");
  }
}

process.once("exit", endAllAtOnce);

async function endAndRemove(): Promise<void> {
  endAllAtOnce();
  for (const folder of folders) {
    await vi.waitFor(
      () => {
        if (postmasterOf(folder) !== undefined) throw new Error(`PostgreSQL still runs on ${folder}`);
      },
      { timeout: 10_000, interval: 20 },
    );
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
  folders.clear();
}
