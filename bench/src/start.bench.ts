import { setTimeout as delay } from "node:timers/promises";
import path from "node:path";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { residentMegabytes, startChild } from "./child.ts";
import { startHub, withDataDir } from "./hub-process.ts";

const rounds = 5;
const settleMs = 2_000;
/** A first start has to compile everything, as on a machine that never ran the hub. */
const neverRan = { NODE_DISABLE_COMPILE_CACHE: "1" };
const floorFile = path.join(import.meta.dirname, "floor-start.ts");

export const startBench: Bench = {
  name: "start",
  bar: "launch to first 200: <= 2 s on an empty data directory, <= 1 s on a used one; <= 160 MB when idle",
  async run() {
    // Fills the hub's cache of compiled code, which later starts have.
    await withDataDir((dataDir) => startAndStop(dataDir));
    const results: Round[] = [];
    for (let round = 0; round < rounds; round++) results.push(await measureRound());
    const of = (pick: (round: Round) => number): number => median(results.map(pick));
    const fresh = { ours: of((round) => round.fresh), floor: of((round) => round.freshFloor) };
    const warm = { ours: of((round) => round.warm), floor: of((round) => round.warmFloor) };
    const figures: Figure[] = [
      { what: "first start", unit: "ms", ...fresh, limit: { on: "ours", atMost: 2_000 } },
      { what: "later start", unit: "ms", ...warm, limit: { on: "ours", atMost: 1_000 } },
      {
        what: "idle memory, first start",
        unit: "MB",
        ours: of((r) => r.freshMemory),
        limit: { on: "ours", atMost: 160 },
      },
      {
        what: "idle memory, later start",
        unit: "MB",
        ours: of((r) => r.warmMemory),
        limit: { on: "ours", atMost: 160 },
      },
    ];
    return figures;
  },
};

type Round = Record<"fresh" | "warm" | "freshFloor" | "warmFloor" | "freshMemory" | "warmMemory", number>;

async function measureRound(): Promise<Round> {
  const hub = await withDataDir(
    async (dataDir) => [await startAndStop(dataDir, neverRan), await startAndStop(dataDir)] as const,
  );
  const floor = await withDataDir(async (dataDir) => [await timeFloor(dataDir), await timeFloor(dataDir)] as const);
  return {
    fresh: hub[0].startMs,
    freshMemory: hub[0].megabytes,
    warm: hub[1].startMs,
    warmMemory: hub[1].megabytes,
    freshFloor: floor[0],
    warmFloor: floor[1],
  };
}

async function startAndStop(dataDir: string, env = {}): Promise<{ startMs: number; megabytes: number }> {
  const hub = await startHub(dataDir, env);
  try {
    await delay(settleMs);
    return { startMs: hub.startMs, megabytes: await residentMegabytes(hub.pid) };
  } finally {
    await hub.stop();
  }
}

async function timeFloor(dataDir: string): Promise<number> {
  const child = await startChild(floorFile, ["--data-dir", dataDir], {}, /^ready$/m);
  await child.stop();
  return child.readyMs;
}
