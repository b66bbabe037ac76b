import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import type { Worker } from "../../../queue/work.ts";

/** The engine of this process, if it has one. */
export const localEngine = perWorld((): { worker?: Worker } => ({}));

const hintEveryMs = 50;
const lastHints = perWorld(() => ({ at: 0, timer: undefined as NodeJS.Timeout | undefined }));

/**
 * Call after executions were queued. The engine of this process is woken directly. Others get a NOTIFY, at most every 50 ms and outside
 * of transactions, because each NOTIFY takes a lock at commit. Polling finds what a notification misses.
 */
export function wakeTaskEngines(world: World, delayMs = 0): void {
  const { worker } = localEngine(world);
  if (delayMs > 0) return worker?.wake(delayMs + 20);
  if (worker?.hasFreeSlot()) return worker.wake();
  const hints = lastHints(world);
  if (hints.timer) return;
  const waitMs = Math.max(0, hints.at + hintEveryMs - performance.now());
  hints.timer = setTimeout(() => {
    hints.timer = undefined;
    hints.at = performance.now();
    world.signals.hint("task_queued", "");
  }, waitMs).unref();
}
