import { expect, test } from "vitest";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";

test("memory of the start is given back when there is little to do, once", async () => {
  const shares = [1, 0.5, 0.2, 0.05, 0.01];
  const left: number[] = [];
  const parts = { busyShare: () => shares.shift()!, collect: () => void left.push(shares.length), everyMs: 1 };
  await releaseMemoryWhenQuiet(new AbortController().signal, parts);
  expect(left).toEqual([1]);
});

test("a hub that stops does not wait for that", async () => {
  const stopping = new AbortController();
  let collected = 0;
  const busyShare = (): number => {
    stopping.abort();
    return 1;
  };
  await releaseMemoryWhenQuiet(stopping.signal, { busyShare, collect: () => void collected++, everyMs: 1 });
  expect(collected).toBe(0);
});

test("a loop with much to do is not quiet, the same loop with nothing to do is", async () => {
  const stopping = new AbortController();
  let isReleased = false;
  const released = releaseMemoryWhenQuiet(stopping.signal).then(() => (isReleased = true));
  const until = performance.now() + 1_000;
  while (performance.now() < until) {
    const turn = performance.now() + 20;
    while (performance.now() < turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isReleased).toBe(false);
  await released;
});
