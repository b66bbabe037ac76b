import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientConfig } from "pg";

/** Options to start a hub, or another program, as a child process of tests, benches and chaos. */
export type Launch = {
  /** Runs instead of `node server/src/main/hub.ts`. */
  command?: readonly [string, ...string[]];
  args?: string[];
  /** Added to the environment of this process, from which hub settings are removed. */
  env?: Record<string, string>;
  cwd?: string;
  user?: { uid: number; gid: number };
  /** Options of node, without `command`. */
  nodeFlags?: readonly string[];
  /** Module loaded before the hub. */
  preload?: string;
  /** Called with all output. */
  listener?(text: string, from: "stdout" | "stderr"): void;
};

export type Launched = {
  pid: number;
  /** Addresses of the environments, as printed. */
  url: string;
  previewUrl: string;
  /** With the password, if this start has printed one. */
  firstAdmin(): { email: string; password: string } | undefined;
  stdout(): string;
  stderr(): string;
  /** Waits for this on stdout. Fails if the process exits before or takes too long. */
  printed(pattern: RegExp, withinMs: number): Promise<RegExpExecArray>;
  send(signal: NodeJS.Signals): void;
  hasExited(): boolean;
  /** Exit code, after all output has arrived; null if it was killed. */
  exited: Promise<number | null>;
  /** Stops the process and returns its exit code. */
  stop(): Promise<number | null>;
};

export const repository = path.join(import.meta.dirname, "../../..");
export const hubMain = path.join(repository, "server/src/main/hub.ts");
export const adminPassword = "password-for-tests-only";
/** Settings for unattended hubs: without limits meant for people and without info logs. */
export const unattended = {
  HUB_RATE_LIMIT_PER_SECOND: "off",
  HUB_LOG_LEVEL: "warn",
  HUB_ADMIN_PASSWORD: adminPassword,
};
const stopWithinMs = 45_000;

const running = new Set<ChildProcess>();
process.once("exit", killAllLaunched);

export function killAllLaunched(): void {
  for (const child of running) child.kill("SIGKILL");
}

/**
 * Starts a hub on this data directory without waiting for it, on free ports unless `env` names others. In one process, so that
 * signals reach the hub itself.
 */
export function launchHub(dataDir: string, { args = ["serve"], env, ...more }: Launch = {}): Launched {
  // Without the console, whose build would slow down the tests.
  const quiet = { HUB_AUTO_RESTART: "off", HUB_PROCESSES: "1", HUB_CONSOLE: "off" };
  const defaults = { HUB_PORT: "0", HUB_PREVIEW_PORT: "0", HUB_DATA_DIR: dataDir, ...quiet };
  return launch({ ...more, args, env: { ...defaults, ...env } });
}

export function launch({ command, args = [], env, cwd, user, nodeFlags = [], preload, listener }: Launch): Launched {
  const [program, ...prefix] = command ?? [
    process.execPath,
    ...nodeFlags,
    ...(preload ? ["--import", `file://${preload}`] : []),
    hubMain,
  ];
  const child = spawn(program, [...prefix, ...args], {
    cwd: cwd ?? repository,
    env: { ...withoutSettings(process.env), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  running.add(child);
  const said = { stdout: "", stderr: "" };
  for (const from of ["stdout", "stderr"] as const) {
    child[from].setEncoding("utf8").on("data", (text: string) => {
      said[from] = withoutMiddle(said[from] + text);
      listener?.(text, from);
    });
  }
  // "close", not "exit": all output has arrived by then.
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("close", (code) => resolve(code));
    child.once("error", reject);
  }).finally(() => running.delete(child));
  exited.catch(() => {});
  const urlOf = (surface: string): string =>
    new RegExp(`^${surface} +(http://\\S+)`, "m").exec(said.stdout)?.[1] ?? `no ${surface} surface`;

  return {
    pid: child.pid ?? 0,
    get url() {
      return urlOf("live");
    },
    get previewUrl() {
      return urlOf("preview");
    },
    firstAdmin() {
      const json = /-d '(\{.*\})'/.exec(said.stdout)?.[1];
      return json === undefined ? undefined : (JSON.parse(json) as { email: string; password: string });
    },
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    send: (signal) => void child.kill(signal),
    hasExited: () => !running.has(child),
    exited,
    async printed(pattern, withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const why = (what: string): Error =>
        new Error(`${[program, ...prefix, ...args].join(" ")} ${what}:\n${said.stdout}${said.stderr}`);
      const found = new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(said.stdout);
          if (match) resolve(match);
        };
        child.stdout.on("data", look);
        look();
        timer = setTimeout(() => {
          child.kill("SIGTERM");
          reject(why(`did not print ${pattern} within ${withinMs} ms`));
        }, withinMs);
        exited.then((code) => reject(why(`ended with ${code}`)), reject);
      });
      return await found.finally(() => clearTimeout(timer));
    },
    async stop() {
      child.kill("SIGTERM");
      let isStuck = false;
      const patience = setTimeout(() => (isStuck = child.kill("SIGKILL")), stopWithinMs);
      const code = await exited.finally(() => clearTimeout(patience));
      if (isStuck) throw new Error(`${program} did not exit within ${stopWithinMs} ms`);
      return code;
    },
  };
}

const maxOutput = 16 * 1024 ** 2;
const keptOfSaid = 1024 ** 2;

/** Of very long output, the beginning with the addresses and the end are kept. */
function withoutMiddle(text: string): string {
  return text.length < maxOutput ? text : `${text.slice(0, keptOfSaid)}\n...\n${text.slice(-keptOfSaid)}`;
}

/** Without hub settings of the shell, which would change what is tested. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean =>
    /^(HUB_|NODE_|VITEST|CHAOS_|PG|DATABASE_URL$|PREVIEW_DATABASE_URL$)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)));
}

/** For root, PostgreSQL runs as another user, who must be able to enter the folder. */
export async function makeOpenFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

/** Connects directly to the live database of a hub with embedded PostgreSQL. */
export function databaseOf(dataDir: string): ClientConfig {
  return { host: path.join(dataDir, "run"), port: 5432, user: "hub", database: "hub_live" };
}

export async function isServing(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** Process ID of the PostgreSQL that runs on this data directory, if any. */
export function postmasterOf(dataDir: string): number | undefined {
  const cluster = path.join(dataDir, "postgres");
  try {
    const pid = Number(readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
    return pid > 0 && isRunning(pid) && describeProcess(pid).command.includes(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Zombies do not count. */
export function isRunning(pid: number): boolean {
  const { state } = describeProcess(pid);
  return state !== "" && !state.startsWith("Z");
}

/** From /proc if available, since `ps` costs a process each time. */
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
