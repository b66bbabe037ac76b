import { expect, test } from "vitest";
import type { CarrierResponse } from "../carrier-accounts/open-carrier.ts";
import { createPriceQueue } from "./price-queue.ts";

type Response = CarrierResponse<string>;
const done: Response = { done: "5.00" };
const limited = (retryAfterMs: number): Response => ({
  unknown: "Too many requests.",
  retryAfterMs,
  isRateLimited: true,
});
const silent: Response = { unknown: "The carrier did not respond in time." };

/** Runs requests whose responses `answer` returns, by the number of the call. */
async function runAll(count: number, concurrency: number, answer: (call: number) => Response | Promise<Response>) {
  const queue = createPriceQueue<string>(concurrency);
  const settled: Response[] = [];
  let [calls, open, most] = [0, 0, 0];
  const requests = Array.from({ length: count }, () => ({
    async ask() {
      most = Math.max(most, ++open);
      const response = await answer(++calls);
      open--;
      return response;
    },
    settle: (response: Response) => void settled.push(response),
  }));
  await queue.run(requests, undefined);
  return { settled, calls, most, progress: queue.progress() };
}

const soon = async (response: Response): Promise<Response> =>
  await new Promise((resolve) => setTimeout(() => resolve(response), 1));

test("as many requests are under way as the carrier allows, and each is answered once", async () => {
  const { settled, calls, most, progress } = await runAll(20, 4, () => soon(done));
  expect([settled.length, calls, most]).toEqual([20, 20, 4]);
  expect(progress).toEqual({ answered: 20, failed: 0, pending: 0, status: "idle" });
});

test("requests that reach a rate limit are repeated after the wait, and the others wait too", async () => {
  const startedAt = performance.now();
  const { settled, calls } = await runAll(6, 3, (call) => soon(call <= 3 ? limited(50) : done));
  expect(settled).toEqual(Array.from({ length: 6 }, () => done));
  expect(calls).toBe(9);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50);
});

test("a rate limit that does not end stops the account after five waits", async () => {
  const { settled, calls, progress } = await runAll(10, 2, () => soon(limited(1)));
  expect(settled).toHaveLength(10);
  expect(settled.every((response) => "unknown" in response)).toBe(true);
  expect(calls).toBeLessThanOrEqual(12);
  expect(progress).toEqual({ answered: 0, failed: 10, pending: 0, status: "stopped" });
});

test("a wait that the carrier wants to be longer than a minute stops the account at once", async () => {
  const { settled, calls } = await runAll(10, 1, () => limited(3_600_000));
  expect([settled.length, calls]).toEqual([10, 1]);
});

test("after five failures in a row the remaining requests fail without a call", async () => {
  const { settled, calls } = await runAll(100, 4, () => soon(silent));
  expect(settled).toHaveLength(100);
  expect(calls).toBeLessThanOrEqual(8);
  const notAsked = "The carrier did not respond in time. Not asked again after 5 failures in a row.";
  expect(settled.filter((response) => "unknown" in response && response.unknown === notAsked)).toHaveLength(
    100 - calls,
  );
});

test("credentials that the carrier refuses stop the account, a parcel that it refuses does not", async () => {
  const refused = (code: string): Response => ({ rejected: { code, message: "No." } });
  expect((await runAll(50, 1, () => refused("unauthorized"))).calls).toBe(5);
  expect((await runAll(50, 1, () => refused("bad_address"))).calls).toBe(50);
  const mixed = await runAll(50, 1, (call) => (call % 5 === 0 ? done : silent));
  expect(mixed.calls).toBe(50);
});

test("an aborted queue sends no further request", async () => {
  const stopping = new AbortController();
  const queue = createPriceQueue<string>(2);
  let calls = 0;
  const requests = Array.from({ length: 20 }, () => ({
    async ask() {
      if (++calls === 4) stopping.abort();
      return await soon(done);
    },
    settle() {},
  }));
  await expect(queue.run(requests, stopping.signal)).rejects.toThrow("aborted");
  expect(calls).toBe(4);
});
