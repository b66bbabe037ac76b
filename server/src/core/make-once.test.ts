import { expect, test } from "vitest";
import { makeOnce } from "./make-once.ts";

test("the value is created once for all callers, and again only after a failure", async () => {
  let tries = 0;
  const get = makeOnce(async () => {
    tries++;
    if (tries === 1) throw new Error("not this time");
    return tries;
  });
  const first = await Promise.allSettled([get(), get()]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(tries).toBe(1);
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(await get()).toBe(2);
});
