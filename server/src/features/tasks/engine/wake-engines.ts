import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import type { Worker } from "../../../queue/work.ts";

/** The engine of this process, if it has one. */
export const localEngine = perWorld((): { worker?: Worker } => ({}));

const hintEveryMs = 50;
const lastHints = perWorld(() => ({ at: 0, timer: undefined as NodeJS.Timeout | undefined }));

/**
 * After executions were queued. The engine next door is told directly; others by a notification, which costs every
 * commit of the database a lock and is therefore sent rarely and outside of transactions. What it misses, polling finds.
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
