import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { until } from "./until.ts";

export const adminPassword = "chaos-password-only";
const hubFile = path.join(import.meta.dirname, "../../server/src/main/hub.ts");
const patienceMs = 60_000;

/** A hub on one data directory that can be killed and started again. */
export type ChaosHub = {
  dataDir: string;
  /** Where it listens, once it does. */
  url(): Promise<string>;
  start(preload?: Preload): Promise<void>;
  killHub(): Promise<void>;
  isReady(): boolean;
  /** Stops it where it stands, without its knowing, and lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Kills PostgreSQL and waits until the hub, which goes on, has started another one. */
  killPostgres(): Promise<void>;
  killBoth(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  ended(): Promise<void>;
  /** How often the process ended without having been told to. */
  unexpectedEnds(): string[];
  /** Asks it to end; PostgreSQL ends with it. */
  stop(): Promise<void>;
};

/** A module to load before the hub, and the settings of that module. */
type Preload = { file: string; env: Record<string, string> };

type Running = { child: ChildProcess; url: string; ended: Promise<void>; isExpected: boolean };

export function createChaosHub(dataDir: string, logFile: string, more: Record<string, string> = {}): ChaosHub {
  const log = createWriteStream(logFile, { flags: "a" });
  const unexpected: string[] = [];
  let running: Running | undefined;
  let isReady = false;

  async function start(preload?: Preload): Promise<void> {
    const child = spawn(
      process.execPath,
      [...(preload ? ["--import", `file://${preload.file}`] : []), hubFile, "serve"],
      { env: { ...ownEnv(), ...settings(dataDir), ...more, ...preload?.env }, stdio: ["ignore", "pipe", "pipe"] },
    );
    alive.add(child);
    let said = "";
    const listen = (text: string): void => {
      said += text;
      log.write(text);
    };
    child.stdout.setEncoding("utf8").on("data", listen);
    child.stderr.setEncoding("utf8").on("data", listen);
    const ended = new Promise<void>((resolve) => {
      child.once("close", () => {
        alive.delete(child);
        isReady = false;
        if (running?.child === child) {
          if (!running.isExpected)
            unexpected.push(`code ${child.exitCode}, ${child.signalCode}: ${said.slice(-2_000)}`);
          running = undefined;
        }
        resolve();
      });
    });
    const address = (): string | undefined => /^live +(http:\S+)/m.exec(said)?.[1];
    await until(
      () => address() !== undefined || !alive.has(child),
      patienceMs,
      () => `the hub did not start: ${said}`,
    );
    const url = address();
    if (url === undefined) throw new Error(`the hub ended in its start: ${said}`);
    // A hub that kills itself is not a surprise.
    running = { child, url, ended, isExpected: preload !== undefined };
    await until(
      async () => (await isServing(url)) || !alive.has(child),
      patienceMs,
      () => `not ready: ${said}`,
    );
    isReady = alive.has(child);
  }

  async function killHub(): Promise<void> {
    isReady = false;
    if (!running) return;
    running.isExpected = true;
    running.child.kill("SIGKILL");
    await running.ended;
  }

  return {
    dataDir,
    start,
    killHub,
    isReady: () => isReady && running !== undefined,
    freeze() {
      isReady = false;
      running?.child.kill("SIGSTOP");
    },
    thaw() {
      running?.child.kill("SIGCONT");
      isReady = running !== undefined;
    },
    async url() {
      await until(
        () => isReady && running !== undefined,
        patienceMs,
        () => "no hub is ready",
      );
      return running!.url;
    },
    async killPostgres() {
      isReady = false;
      const killed = postmasterOf(dataDir);
      const url = running?.url;
      if (killed === undefined || url === undefined) throw new Error("there is nothing to kill");
      process.kill(killed, "SIGKILL");
      const isBack = async (): Promise<boolean> => {
        const now = postmasterOf(dataDir);
        return (now !== undefined && now !== killed && (await isServing(url))) || running === undefined;
      };
      await until(isBack, patienceMs, () => "PostgreSQL did not come back");
      isReady = running !== undefined;
    },
    async killBoth() {
      const killed = postmasterOf(dataDir);
      const hubIsDead = killHub();
      if (killed !== undefined) process.kill(killed, "SIGKILL");
      await hubIsDead;
    },
    ended: async () => await running?.ended,
    unexpectedEnds: () => unexpected,
    async stop() {
      isReady = false;
      if (running) {
        running.isExpected = true;
        running.child.kill("SIGTERM");
        await running.ended;
      }
      // A killed hub leaves its PostgreSQL behind.
      const left = postmasterOf(dataDir);
      if (left !== undefined) process.kill(left, "SIGQUIT");
      await until(
        () => postmasterOf(dataDir) === undefined,
        patienceMs,
        () => "PostgreSQL does not stop",
      );
      log.end();
    },
  };
}

const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

function settings(dataDir: string): Record<string, string> {
  return {
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    HUB_PREVIEW_PORT: "off",
    HUB_RATE_LIMIT: "off",
    HUB_LOG_LEVEL: "warn",
    HUB_ADMIN_PASSWORD: adminPassword,
  };
}

/** Settings of the shell must not change what is tried. */
function ownEnv(): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean =>
    /^(HUB_|NODE_|VITEST|CHAOS_|DATABASE_URL$|PREVIEW_DATABASE_URL$)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}

async function isServing(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** The process id of the PostgreSQL on this data directory, if one runs there; never that of a stranger. */
export function postmasterOf(dataDir: string): number | undefined {
  const cluster = path.join(dataDir, "postgres");
  try {
    const file = path.join(cluster, "postmaster.pid");
    if (!existsSync(file)) return undefined;
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const isZombie = stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
    return !isZombie && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** The database itself, past the hub. */
export async function withDatabase<T>(dataDir: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ host: path.join(dataDir, "run"), port: 5432, user: "hub", database: "hub_live" });
  db.on("error", () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}
