import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Config } from "./config.ts";
import { environmentWith } from "./config.ts";
import { isPretty, prettyLine } from "./pretty-log.ts";
import { supervised } from "./supervised.ts";

/** What the hub says to whoever looks after it, once it answers requests. */
export const readyMessage = "ready";

/** The exit code of a hub whose database was migrated by a newer one: the same code would only find that again. */
export const newerSchemaExitCode = 3;

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
/** One that has lived this long is healthy: if it dies, that is no row of failures. */
const healthyMs = 60_000;

/**
 * For the C library of most Linux systems, which has to know before a process begins: what is free at the end of its heap
 * goes back to the system from 4 MB on. By itself it would keep as much as the largest buffers there ever were, 25 MB after a first start.
 */
export const memorySettings = { MALLOC_TRIM_THRESHOLD_: String(4 * 1024 ** 2) };

/**
 * Runs the hub in a process of its own and starts it again when that dies of something: no memory left, a signal of the
 * system, a fault in the code. One that has never been ready is not: what is wrong with it would be wrong again.
 */
export async function supervise(config: Config): Promise<void> {
  let hub: ChildProcess | undefined;
  let wake = (): void => {};
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      isStopping = true;
      // From a terminal it gets the signal twice, and takes them for one.
      hub?.kill(signal);
      wake();
    });
  }

  let hasBeenReady = false;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const startedAt = performance.now();
    hub = fork(process.argv[1]!, ["serve", `--${supervised}`], {
      execArgv: process.execArgv,
      env: environmentWith(memorySettings),
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    hub.once("message", () => (hasBeenReady = true));
    const [code, signal] = (await once(hub, "exit")) as [number | null, NodeJS.Signals | null];
    hub = undefined;
    if (isStopping || code === 0 || code === newerSchemaExitCode || !hasBeenReady) {
      process.exitCode = code ?? 1;
      return;
    }
    const livedMs = performance.now() - startedAt;
    if (livedMs > healthyMs) delayMs = firstDelayMs;
    report(
      config,
      `the hub died (${signal ?? `exit code ${code}`}) after ${seconds(livedMs)}; starting it again in ${seconds(delayMs)}`,
    );
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, delayMs);
    });
    if (isStopping) return;
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** In the form of the log, which goes on. */
function report(config: Config, msg: string): void {
  const line = JSON.stringify({ level: 60, time: new Date().toISOString(), msg });
  process.stderr.write(`${isPretty(config) ? prettyLine(line) : line}\n`);
}
