import { createWriteStream } from "node:fs";
import pg from "pg";
import type { Launched } from "../../server/src/testing/launch-hub.ts";
import { databaseOf, isServing, launchHub, postmasterOf, unattended } from "../../server/src/testing/launch-hub.ts";
import { until } from "./until.ts";

const patienceMs = 60_000;

/** A hub on one data directory that can be killed and started again. */
export type ChaosHub = {
  dataDir: string;
  /** Address of the hub, once it listens. */
  url(): Promise<string>;
  start(preload?: Preload): Promise<void>;
  killHub(): Promise<void>;
  isReady(): boolean;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Kills PostgreSQL and waits until the running hub has restarted it. */
  killPostgres(): Promise<void>;
  killBoth(): Promise<void>;
  /** Resolves when the process has ended for any reason. */
  ended(): Promise<void>;
  /** Exits of the process that the test did not cause. */
  unexpectedEnds(): string[];
  /** Stops the hub and its PostgreSQL. */
  stop(): Promise<void>;
};

/** A module to load before the hub, with its environment. */
type Preload = { file: string; env: Record<string, string> };

type Running = { hub: Launched; ended: Promise<void>; isExpected: boolean };

export function createChaosHub(dataDir: string, logFile: string, more: Record<string, string> = {}): ChaosHub {
  const log = createWriteStream(logFile, { flags: "a" });
  const unexpected: string[] = [];
  let running: Running | undefined;
  let isReady = false;

  async function start(preload?: Preload): Promise<void> {
    const env = { ...unattended, HUB_PREVIEW_PORT: "off", ...more, ...preload?.env };
    const hub = launchHub(dataDir, { env, preload: preload?.file, listener: (text) => log.write(text) });
    const ended = hub.exited.then((code) => {
      if (running?.hub !== hub) return;
      isReady = false;
      if (!running.isExpected) unexpected.push(`code ${code}: ${(hub.stdout() + hub.stderr()).slice(-2_000)}`);
      running = undefined;
    });
    await hub.printed(/^live +http:/m, patienceMs);
    // A preloaded module may kill the process.
    running = { hub, ended, isExpected: preload !== undefined };
    await until(
      async () => (await isServing(hub.url)) || hub.hasExited(),
      patienceMs,
      () => `not ready: ${hub.stdout()}${hub.stderr()}`,
    );
    isReady = !hub.hasExited();
  }

  async function killHub(): Promise<void> {
    isReady = false;
    if (!running) return;
    running.isExpected = true;
    running.hub.send("SIGKILL");
    await running.ended;
  }

  return {
    dataDir,
    start,
    killHub,
    isReady: () => isReady && running !== undefined,
    freeze() {
      isReady = false;
      running?.hub.send("SIGSTOP");
    },
    thaw() {
      running?.hub.send("SIGCONT");
      isReady = running !== undefined;
    },
    async url() {
      await until(
        () => isReady && running !== undefined,
        patienceMs,
        () => "no hub is ready",
      );
      return running!.hub.url;
    },
    async killPostgres() {
      isReady = false;
      const killed = postmasterOf(dataDir);
      const url = running?.hub.url;
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
        const { hub, ended } = running;
        await hub.stop();
        await ended;
      }
      // A killed hub leaves its PostgreSQL running.
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

/** Connects to the database directly. */
export async function withDatabase<T>(dataDir: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client(databaseOf(dataDir));
  db.on("error", () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}
