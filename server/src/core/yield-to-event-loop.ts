import { setImmediate as nextIteration } from "node:timers/promises";

/** Delays of this length are not noticed, and yielding more often would take longer than the work. */
const sliceMs = 5;

/** Between two batches of long work: other requests run first. */
export async function yieldToEventLoop(): Promise<void> {
  await nextIteration();
}

/** For work of many short steps: call it after each step; it yields whenever 5 ms have passed. */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await yieldToEventLoop();
    since = performance.now();
  };
}

/** The list in batches of `size`, yielding before each. */
export async function* batchesOf<T>(list: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let start = 0; start < list.length; start += size) {
    await yieldToEventLoop();
    yield list.slice(start, start + size);
  }
}
