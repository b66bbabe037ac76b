import type { World } from "../context.ts";
import type { Topic } from "../db/signals.ts";

/** Work that nobody waits for. It may run on several nodes at once and must cope with that. */
export type Chore = {
  name: string;
  everyMs: number;
  /** Signals after which it should not wait for its time. */
  wakeOn?: Topic[];
  /** Long work looks at the signal now and then and leaves the rest to others when it is aborted. */
  run(world: World, stopping: AbortSignal): Promise<unknown>;
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
  const stopping = new AbortController();

  function start(): void {
    if (stopping.signal.aborted) return;
    if (running) {
      isWanted = true;
      return;
    }
    clearTimeout(timer);
    isWanted = false;
    running = chore
      .run(world, stopping.signal)
      .then(
        () => {},
        (error: unknown) => world.log.warn({ err: error, chore: chore.name }, "a chore failed; it will be tried again"),
      )
      .finally(() => {
        running = undefined;
        if (isWanted) start();
        else if (!stopping.signal.aborted) timer = setTimeout(start, chore.everyMs).unref();
      });
  }

  for (const topic of chore.wakeOn ?? []) world.signals.subscribe(topic, start);
  timer = setTimeout(start, Math.min(chore.everyMs, 1_000)).unref();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
