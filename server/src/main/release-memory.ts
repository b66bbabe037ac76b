import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookEveryMs = 200;
/** Of the time: with more to do than this somebody may be waiting. */
const quietShare = 0.1;

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Two full collections, one after the other: nothing is answered for 0.15 s. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Which share of the time since it was last asked the event loop had something to do. */
function createBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

type Parts = { busyShare: () => number; collect: () => void; everyMs: number };

/**
 * Gives back what starting took: sources, compiled code and demo data that nobody needs any more. By itself V8 would
 * keep it until the heap fills up, which in a hub with little to do is never. In one with much to do nobody shall wait for it.
 */
export async function releaseMemoryWhenQuiet(
  stopping: AbortSignal,
  { busyShare, collect, everyMs }: Parts = {
    busyShare: createBusyShare(),
    collect: collectGarbage,
    everyMs: lookEveryMs,
  },
): Promise<void> {
  do {
    await delay(everyMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    if (stopping.aborted) return;
  } while (busyShare() > quietShare);
  collect();
}
