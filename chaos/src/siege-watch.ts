import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Observed from outside of the hub. */
export type Sightings = {
  /** Megabytes, the maximum. */
  memory: { hub: number; workers: number };
  /** Milliseconds that /healthz took, and how often it did not answer 200. */
  health: { longest: number; failed: number };
};

const lookEveryMs = 500;
const healthWithinMs = 5_000;

export function watchHub(pid: number, url: string): { stop(): Promise<Sightings> } {
  const seen: Sightings = { memory: { hub: 0, workers: 0 }, health: { longest: 0, failed: 0 } };
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    looking = Promise.all([lookAtMemory(pid, seen), askForHealth(url, seen)]);
  }, lookEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      return seen;
    },
  };
}

async function lookAtMemory(pid: number, { memory }: Sightings): Promise<void> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,ppid=,rss=,args="]);
  const now = { hub: 0, workers: 0 };
  for (const line of stdout.split("\n")) {
    const [, own, parent, kilobytes, command = ""] = /^ *(\d+) +(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    if (Number(own) === pid) now.hub += Number(kilobytes) / 1024;
    else if (Number(parent) === pid && command.includes("worker-process-main")) now.workers += Number(kilobytes) / 1024;
  }
  memory.hub = Math.max(memory.hub, now.hub);
  memory.workers = Math.max(memory.workers, now.workers);
}

async function askForHealth(url: string, { health }: Sightings): Promise<void> {
  const sentAt = performance.now();
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(healthWithinMs) }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer?.status !== 200) health.failed++;
  health.longest = Math.max(health.longest, performance.now() - sentAt);
}

/** An iteration of the event loop that took long: by the clock, and in CPU time. */
export type Hold = { at: number; ms: number; cpuMs: number };

/** Written by `watch-loop.ts` in the hub; `from` and `to` by the wall clock. */
export async function readHolds(file: string, from: number, to: number): Promise<Hold[]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Hold).filter(({ at }) => at >= from && at <= to);
}
