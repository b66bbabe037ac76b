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
import type { HeavyProcess } from "../http/heavy-slots.ts";
import type { Config } from "./config.ts";

/** What the process is told when it has started. */
export type HeavyTask = {
  environment: Environment;
  connection: Connection;
  secretKeys: [key: string, previous: string[]];
  settings: Settings;
  logLevel: string;
  logFormat: Config["logFormat"];
  /** Where the socket is; nothing else is there. */
  folder: string;
  socketPath: string;
  token: string;
};

const maxHeapMegabytes = 1_536;
const endsWithinMs = 5_000;
const pingMs = 1_000;

/** For how long the event loop of the process may stand still. */
export type HeavyLimits = {
  /** Time of the processor, where the system tells it: the largest body that is allowed takes a few seconds. */
  maxSilentCpuSeconds: number;
  /** Pings without an answer. On a machine with no processor to spare the process hardly gets on, and that is not its fault. */
  maxUnanswered: number;
  /** From then on it takes no further requests. */
  fullMegabytes: number;
};

const defaultLimits: HeavyLimits = {
  maxSilentCpuSeconds: 20,
  maxUnanswered: 90,
  fullMegabytes: maxHeapMegabytes / 2,
};

/** Asked with "ping", which the process answers as long as its event loop turns. */
export type HeavyPong = { unfinished: number; heapMegabytes: number };

/** A process with the routes of one surface, for requests that would hold up all others. */
export async function startHeavyProcess(
  task: Omit<HeavyTask, "folder" | "socketPath" | "token">,
  limits: HeavyLimits = defaultLimits,
): Promise<HeavyProcess & { pid: number }> {
  // Only this user can look into it.
  const folder = await mkdtemp(path.join(tmpdir(), "hub-heavy-"));
  const token = randomUUID();
  const socketPath = process.platform === "win32" ? `\\\\.\\pipe\\hub-heavy-${token}` : path.join(folder, "socket");
  const child = fork(path.join(import.meta.dirname, "heavy.ts"), {
    execArgv: [
      `--max-old-space-size=${maxHeapMegabytes}`,
      "--import",
      new URL("load-modules.ts", import.meta.url).href,
    ],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // What it needs it is told; the passwords in our environment are not among it.
    env: {},
  });
  let hasEnded = false;
  let wasOverworked = false;
  const kill = (): void => {
    if (hasEnded) return;
    wasOverworked = true;
    child.kill("SIGKILL");
  };
  const ended = once(child, "exit").then(async ([, signal]) => {
    hasEnded = true;
    // What Node does when the heap is full.
    if (signal === "SIGABRT") wasOverworked = true;
    pings.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const pings = createPings(child, limits, kill);
  child.send({ ...task, folder, socketPath, token } satisfies HeavyTask);
  await Promise.race([once(child, "message"), ended]);
  if (hasEnded) throw new Error("the process for heavy work ended while it started");
  pings.start();
  return {
    pid: child.pid!,
    socketPath,
    token,
    hasEnded: () => hasEnded,
    wasOverworked: () => wasOverworked,
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

/** Asks a process every second. Questions are counted, not seconds: while the hub itself stands still, none is asked. */
function createPings(child: ChildProcess, { maxSilentCpuSeconds, maxUnanswered }: HeavyLimits, kill: () => void) {
  let unanswered = 0;
  let heapMegabytes = 0;
  /** When it answered last. */
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
      child.on("message", (pong: HeavyPong) => {
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

/** Of the processor, used by this process so far; 0 where the system does not say it in a file. */
function cpuSecondsOf(pid: number): number {
  try {
    const [, numbers] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ") as [string, string];
    const [user, system] = numbers.split(" ").slice(11, 13);
    return (Number(user) + Number(system)) / ticksPerSecond;
  } catch {
    return 0;
  }
}
