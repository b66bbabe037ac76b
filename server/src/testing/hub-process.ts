import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { afterFile } from "./after-file.ts";
import type { TestClient } from "./test-client.ts";
import { createClient } from "./test-client.ts";

type UserIds = { uid: number; gid: number };

type HubOptions = {
  /** Settings besides the free ports and the data directory. */
  env?: Record<string, string>;
  args?: string[];
  /** Default: a new one that is removed after the test file. */
  dataDir?: string;
  user?: UserIds;
  cwd?: string;
  /** What to run instead of `node server/src/main/hub.ts`. */
  command?: readonly [string, ...string[]];
};

export type HubProcess = {
  pid: number;
  dataDir: string;
  /** Where each surface listens, as printed. */
  url: string;
  previewUrl: string;
  stdout(): string;
  stderr(): string;
  /** With the password, if this start printed one. */
  firstAdmin(): { email: string; password: string } | undefined;
  send(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | null>;
};

type Finished = { code: number | null; stdout: string; stderr: string };

export const repository = path.join(import.meta.dirname, "../../..");
export const hubMain = path.join(repository, "server/src/main/hub.ts");
const startPatienceMs = 40_000;

const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** A folder for a data directory that any user can walk into; removed, with what runs on it, after the test file. */
export async function makeFolder(owner?: UserIds): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "hub-start-"));
  await chmod(folder, 0o755);
  if (owner) await chown(folder, owner.uid, owner.gid);
  return removeAfterwards(folder);
}

/** Somebody who is not root, when the tests run as root; else undefined: whoever runs them. */
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

/** Starts a hub and waits until it has printed where it listens. */
export async function startHubProcess(options: HubOptions = {}): Promise<HubProcess> {
  const hub = await spawnHub(options);
  // All addresses and the first password come in one piece.
  const isUp = (): boolean => /^(live|preview) +http/m.test(hub.stdout());
  await vi.waitFor(
    () => {
      if (!isUp() && !hub.hasExited()) throw new Error(`the hub has not started yet:\n${hub.stdout()}${hub.stderr()}`);
    },
    { timeout: startPatienceMs, interval: 20 },
  );
  if (!isUp()) throw new Error(`the hub ended with ${await hub.exited}:\n${hub.stdout()}${hub.stderr()}`);
  return hub;
}

/** Runs a hub command, or a start that is expected to fail, to its end. */
export async function runHub(args: string[], options: HubOptions = {}): Promise<Finished> {
  const hub = await spawnHub({ ...options, args });
  const patience = setTimeout(() => hub.send("SIGKILL"), startPatienceMs);
  const code = await hub.exited;
  clearTimeout(patience);
  return { code, stdout: hub.stdout(), stderr: hub.stderr() };
}

type SpawnedHub = HubProcess & { hasExited(): boolean };

/** A hub process, wherever it is in its start. */
export async function spawnHub(options: HubOptions = {}): Promise<SpawnedHub> {
  const dataDir = options.dataDir ?? path.join(await makeFolder(options.user), "data");
  const { PATH = "", HOME = "/", TMPDIR } = process.env;
  const env: Record<string, string> = { HUB_PORT: "0", HUB_PREVIEW_PORT: "0", HUB_DATA_DIR: dataDir, ...options.env };
  const [program, ...prefix] = options.command ?? [process.execPath, hubMain];
  const child = spawn(program, [...prefix, ...(options.args ?? ["serve"])], {
    cwd: options.cwd ?? repository,
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...options.user,
  });
  children.add(child);
  removeAfterwards(dataDir);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // "close", not "exit": by then everything that it printed has arrived.
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("close", (code) => resolve(code));
    child.once("error", reject);
  });
  exited.catch(() => {});
  void exited.finally(() => children.delete(child)).catch(() => {});
  const urlOf = (surface: string): string =>
    new RegExp(`^${surface} +(http://\\S+)`, "m").exec(stdout)?.[1] ?? `no ${surface} surface`;
  return {
    pid: child.pid ?? 0,
    dataDir,
    get url() {
      return urlOf("live");
    },
    get previewUrl() {
      return urlOf("preview");
    },
    stdout: () => stdout,
    stderr: () => stderr,
    firstAdmin() {
      const json = /-d '(\{.*\})'/.exec(stdout)?.[1];
      return json === undefined ? undefined : (JSON.parse(json) as { email: string; password: string });
    },
    hasExited: () => !children.has(child),
    send: (signal) => void child.kill(signal),
    exited,
    async stop() {
      child.kill("SIGTERM");
      return await exited;
    },
  };
}

/** The process id of the PostgreSQL on this data directory, if one runs there; never that of a stranger. */
export function postmasterOf(home: string): number | undefined {
  const cluster = path.join(home, "postgres");
  const file = path.join(cluster, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  return pid > 0 && isRunning(pid) && describeProcess(pid).command.includes(cluster) ? pid : undefined;
}

/** Not counting a zombie, which only waits for its parent to look. */
export function isRunning(pid: number): boolean {
  const { state } = describeProcess(pid);
  return state !== "" && !state.startsWith("Z");
}

/** From /proc where there is one: asking `ps` costs a process each time. */
function describeProcess(pid: number): { state: string; command: string } {
  try {
    if (existsSync("/proc/self/stat")) {
      const state = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
      return { state, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
    }
    const line = execFileSync("ps", ["-ww", "-p", String(pid), "-o", "stat=,command="], { encoding: "utf8" });
    const [, state = "", command = ""] = /^(\S+)\s+(.*)$/s.exec(line.trim()) ?? [];
    return { state, command };
  } catch {
    return { state: "", command: "" };
  }
}

export function clientOf(url: string, token?: string): TestClient {
  return createClient(url, token, async () => () => {});
}

/** Signs in as a user of the hub would, over HTTP. */
export async function signIn(url: string, credentials: { email: string; password: string }): Promise<TestClient> {
  const { status, body, text } = await clientOf(url).post("/auth/token", credentials);
  if (status !== 200) throw new Error(`signing in at ${url} was answered ${status}: ${text}`);
  return clientOf(url, (body as { accessToken: string }).accessToken);
}

function endAllAtOnce(): void {
  for (const child of children) child.kill("SIGKILL");
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
