import type { World } from "../context.ts";
import type { Topic } from "../db/signals.ts";

/** Work that nobody waits for. It may run on several nodes at once and must cope with that. */
export type Chore = {
  name: string;
  everyMs: number;
  /** Signals after which it should not wait for its time. */
  wakeOn?: Topic[];
  run(world: World): Promise<unknown>;
};

/** Runs each chore when its time has come or a signal says so, never twice at the same time. */
export function startWorker(world: World, chores: Chore[]): { stop(): Promise<void> } {
  const loops = chores.map((chore) => startLoop(world, chore));
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(world: World, chore: Chore): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  function start(): void {
    if (isStopped) return;
    if (running) {
      isWanted = true;
      return;
    }
    clearTimeout(timer);
    isWanted = false;
    running = chore
      .run(world)
      .then(
        () => {},
        (error: unknown) => world.log.warn({ err: error, chore: chore.name }, "a chore failed; it will be tried again"),
      )
      .finally(() => {
        running = undefined;
        if (isWanted) start();
        else if (!isStopped) timer = setTimeout(start, chore.everyMs).unref();
      });
  }

  for (const topic of chore.wakeOn ?? []) world.signals.subscribe(topic, start);
  timer = setTimeout(start, Math.min(chore.everyMs, 1_000)).unref();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
