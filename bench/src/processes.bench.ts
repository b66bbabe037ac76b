import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import autocannon from "autocannon";
import type { Bench, Figure, Limit } from "./bench.ts";
import { median } from "./bench.ts";
import { residentMegabytes } from "./child.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";

/** HTTP processes, and how many times the reads of one they have to serve. */
const sizes = [
  { processes: 1, atLeast: 1 },
  { processes: 2, atLeast: 1.7 },
  { processes: 4, atLeast: 3 },
];
const rounds = 3;
const connections = 64;
const warmUpSeconds = 4;
const roundSeconds = 4;
const settleMs = 3_000;

export const processesBench: Bench = {
  name: "processes",
  bar: "reads of 2 and 4 HTTP processes : 1, with as many free cores: >= 1.7 and >= 3; <= 120 MB for each further process",
  run: () => withDataDir(measure),
};

type Round = { perSecond: number; startMs: number; first: number; further: number | undefined };

async function measure(dataDir: string): Promise<Figure[]> {
  const results = new Map<number, Round[]>(sizes.map(({ processes }) => [processes, []]));
  // In turns, so that whatever else the machine does hits all sizes alike. The first start creates the database.
  await (await startHub(dataDir)).stop();
  for (let round = 0; round < rounds; round++) {
    for (const { processes } of sizes) results.get(processes)!.push(await measureOne(dataDir, processes));
  }
  const of = (processes: number, pick: (round: Round) => number): number => median(results.get(processes)!.map(pick));
  const base = of(1, ({ perSecond }) => perSecond);
  return sizes.flatMap(({ processes, atLeast }): Figure[] => {
    const name = processes === 1 ? "1 process" : `${processes} processes`;
    // The clients and PostgreSQL need about as many cores again.
    const hasCores = processes > 1 && availableParallelism() >= 2 * processes;
    const limit: { limit?: Limit } = hasCores ? { limit: { on: "ratio", atLeast } } : {};
    const further = results.get(processes)!.flatMap((round) => round.further ?? []);
    return [
      { what: `reads, ${name}`, unit: "req/s", ours: of(processes, (r) => r.perSecond), floor: base, ...limit },
      { what: `start, ${name}`, unit: "ms", ours: of(processes, (r) => r.startMs) },
      { what: `idle memory of the first of ${name}`, unit: "MB", ours: of(processes, (r) => r.first) },
      ...(further.length === 0
        ? []
        : [
            {
              what: `idle memory that each further adds, of ${name}`,
              unit: "MB",
              ours: median(further),
              limit: { on: "ours", atMost: 120 } as const,
            },
          ]),
    ];
  });
}

async function measureOne(dataDir: string, processes: number): Promise<Round> {
  const hub = await startHub(dataDir, { HUB_PROCESSES: String(processes), HUB_PREVIEW_PORT: "off" });
  try {
    await untilStarted(hub.pid, processes);
    await delay(settleMs);
    const pids = processes === 1 ? [hub.pid] : await childrenOf(hub.pid);
    const first = await residentMegabytes(pids[0]!);
    const further = await Promise.all(pids.slice(1).map(ownMegabytes));
    const { headers, post } = await signInWithKey(hub.url);
    const { id } = await post<{ id: string }>("/condition-sets", { name: `Set ${crypto.randomUUID()}` });
    const url = `${hub.url}/api/v1/condition-sets/${id}`;
    await requestsPerSecond(url, headers, warmUpSeconds);
    const perSecond = await requestsPerSecond(url, headers, roundSeconds);
    return {
      perSecond,
      startMs: hub.startMs,
      first,
      further: further.length === 0 ? undefined : median(further),
    };
  } finally {
    await hub.stop();
  }
}

/** Memory that a process adds to the others: the program itself is loaded once for all. */
async function ownMegabytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => undefined);
  if (rollup === undefined) return await residentMegabytes(pid);
  const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].map(([, value]) => Number(value));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([own, parent]) => (parent === pid ? [own!] : [])).toSorted((a, b) => a - b);
}

/** The first process is ready; the others start then. */
async function untilStarted(pid: number, processes: number): Promise<void> {
  while (processes > 1 && (await childrenOf(pid)).length < processes) await delay(50);
}

/** From threads of their own: one could not send as much as several processes serve. */
async function requestsPerSecond(url: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const workers = Math.min(4, availableParallelism());
  const result = await autocannon({ url, headers, connections, duration: seconds, workers });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${url}: ${failed} of ${result.requests.total} requests failed`);
  return result.requests.total / result.duration;
}
