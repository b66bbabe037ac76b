import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";

type LocalEngine = { wake?: () => void; wakeIn?: (delayMs: number) => void; hasRoom?: () => boolean };

/** The engine of this process, if it has one. */
export const localEngine = perWorld((): LocalEngine => ({}));

const hintEveryMs = 50;
const lastHints = perWorld(() => ({ at: 0, timer: undefined as NodeJS.Timeout | undefined }));

/**
 * After executions were queued. The engine next door is told directly; others by a notification, which costs every
 * commit of the database a lock and is therefore sent rarely and outside of transactions. What it misses, polling finds.
 */
export function wakeWorkers(world: World): void {
  const local = localEngine(world);
  if (local.wake && local.hasRoom?.()) return local.wake();
  hintWorkers(world);
}

/** Other nodes may have room. */
export function hintWorkers(world: World): void {
  const hints = lastHints(world);
  if (hints.timer) return;
  const waitMs = Math.max(0, hints.at + hintEveryMs - performance.now());
  hints.timer = setTimeout(() => {
    hints.timer = undefined;
    hints.at = performance.now();
    world.signals.hint("task_queued", "");
  }, waitMs).unref();
}
