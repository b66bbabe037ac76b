import type { World } from "../context.ts";
import { rewindAutomations } from "../features/automations/automations.ts";
import { fireDueSchedules, rewindSchedules, timeUntilDue } from "../features/schedules/schedules.ts";
import { startLoop } from "../queue/loop.ts";
import { rewindDeliveries } from "../features/webhooks/webhooks.ts";
import { refreshPreviewClock } from "../features/preview/preview.ts";

/** Signals tell of new schedules; this is for those that were lost. */
const longestSleepMs = 30_000;
const retryMs = 1_000;
/** What is due may be in the hands of another node. */
const shortestSleepMs = 20;

/** Fires schedules when they are due and sleeps in between. Several nodes may have one. */
export function startScheduler(world: World): { stop(): Promise<void> } {
  let hasOtherClock = false;
  const loop = startLoop({
    intervalMs: longestSleepMs,
    firstMs: 0,
    retryMs,
    async pass(stopping) {
      if (hasOtherClock) await followClock();
      const waitMs = await timeUntilDue(world, longestSleepMs);
      if (waitMs <= 0) await fireDueSchedules(world, stopping);
      const nextMs = waitMs > 0 ? waitMs : await timeUntilDue(world, longestSleepMs);
      return Math.max(shortestSleepMs, Math.ceil(nextMs));
    },
    onError: (error) => world.log.warn({ err: error }, "schedules could not be fired; they will be tried again"),
  });

  async function followClock(): Promise<void> {
    hasOtherClock = false;
    // The signal may be here before the clock of this process is set.
    await refreshPreviewClock(world);
    await rewindSchedules(world);
    await rewindAutomations(world);
    await rewindDeliveries(world);
  }

  const wake = (): void => loop.wake();
  const wakeWithClock = (): void => {
    hasOtherClock = true;
    wake();
  };
  const unsubscribe = [
    world.signals.subscribe("schedule", wake),
    world.signals.subscribe("reset", wake),
    ...(world.environment === "preview" ? [world.signals.subscribe("clock", wakeWithClock)] : []),
  ];
  world.signals.onGap(wake);

  return {
    async stop() {
      for (const off of unsubscribe) off();
      await loop.stop();
    },
  };
}
