import { spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { constants as os, setPriority } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import { readConsoleFrom } from "../http/console-files.ts";
import type { ConsoleState } from "../http/console-site.ts";
import { takeBuildLock } from "./console-build-lock.ts";

/**
 * No package may run code when it is installed, and a build that is kept with the sources drifts from them. So the hub builds
 * its console itself, when it is up: the API waits for nothing.
 */
export type Console = {
  look(): Promise<ConsoleState>;
  /** Builds it if its sources are others than those it was built from. */
  start(): void;
  /** Ends a build that is under way. */
  stop(): Promise<void>;
};

type ConsoleOptions = {
  /** The root of the repository. */
  root: string;
  log: Pick<Logger, "info" | "warn">;
  /** Bytes that may still be used. */
  freeMemory?: () => number;
};

const neededBytes = 1024 ** 3;
const buildMs = 5 * 60_000;
/** Of what the build says, so much is told when it fails. */
const keptOutput = 4_096;

/** Undefined: these sources have none. */
export function findConsole(options: ConsoleOptions): Console | undefined {
  const folder = path.join(options.root, "console");
  const hasSources = existsSync(path.join(folder, "build.ts"));
  const dist = path.join(folder, "dist");
  if (!hasSources && !existsSync(path.join(dist, "build.json"))) return undefined;
  return openConsole(options, { folder, dist, hasSources });
}

type Places = { folder: string; dist: string; hasSources: boolean };

function openConsole({ root, log, freeMemory }: ConsoleOptions, { folder, dist, hasSources }: Places): Console {
  const read = readConsoleFrom(dist);
  const stopping = new AbortController();
  /** Until it is known whether what was built before is of these sources, nobody gets to see it. */
  let unfinished: ConsoleState | undefined = hasSources ? { is: "building" } : undefined;
  let working: Promise<void> = Promise.resolve();

  async function look(): Promise<ConsoleState> {
    if (unfinished?.is === "building") return unfinished;
    const built = await read().catch((error: unknown) => {
      log.warn({ err: error }, "the console cannot be read");
      return undefined;
    });
    // Somebody may have built it by hand meanwhile.
    if (built) return { is: "ready", built };
    return unfinished ?? { is: "not built", why: "Its files are gone." };
  }

  async function bringUpToDate(): Promise<ConsoleState | undefined> {
    const { hashSources } = (await import(pathToFileURL(path.join(folder, "source-hash.ts")).href)) as {
      hashSources(from: string): Promise<string>;
    };
    const isFresh = async (): Promise<boolean> => (await builtFrom(dist)) === (await hashSources(root));
    if (await isFresh()) return undefined;
    const obstacle = findObstacle(folder, freeMemory ?? (() => process.availableMemory()));
    if (obstacle !== undefined) return { is: "not built", why: obstacle };
    const lock = await takeBuildLock(path.join(folder, "dist.lock"), stopping.signal);
    if (!lock) return undefined;
    try {
      // Another process may have done it while we waited.
      if (await isFresh()) return undefined;
      log.info("building the console, at the lowest priority; its page appears when it is there");
      const { code, output } = await runBuild(root, stopping.signal);
      if (stopping.signal.aborted || code === 0) return undefined;
      log.warn({ code, output }, "the console could not be built");
      return { is: "not built", why: "Building it failed; the log of the hub says why." };
    } finally {
      await lock.release();
    }
  }

  return {
    look,
    start() {
      if (!hasSources) return;
      const begun = performance.now();
      working = bringUpToDate().then(
        (state) => {
          // A build that was ended has brought nothing up to date.
          if (stopping.signal.aborted) return;
          unfinished = state;
          if (state?.is === "not built") log.warn(`the console is not built: ${state.why} Run "npm run build".`);
          else log.info({ ms: Math.round(performance.now() - begun) }, "the console is up to date");
        },
        (error: unknown) => {
          if (stopping.signal.aborted) return;
          unfinished = { is: "not built", why: "Building it failed; the log of the hub says why." };
          log.warn({ err: error }, "the console could not be built");
        },
      );
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

async function builtFrom(dist: string): Promise<string | undefined> {
  const text = await readFile(path.join(dist, "build.json"), "utf8").catch(() => "{}");
  const { sources } = JSON.parse(text) as { sources?: string };
  return sources;
}

function findObstacle(folder: string, freeMemory: () => number): string | undefined {
  try {
    createRequire(path.join(folder, "package.json")).resolve("vite/package.json");
  } catch {
    return "What builds it is not installed here.";
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return `This user may not write to ${folder}: build it before the hub starts, as one who may.`;
  }
  return freeMemory() < neededBytes ? "There is less than 1 GB of memory free, which building it may need." : undefined;
}

/** At the lowest priority: whoever asks something meanwhile goes first. */
async function runBuild(root: string, signal: AbortSignal): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [path.join(root, "console/build.ts")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // It needs none of our settings, and no passwords.
    env: { NODE_ENV: "production" },
  });
  if (child.pid !== undefined) setPriority(child.pid, os.priority.PRIORITY_LOW);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-keptOutput)));
  }
  const kill = (): void => void child.kill("SIGKILL");
  const patience = setTimeout(kill, buildMs);
  signal.addEventListener("abort", kill, { once: true });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", (code) => resolve(code));
  child.once("error", (error) => {
    output += error.message;
    resolve(null);
  });
  const code = await promise;
  clearTimeout(patience);
  signal.removeEventListener("abort", kill);
  return { code, output };
}
