import { setTimeout as delay } from "node:timers/promises";
import path from "node:path";
import type { Bench } from "./bench.ts";
import { median } from "./bench.ts";
import { residentMegabytes, startChild } from "./child.ts";
import { startHub, withDataDir } from "./hub-process.ts";

const rounds = 5;
/** A first start seeds demo data for nearly two seconds before the hub is idle. */
const settleMs = 3_000;
/** Like the first start on a machine: no compile cache. */
const neverRan = { NODE_DISABLE_COMPILE_CACHE: "1" };
const floorFile = path.join(import.meta.dirname, "floor-start.ts");

export const startBench: Bench = {
  name: "start",
  bar: "launch to first 200: <= 2 s on a new data directory, <= 1 s on a used one; <= 200 MB when idle",
  async run() {
    // All in one folder that is removed at the end: a start right after removing another cluster is up to a
    // second slower, also for the floor, because the file system is still busy.
    const results = await withDataDir(async (parent) => {
      // Fills the compile cache for the starts below.
      await startAndStop(path.join(parent, "first"));
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round++) measured.push(await measureRound(path.join(parent, String(round))));
      return measured;
    });
    const of = (pick: (round: Round) => number): number => median(results.map(pick));
    const onNew = of(({ floor }) => floor.onNew);
    return [
      { what: "new data directory", unit: "ms", ours: of((r) => r.onNew.ms), floor: onNew, limit: atMost(2_000) },
      { what: "new, nothing compiled yet", unit: "ms", ours: of((r) => r.ever.ms), floor: onNew },
      {
        what: "used data directory",
        unit: "ms",
        ours: of((r) => r.onUsed.ms),
        floor: of(({ floor }) => floor.onUsed),
        limit: atMost(1_000),
      },
      { what: "idle memory, new", unit: "MB", ours: of((r) => r.onNew.megabytes), limit: atMost(200) },
      { what: "idle memory, nothing compiled", unit: "MB", ours: of((r) => r.ever.megabytes), limit: atMost(200) },
      { what: "idle memory, used", unit: "MB", ours: of((r) => r.onUsed.megabytes), limit: atMost(200) },
    ];
  },
};

type Three = [string, string, string];
type Start = { ms: number; megabytes: number };
type Round = { ever: Start; onNew: Start; onUsed: Start; floor: { onNew: number; onUsed: number } };

const atMost = (limit: number) => ({ on: "ours", atMost: limit }) as const;

async function measureRound(parent: string): Promise<Round> {
  const [forEver, forFloor, forHub] = ["ever", "floor", "hub"].map((name) => path.join(parent, name)) as Three;
  return {
    ever: await startAndStop(forEver, neverRan),
    floor: { onNew: await timeFloor(forFloor), onUsed: await timeFloor(forFloor) },
    onNew: await startAndStop(forHub),
    onUsed: await startAndStop(forHub),
  };
}

async function startAndStop(dataDir: string, env = {}): Promise<Start> {
  const hub = await startHub(dataDir, env);
  try {
    await delay(settleMs);
    return { ms: hub.startMs, megabytes: await residentMegabytes(hub.pid) };
  } finally {
    await hub.stop();
  }
}

async function timeFloor(dataDir: string): Promise<number> {
  const child = await startChild(floorFile, ["--data-dir", dataDir], {}, /^ready$/m);
  await child.stop();
  return child.readyMs;
}
