import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Environment, Settings } from "../context.ts";
import type { Connection } from "../db/server-client.ts";
import type { WorkerProcess } from "../http/worker-slots.ts";
import type { Config } from "./config.ts";

/** Sent to the process when it has started. */
export type WorkerTask = {
  environment: Environment;
  connection: Connection;
  secretKeys: [key: string, previous: string[]];
  settings: Settings;
  rowSecurity: boolean;
  /** As in Config. */
  plugins: string[];
  logLevel: string;
  logFormat: Config["logFormat"];
  /** Contains the socket and nothing else. */
  folder: string;
  socketPath: string;
  token: string;
};

const maxHeapMegabytes = 1_536;
const endsWithinMs = 5_000;
const pingMs = 1_000;

/** For how long the event loop of the process may be blocked. */
export type WorkerLimits = {
  /** CPU time without an answer, where the system reports it: the largest allowed body takes a few seconds. */
  maxSilentCpuSeconds: number;
  /** Unanswered pings. Many, because on a busy machine the process hardly gets CPU time through no fault of its own. */
  maxUnanswered: number;
  /** With this heap it takes no further requests. */
  fullMegabytes: number;
};

const defaultLimits: WorkerLimits = {
  maxSilentCpuSeconds: 20,
  maxUnanswered: 90,
  fullMegabytes: maxHeapMegabytes / 2,
};

/** The answer to a ping. */
export type WorkerPong = { unfinished: number; heapMegabytes: number };

/** A process with the routes of one surface, for requests that would hold the event loop of an HTTP process. */
export async function startWorkerProcess(
  task: Omit<WorkerTask, "folder" | "socketPath" | "token">,
  limits: WorkerLimits = defaultLimits,
): Promise<WorkerProcess & { pid: number }> {
  // Readable by this user only.
  const folder = await mkdtemp(path.join(tmpdir(), "hub-worker-"));
  const token = randomUUID();
  const socketPath = process.platform === "win32" ? `\\\\.\\pipe\\hub-worker-${token}` : path.join(folder, "socket");
  const child = fork(path.join(import.meta.dirname, "worker-process-main.ts"), {
    execArgv: [
      `--max-old-space-size=${maxHeapMegabytes}`,
      "--import",
      new URL("load-modules.ts", import.meta.url).href,
    ],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // It receives what it needs by message: the passwords in our environment are not passed on.
    env: {},
  });
  let hasEnded = false;
  let wasKilled = false;
  const kill = (): void => {
    if (hasEnded) return;
    wasKilled = true;
    child.kill("SIGKILL");
  };
  const ended = once(child, "exit").then(async ([, signal]) => {
    hasEnded = true;
    // Node aborts when the heap is full.
    if (signal === "SIGABRT") wasKilled = true;
    pings.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const pings = createPings(child, limits, kill);
  child.send({ ...task, folder, socketPath, token } satisfies WorkerTask);
  await Promise.race([once(child, "message"), ended]);
  if (hasEnded) throw new Error("the worker process ended while it started");
  pings.start();
  return {
    pid: child.pid!,
    socketPath,
    token,
    hasEnded: () => hasEnded,
    wasKilled: () => wasKilled,
    unfinished: () => pings.ask(),
    isFull: () => pings.heapMegabytes() >= limits.fullMegabytes,
    kill,
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), endsWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Pings a process every second. Pings are counted, not seconds: while our own event loop is blocked, none is sent. */
function createPings(child: ChildProcess, { maxSilentCpuSeconds, maxUnanswered }: WorkerLimits, kill: () => void) {
  let unanswered = 0;
  let heapMegabytes = 0;
  /** At its last answer. */
  let usedCpuSeconds = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiting: ((unfinished: number) => void)[] = [];
  const send = (): void => void child.send("ping", () => {});
  const settle = (unfinished: number): void => {
    unanswered = 0;
    for (const resolve of waiting.splice(0)) resolve(unfinished);
  };
  return {
    heapMegabytes: () => heapMegabytes,
    start(): void {
      child.on("message", (pong: WorkerPong) => {
        heapMegabytes = pong.heapMegabytes;
        settle(pong.unfinished);
      });
      timer = setInterval(() => {
        const used = cpuSecondsOf(child.pid!);
        if (unanswered === 0) usedCpuSeconds = used;
        unanswered++;
        if (unanswered > maxUnanswered || used - usedCpuSeconds > maxSilentCpuSeconds) kill();
        else send();
      }, pingMs).unref();
    },
    stop(): void {
      clearInterval(timer);
      settle(0);
    },
    ask: (): Promise<number> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (timer === undefined || child.exitCode !== null || child.signalCode !== null) settle(0);
        else send();
      }),
  };
}

const ticksPerSecond = 100;

/** CPU time of this process so far; 0 where there is no /proc. */
function cpuSecondsOf(pid: number): number {
  try {
    const [, numbers] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ") as [string, string];
    const [user, system] = numbers.split(" ").slice(11, 13);
    return (Number(user) + Number(system)) / ticksPerSecond;
  } catch {
    return 0;
  }
}
