import { expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { startLoop } from "./loop.ts";

const hour = 3_600_000;
const onError = (error: unknown): void => {
  throw error;
};
const reaches = (count: () => number, wanted: number) =>
  eventually(
    async () => count(),
    (n) => n >= wanted,
  );

test("never runs twice at the same time, and a wake-up during a pass causes another one", async () => {
  let [begun, ended, most] = [0, 0, 0];
  const releases = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const loop = startLoop({
    intervalMs: hour,
    onError,
    async pass() {
      most = Math.max(most, ++begun - ended);
      await releases[begun - 1]?.promise;
      ended++;
    },
  });
  loop.wake();
  await reaches(() => begun, 1);
  for (let n = 0; n < 5; n++) loop.wake();
  releases[0]!.resolve();
  await reaches(() => begun, 2);
  releases[1]!.resolve();
  await reaches(() => ended, 2);
  await loop.stop();
  expect({ begun, most }).toEqual({ begun: 2, most: 1 });
});

test("a later wake-up is not lost by an immediate one in between", async () => {
  let passes = 0;
  const held = Promise.withResolvers<void>();
  const loop = startLoop({
    intervalMs: hour,
    onError,
    pass: () => (++passes === 1 ? held.promise : Promise.resolve()),
  });
  loop.wake();
  loop.wake(50);
  loop.wake();
  held.resolve();
  expect(await reaches(() => passes, 3)).toBe(3);
  await loop.stop();
});

test("a failed pass is repeated soon, and stop waits for the current pass", async () => {
  const failures: unknown[] = [];
  let [passes, hasEnded] = [0, false];
  const held = Promise.withResolvers<void>();
  const loop = startLoop({
    intervalMs: hour,
    firstMs: 1,
    retryMs: 1,
    onError: (error) => failures.push(error),
    async pass(stopping) {
      if (++passes === 1) throw new Error("not yet");
      stopping.addEventListener("abort", () => held.resolve());
      await held.promise;
      hasEnded = true;
    },
  });
  await reaches(() => passes, 2);
  await loop.stop();
  expect(failures).toHaveLength(1);
  expect(hasEnded).toBe(true);
  loop.wake();
  expect(passes).toBe(2);
});
