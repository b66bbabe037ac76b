import type { World } from "../context.ts";
import { fireDueSchedules, rewindSchedules, timeUntilDue } from "../features/schedules/fire-schedules.ts";
import { refreshPreviewClock } from "../features/preview/preview.ts";

/** Signals tell of new schedules; this is for those that were lost. */
const longestSleepMs = 30_000;
const retryMs = 1_000;
/** What is due may be in the hands of another node. */
const shortestSleepMs = 20;

/** Fires schedules when they are due and sleeps in between. Several nodes may have one. */
export function startScheduler(world: World): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let hasOtherClock = false;

  async function pass(): Promise<number> {
    if (hasOtherClock) await followClock();
    const waitMs = await timeUntilDue(world, longestSleepMs);
    if (waitMs > 0) return waitMs;
    await fireDueSchedules(world, stopping.signal);
    return await timeUntilDue(world, longestSleepMs);
  }

  async function followClock(): Promise<void> {
    hasOtherClock = false;
    // The signal may be here before the clock of this process is set.
    await refreshPreviewClock(world);
    await rewindSchedules(world);
  }

  function wake(): void {
    isWanted = true;
    if (running || stopping.signal.aborted) return;
    clearTimeout(timer);
    isWanted = false;
    running = pass()
      .catch((error: unknown) => {
        world.log.warn({ err: error }, "schedules could not be fired; they will be tried again");
        return retryMs;
      })
      .then((waitMs) => {
        running = undefined;
        if (isWanted) wake();
        else if (!stopping.signal.aborted)
          timer = setTimeout(wake, Math.max(shortestSleepMs, Math.ceil(waitMs))).unref();
      });
  }

  function wakeWithClock(): void {
    hasOtherClock = true;
    wake();
  }

  const unsubscribe = [
    world.signals.subscribe("schedule", wake),
    world.signals.subscribe("reset", wake),
    ...(world.environment === "preview" ? [world.signals.subscribe("clock", wakeWithClock)] : []),
  ];
  world.signals.onGap(wake);
  wake();

  return {
    async stop() {
      stopping.abort();
      for (const off of unsubscribe) off();
      clearTimeout(timer);
      await running;
    },
  };
}
