import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hubMain, isServing, launchHub, makeOpenFolder, unattended } from "../../server/src/testing/launch-hub.ts";
import { until } from "./until.ts";

/*
 * Ends hubs during their first start, at times spread over all of it, and looks for processes they leave behind.
 */

export type FirstStartOptions = { kills: number; withinMs: number };

export type FirstStartResult = {
  /** Duration of an undisturbed first start. */
  startMs: number;
  /** Number of starts by how they were ended. */
  ended: Record<string, number>;
  /** Processes that were left behind. */
  leftBehind: string[];
  /** Unexpected output of ended hubs. */
  unexpectedOutput: string[];
  /** Failed starts on the remaining data. */
  brokenStarts: string[];
  restarts: number;
};

const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const;
/** The signal goes to the first process, or to its whole group as from a terminal or `timeout`. */
const targets = ["process", "group"] as const;
/** With and without the supervisor. */
const supervising = ["on", "off"] as const;
const ways = signals.flatMap((signal) =>
  targets.flatMap((target) => supervising.map((restart) => ({ signal, target, restart }))),
);
/** PostgreSQL shuts down when no new hub takes over within 15 s of a kill. */
const goneMs = 60_000;
const patienceMs = 120_000;
const restartEvery = 10;
const lookEveryMs = 200;

const env = { ...unattended, HUB_LOG_LEVEL: "info", HUB_PREVIEW_PORT: "off", HUB_CONSOLE: "off", HUB_PORT: "0" };

export async function runFirstStarts(
  { kills, withinMs }: FirstStartOptions,
  log: (line: string) => void,
): Promise<FirstStartResult> {
  const endAt = Date.now() + withinMs;
  const startMs = await measureStart();
  log(`a first start takes ${startMs} ms`);
  const result: FirstStartResult = {
    startMs,
    ended: {},
    leftBehind: [],
    unexpectedOutput: [],
    brokenStarts: [],
    restarts: 0,
  };
  const looking: Promise<void>[] = [];
  for (let i = 0; i < kills && Date.now() < endAt; i++) {
    const way = ways[i % ways.length]!;
    // Golden-ratio sequence: evenly spread for any count, so that each way covers all phases of a start.
    const afterMs = ((i * 0.618_034) % 1) * startMs * 1.1;
    const { looked } = await endOne(way, { afterMs, mayRestart: i % restartEvery === 0 }, result);
    looking.push(looked);
    const name = `${way.signal} to the ${way.target}, HUB_AUTO_RESTART=${way.restart}`;
    result.ended[name] = (result.ended[name] ?? 0) + 1;
    if (i % 20 === 19) log(`${i + 1} ended`);
  }
  await Promise.all(looking);
  return result;
}

async function measureStart(): Promise<number> {
  const folder = await makeOpenFolder("hub-first-start-");
  const begun = Date.now();
  const hub = launchHub(path.join(folder, "data"), { env });
  await hub.printed(/^live +http:/m, patienceMs);
  const took = Date.now() - begun;
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
  return took;
}

/** Resolves when the hub has ended after its signal; `looked` resolves when its leftovers are known. */
async function endOne(
  { signal, target, restart }: (typeof ways)[number],
  { afterMs, mayRestart }: { afterMs: number; mayRestart: boolean },
  result: FirstStartResult,
): Promise<{ looked: Promise<void> }> {
  const folder = await makeOpenFolder("hub-first-start-");
  const dataDir = path.join(folder, "data");
  const child = spawn(process.execPath, [hubMain, "serve"], {
    env: { PATH: process.env["PATH"], ...env, HUB_DATA_DIR: dataDir, HUB_AUTO_RESTART: restart },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "exit");
  await sleep(afterMs);
  const what = `${signal} to the ${target}, HUB_AUTO_RESTART=${restart}, after ${Math.round(afterMs)} ms`;
  try {
    process.kill(target === "group" ? -child.pid! : child.pid!, signal);
  } catch {
    // It failed to start; its output is checked.
  }
  await ended;
  const look = async (): Promise<void> => {
    const left = (): string[] => processesOf(dataDir);
    await until(
      () => left().length === 0,
      goneMs,
      () => "processes are left",
      lookEveryMs,
    ).catch(() => {
      result.leftBehind.push(...left().map((one) => `${what}: ${one}`));
    });
    if (output !== "") result.unexpectedOutput.push(`${what}: ${output.slice(0, 500)}`);
    if (mayRestart) await restartOn(dataDir, what, result);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { looked: look() };
}

async function restartOn(dataDir: string, what: string, result: FirstStartResult): Promise<void> {
  result.restarts++;
  const hub = launchHub(dataDir, { env });
  try {
    await hub.printed(/^live +http:/m, patienceMs);
    if (!(await isServing(hub.url))) throw new Error("it is not ready");
  } catch (error) {
    result.brokenStarts.push(`${what}: ${(error as Error).message.slice(-500)}`);
  }
  await hub.stop();
}

/** Finds PostgreSQL and initdb by command line, hubs by environment. */
function processesOf(dataDir: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const isPostgres = command.includes(`${dataDir}/postgres`) && !command.includes("hub-guard");
      const isHub = readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HUB_DATA_DIR=${dataDir}\0`);
      if (isPostgres || isHub) found.push(`${pid} ${command.slice(0, 120)}`);
    } catch {
      // The process has ended or belongs to another user.
    }
  }
  return found;
}

export function isFirstStartClean({ leftBehind, unexpectedOutput, brokenStarts }: FirstStartResult): boolean {
  return leftBehind.length + unexpectedOutput.length + brokenStarts.length === 0;
}

export function describeFirstStarts(result: FirstStartResult): string {
  const { startMs, ended, leftBehind, unexpectedOutput, brokenStarts, restarts } = result;
  const total = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return [
    `${total} first starts ended within ${Math.round(startMs * 1.1)} ms of their beginning:`,
    ...Object.entries(ended).map(([way, count]) => `  ${way}: ${count}`),
    `left running: ${leftBehind.length}`,
    ...leftBehind.map((one) => `  ${one}`),
    `unexpected output: ${unexpectedOutput.length}`,
    ...unexpectedOutput.map((one) => `  ${one}`),
    `started again on what was left: ${restarts}, of these in vain: ${brokenStarts.length}`,
    ...brokenStarts.map((one) => `  ${one}`),
  ].join("\n");
}
