import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { batchesOf, createYielder } from "./yield-to-event-loop.ts";

function blockEventLoop(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test("many short steps yield to the event loop whenever they add up to a time slice", async () => {
  const afterStep = createYielder();
  for (let slice = 0; slice < 3; slice++) {
    let hasYielded = false;
    setImmediate(() => (hasYielded = true));
    for (let i = 0; i < 10; i++) {
      blockEventLoop(1);
      await afterStep();
    }
    expect(hasYielded).toBe(true);
  }
});

test("a list arrives completely and in order, with a yield before each batch", async () => {
  const seen: (number[] | "other work")[] = [];
  const otherWork = (async () => {
    for (let i = 0; i < 3; i++) {
      await nextIteration();
      seen.push("other work");
    }
  })();
  for await (const batch of batchesOf([1, 2, 3, 4, 5], 2)) seen.push(batch);
  await otherWork;
  expect(seen).toEqual(["other work", [1, 2], "other work", [3, 4], "other work", [5]]);
  expect(await Array.fromAsync(batchesOf([], 2))).toEqual([]);
});
