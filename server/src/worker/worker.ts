import type { World } from "../context.ts";
import type { Topic } from "../db/signals.ts";
import { startLoop } from "../queue/loop.ts";

/** Background work. It may run on several nodes at the same time and must cope with that. */
export type Chore = {
  name: string;
  intervalMs: number;
  /** Signals after which it should not wait for its time. */
  wakeOn?: Topic[];
  /** Long work looks at the signal now and then and leaves the rest to others when it is aborted. */
  run(world: World, stopping: AbortSignal): Promise<unknown>;
};

/** Runs each chore when its time has come or a signal says so, never twice at the same time. */
export function startWorker(world: World, chores: Chore[]): { stop(): Promise<void> } {
  const loops = chores.map(({ name, intervalMs, wakeOn = [], run }) => {
    const loop = startLoop({
      intervalMs,
      firstMs: Math.min(intervalMs, 1_000),
      pass: async (stopping) => void (await run(world, stopping)),
      onError: (error) => world.log.warn({ err: error, chore: name }, "a chore failed; it will be tried again"),
    });
    for (const topic of wakeOn) world.signals.subscribe(topic, () => loop.wake());
    return loop;
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
