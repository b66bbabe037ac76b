import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "./config.ts";
import { environmentWith } from "./config.ts";
import { isPretty, prettyLine } from "./pretty-log.ts";
import type { Connections, GroupMessage, ReadyMessage, SupervisorMessage } from "./process-group.ts";
import { supervised } from "./supervised.ts";

/** The exit code of a hub whose database was migrated by a newer version: a restart would only find that again. */
export const newerSchemaExitCode = 3;

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
/** A process that lived this long was healthy: its end does not continue a row of failures. */
const healthyMs = 60_000;

/**
 * For the C library of most Linux systems, which reads it when a process starts: free memory at the end of its heap goes back to
 * the system from 4 MB on. By default it keeps as much as the largest buffers there ever were, 25 MB after a first start.
 */
export const memorySettings = { MALLOC_TRIM_THRESHOLD_: String(4 * 1024 ** 2) };

/**
 * Runs the processes of a hub, replaces those that die (out of memory, killed, a bug), and relays messages between them. With
 * several processes it is the primary of a `node:cluster`: it accepts the connections and passes each on to a process that is
 * free to take it. It does nothing else, so it stays small and accepts at once.
 *
 * A hub whose first process has never been ready is not restarted: the cause would be there again.
 */
export async function supervise(config: Config): Promise<void> {
  await new Supervisor(config).run();
}

class Supervisor {
  private readonly config: Config;
  private readonly size: number;
  private readonly children = new Map<number, ChildProcess>();
  private readonly stopping = new AbortController();
  private connections: Connections | undefined;
  private exitCode: number | undefined;

  constructor(config: Config) {
    this.config = config;
    this.size = config.processes;
  }

  async run(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => this.stop(signal));
    await this.keepRunning(1);
    process.exitCode = this.exitCode ?? 0;
  }

  /** Ends the hub. From a terminal each process gets the signal twice, and ignores the second one. */
  private stop(signal: NodeJS.Signals, exitCode?: number): void {
    this.exitCode ??= exitCode;
    this.stopping.abort();
    for (const child of this.children.values()) child.kill(signal);
    this.tellFirstWhenAlone();
  }

  private async keepRunning(number: number): Promise<void> {
    const others: Promise<void>[] = [];
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const startedAt = performance.now();
      const child = this.start(number, () => {
        if (number === 1 && others.length === 0)
          for (let other = 2; other <= this.size; other++) others.push(this.keepRunning(other));
      });
      const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      this.children.delete(number);
      this.tellFirstWhenAlone();
      if (this.stopping.signal.aborted) {
        if (number === 1) this.exitCode ??= code ?? 1;
        break;
      }
      if (this.endsHub(number, code)) {
        this.stop("SIGTERM", code ?? 1);
        break;
      }
      const livedMs = performance.now() - startedAt;
      if (livedMs > healthyMs) delayMs = firstDelayMs;
      const name = this.size === 1 ? "the hub" : `process ${number} of the hub`;
      const cause = signal ?? `exit code ${code}`;
      this.report(`${name} died (${cause}) after ${seconds(livedMs)}; starting it again in ${seconds(delayMs)}`);
      await delay(delayMs, undefined, { signal: this.stopping.signal }).catch(() => {});
      if (this.stopping.signal.aborted) break;
    }
    await Promise.all(others);
  }

  /** Whether the end of a process is the end of the hub. Processes after the first are replaced even if they exited with 0. */
  private endsHub(number: number, code: number | null): boolean {
    if (code === newerSchemaExitCode || !this.config.autoRestart) return true;
    return number === 1 && (code === 0 || this.connections === undefined);
  }

  private start(number: number, onReady: () => void): ChildProcess {
    const args = ["serve", `--${supervised}`];
    const env = environmentWith(memorySettings);
    const child = this.size === 1 ? this.fork(args, env) : this.forkClusterWorker(args, env);
    const isReplacement = this.children.size > 0;
    this.children.set(number, child);
    child.on("message", (message: ReadyMessage | GroupMessage) => {
      if (!("ready" in message)) return this.relay(number, message);
      this.connections ??= message.connections;
      onReady();
    });
    const connections = this.connections ?? {};
    send(child, { start: { number, size: this.size, isReplacement: number === 1 && isReplacement, connections } });
    return child;
  }

  private fork(args: string[], env: NodeJS.ProcessEnv): ChildProcess {
    const stdio = ["inherit", "inherit", "inherit", "ipc"] as const;
    return fork(process.argv[1]!, args, { execArgv: process.execArgv, env, stdio: [...stdio] });
  }

  private forkClusterWorker(args: string[], env: NodeJS.ProcessEnv): ChildProcess {
    cluster.setupPrimary({ exec: process.argv[1]!, args, execArgv: process.execArgv });
    return cluster.fork(env).process;
  }

  private relay(from: number, message: GroupMessage): void {
    for (const [number, child] of this.children) {
      if (number !== from && (message.to ?? number) === number) send(child, { ...message, from });
    }
  }

  /** The first process stops the embedded database last: the others still answer requests that need it. */
  private tellFirstWhenAlone(): void {
    const first = this.children.get(1);
    if (first && this.children.size === 1 && this.stopping.signal.aborted) send(first, { alone: true });
  }

  /** In the form of the log, which goes on. */
  private report(msg: string): void {
    const line = JSON.stringify({ level: 60, time: new Date().toISOString(), msg });
    process.stderr.write(`${isPretty(this.config) ? prettyLine(line) : line}\n`);
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** A process that ends at this moment does not receive it. */
function send(child: ChildProcess, message: SupervisorMessage | GroupMessage): void {
  if (child.connected) child.send(message, () => {});
}
