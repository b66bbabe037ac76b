import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** What was seen of the hub from outside of it. */
export type Sightings = {
  /** Megabytes, the most of them that were seen. */
  memory: { hub: number; heavy: number; postgres: number };
  /** Milliseconds that /healthz took; answers other than 200, and none. */
  health: { longest: number; failed: number };
};

const lookEveryMs = 500;
const healthWithinMs = 5_000;

export function watchHub(pid: number, url: string): { stop(): Promise<Sightings> } {
  const seen: Sightings = { memory: { hub: 0, heavy: 0, postgres: 0 }, health: { longest: 0, failed: 0 } };
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
  const now = { hub: 0, heavy: 0, postgres: 0 };
  for (const line of stdout.split("\n")) {
    const [, own, parent, kilobytes, command = ""] = /^ *(\d+) +(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    if (Number(own) === pid) now.hub += Number(kilobytes) / 1024;
    else if (Number(parent) === pid && command.includes("heavy")) now.heavy += Number(kilobytes) / 1024;
  }
  memory.hub = Math.max(memory.hub, now.hub);
  memory.heavy = Math.max(memory.heavy, now.heavy);
}

async function askForHealth(url: string, { health }: Sightings): Promise<void> {
  const sentAt = performance.now();
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(healthWithinMs) }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer?.status !== 200) health.failed++;
  health.longest = Math.max(health.longest, performance.now() - sentAt);
}

/** A moment in which the hub did nothing else than one thing, or a row of things: the clock's, and its own time. */
export type Hold = { at: number; ms: number; cpuMs: number };

/** What `watch-loop.ts` wrote down in the hub, `from` and `to` by the clock on the wall. */
export async function readHolds(file: string, from: number, to: number): Promise<Hold[]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Hold).filter(({ at }) => at >= from && at <= to);
}
