import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { findStatusAcrossOrgs } from "./executions.store.ts";

/** Whoever waits for an execution to end, by its id. One subscription for all of them. */
const waiters = perWorld((world) => {
  const waiting = new Map<string, () => void>();
  world.signals.subscribe("task_ended", (id) => waiting.get(id)?.());
  return { waiting, isOver: false };
});

/** This process is about to end: whoever waits is answered with what there is. */
export function stopWaiting(world: World): void {
  const room = waiters(world);
  room.isOver = true;
  for (const look of room.waiting.values()) look();
}

const lookAgainMs = 1_000;

/** Returns when the execution has ended, or the time is over. */
export async function awaitEnd(world: World, id: string, maxMs: number): Promise<void> {
  const room = waiters(world);
  const { waiting } = room;
  const deadline = performance.now() + maxMs;
  try {
    for (;;) {
      // The signal first: an end between the look and the wait must not be missed.
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      const status = await findStatusAcrossOrgs(world.db, id);
      if (status !== "queued" && status !== "running") return;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || room.isOver) return;
      const timer = setTimeout(resolve, Math.min(lookAgainMs, leftMs));
      await promise;
      clearTimeout(timer);
    }
  } finally {
    waiting.delete(id);
  }
}
