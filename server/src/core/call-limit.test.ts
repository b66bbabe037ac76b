import { expect, test } from "vitest";
import { createCallLimit } from "./call-limit.ts";

test("so many calls of a key run at the same time, the others in their order; another key does not wait", async () => {
  const limit = createCallLimit();
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const calls = [0, 1, 2, 3].map(async (index) => {
    ends[index] = await limit.acquire("one", 2, undefined);
    started.push(index);
  });
  await Promise.all(calls.slice(0, 2));
  await limit.acquire("other", 2, undefined);
  expect(started).toEqual([0, 1]);
  ends[1]!();
  await calls[2];
  expect(started).toEqual([0, 1, 2]);
  ends[0]!();
  await calls[3];
  ends[2]!();
  ends[3]!();
  // All have ended: the key starts anew.
  await Promise.all([limit.acquire("one", 2, undefined), limit.acquire("one", 2, undefined)]);
});

test("a waiting call that is aborted leaves the line, and takes no slot", async () => {
  const limit = createCallLimit();
  const end = await limit.acquire("one", 1, undefined);
  const stop = new AbortController();
  const aborted = limit.acquire("one", 1, stop.signal);
  const last = limit.acquire("one", 1, new AbortController().signal);
  stop.abort(new Error("no longer wanted"));
  await expect(aborted).rejects.toThrow("no longer wanted");
  await expect(limit.acquire("one", 1, stop.signal)).rejects.toThrow("no longer wanted");
  end();
  const endLast = await last;
  endLast();
  expect(await limit.acquire("one", 1, undefined)).toBeTypeOf("function");
});
