import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { findStatusAcrossOrgs } from "./executions.store.ts";

/** Requests that wait for an execution to end, by its id. They share one subscription. */
const waiters = perWorld((world) => {
  const waiting = new Map<string, () => void>();
  world.signals.subscribe("task_ended", (id) => waiting.get(id)?.());
  return { waiting, isStopping: false };
});

/** On shutdown: waiting requests are answered with the execution as it is. */
export function stopWaiting(world: World): void {
  const state = waiters(world);
  state.isStopping = true;
  for (const check of state.waiting.values()) check();
}

const pollMs = 1_000;

/** Resolves when the execution has ended, or after `maxMs`. */
export async function awaitEnd(world: World, id: string, maxMs: number): Promise<void> {
  const state = waiters(world);
  const { waiting } = state;
  const deadline = performance.now() + maxMs;
  try {
    for (;;) {
      // Subscribe before reading: an end between the query and the wait would be missed otherwise.
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      const status = await findStatusAcrossOrgs(world.db, id);
      if (status !== "queued" && status !== "running") return;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || state.isStopping) return;
      const timer = setTimeout(resolve, Math.min(pollMs, leftMs));
      await promise;
      clearTimeout(timer);
    }
  } finally {
    waiting.delete(id);
  }
}
