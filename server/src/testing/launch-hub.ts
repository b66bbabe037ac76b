import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientConfig } from "pg";

/** How tests, benches and chaos start a hub, or what they put beside it, in a process of its own. */
export type Launch = {
  /** What to run instead of `node server/src/main/hub.ts`. */
  command?: readonly [string, ...string[]];
  args?: string[];
  /** Added to the environment of this process, without its settings of a hub. */
  env?: Record<string, string>;
  cwd?: string;
  user?: { uid: number; gid: number };
  /** What node is told, where no `command` says what to run. */
  nodeFlags?: readonly string[];
  /** A module that is loaded before the hub. */
  preload?: string;
  /** Told of everything it prints. */
  listener?(text: string, from: "stdout" | "stderr"): void;
};

export type Launched = {
  pid: number;
  /** Where each surface of a hub listens, as printed. */
  url: string;
  previewUrl: string;
  /** With the password, if this start printed one. */
  firstAdmin(): { email: string; password: string } | undefined;
  stdout(): string;
  stderr(): string;
  /** Waits for this on stdout. A process that ends before, or takes too long, is an error. */
  printed(pattern: RegExp, withinMs: number): Promise<RegExpExecArray>;
  send(signal: NodeJS.Signals): void;
  hasExited(): boolean;
  /** The exit code, when everything it printed has arrived too; null if it was killed. */
  exited: Promise<number | null>;
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | null>;
};

export const repository = path.join(import.meta.dirname, "../../..");
export const hubMain = path.join(repository, "server/src/main/hub.ts");
export const adminPassword = "password-for-tests-only";
/** For a hub that nobody looks at: no limits that only people meet, no log of what goes well. */
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
 * A hub on this data directory, wherever it is in its start; on free ports unless `env` names others. In one process, so
 * that a signal hits the hub itself.
 */
export function launchHub(dataDir: string, { args = ["serve"], env, ...more }: Launch = {}): Launched {
  // Built beside each of many hubs, the console would only take the time of the tests.
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
  // "close", not "exit": by then everything that it printed has arrived.
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
      if (isStuck) throw new Error(`${program} did not end within ${stopWithinMs} ms of being asked to`);
      return code;
    },
  };
}

const mostSaid = 16 * 1024 ** 2;
const keptOfSaid = 1024 ** 2;

/** Of a process that says very much its beginning, with its addresses, and its end are kept. */
function withoutMiddle(text: string): string {
  return text.length < mostSaid ? text : `${text.slice(0, keptOfSaid)}\n...\n${text.slice(-keptOfSaid)}`;
}

/** Settings of the shell must not change what is tested or measured. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean =>
    /^(HUB_|NODE_|VITEST|CHAOS_|PG|DATABASE_URL$|PREVIEW_DATABASE_URL$)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)));
}

/** Run by root, PostgreSQL gets a user of its own, who has to be able to enter. */
export async function makeOpenFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

/** The live database of a hub that has its own PostgreSQL, past the hub. */
export function databaseOf(dataDir: string): ClientConfig {
  return { host: path.join(dataDir, "run"), port: 5432, user: "hub", database: "hub_live" };
}

export async function isServing(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** The process id of the PostgreSQL on this data directory, if one runs there; never that of a stranger. */
export function postmasterOf(dataDir: string): number | undefined {
  const cluster = path.join(dataDir, "postgres");
  try {
    const pid = Number(readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
    return pid > 0 && isRunning(pid) && describeProcess(pid).command.includes(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
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
