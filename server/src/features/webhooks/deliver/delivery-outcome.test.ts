import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Health } from "../webhooks.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { endOf, healthAfter, isSuccess, retryDelaysMs } from "./delivery-outcome.ts";

const start = Date.parse("2026-11-02T09:00:00Z");
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

const healthy: Health = {
  status: "active",
  disabledReason: null,
  ordering: "none",
  maxInFlight: 8,
  concurrency: 8,
  waitUntil: null,
  consecutiveFailures: 0,
  failingSince: null,
  failingReportedAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};

function sent(status: number | null, atMs: number, retryAfterMs?: number): Outcome {
  const error = status === 204 ? null : { code: "unexpected_status", message: "no" };
  return { at: new Date(start + atMs), durationMs: 5, status, error, headers: null, answer: null, retryAfterMs };
}

type Tried = { tries: number; nextTryAt: Date | null };

const endWith = (delivery: Tried, { ordering }: Health, outcome: Outcome, random: () => number) =>
  endOf({ ...delivery, isStrict: ordering === "strict" }, outcome, random);

/** One delivery to an endpoint that always fails, tried as soon as it may be; when it was, and how it ended. */
function follow(health: Health, untilMs: number) {
  let delivery = { tries: 0, nextTryAt: null as Date | null };
  const tries: number[] = [];
  const told: string[] = [];
  let state = health;
  for (let at = 0; at <= untilMs;) {
    const outcome = sent(500, at);
    const ending = endWith(delivery, state, outcome, () => 0.5);
    const after = healthAfter(state, outcome, ending, () => 0.5);
    tries.push(at);
    if (after.news) told.push(`${after.news} at ${Math.round(at / minute)}`);
    state = after.health;
    if (ending.status !== "pending" || state.status !== "active") return { tries, told, state, ending };
    delivery = ending;
    const due = ending.dueAt?.getTime() ?? 0;
    const gate = state.waitUntil === null ? 0 : Date.parse(state.waitUntil);
    at = Math.max(due, gate, start + at + 1) - start;
  }
  return { tries, told, state, ending: undefined };
}

describe("a failed delivery", () => {
  test.each(["none", "strict"] as const)("is delayed little by an outage of 8 seconds: order %s", (ordering) => {
    for (const random of [0, 0.5, 0.999]) {
      let delivery = { tries: 0, nextTryAt: null as Date | null };
      let state: Health = { ...healthy, ordering, concurrency: ordering === "strict" ? 1 : 8 };
      let at = 0;
      while (at <= 8_000) {
        const outcome = sent(null, at);
        const ending = endWith(delivery, state, outcome, () => random);
        state = healthAfter(state, outcome, ending, () => random).health;
        delivery = ending;
        at = Math.max(ending.dueAt?.getTime() ?? 0, Date.parse(state.waitUntil ?? "") || 0) - start;
      }
      expect(at).toBeLessThan(30_000);
    }
  });

  test("is tried 13 times in three days, then given up", () => {
    const { tries, ending, told } = follow(healthy, 10 * day);
    const planned = retryDelaysMs.map((_, n) => retryDelaysMs.slice(0, n + 1).reduce((sum, ms) => sum + ms, 0));
    // A probe that has to wait a little comes a little later than planned.
    expect(tries.map((at, n) => at >= planned[n]! && at <= planned[n]! + hour)).toEqual(planned.map(() => true));
    expect([tries.length, ending?.status]).toEqual([13, "failed"]);
    expect(told).toEqual(["failing at 158"]);
  });

  test("with strict ordering is tried every 15 minutes, and given up no earlier", () => {
    const { tries, ending } = follow({ ...healthy, ordering: "strict", concurrency: 1 }, 10 * day);
    const gaps = tries.slice(1).map((at, n) => at - tries[n]!);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15 * minute);
    expect(tries.length).toBeGreaterThan(100);
    expect([ending?.status, tries.at(-1)! >= 75 * hour]).toEqual(["failed", true]);
  });

  test("waits as long as the endpoint asks for, and so do the others", () => {
    const outcome = sent(429, 0, 6 * hour);
    const ending = endWith({ tries: 0, nextTryAt: null }, healthy, outcome, () => 0.5);
    expect(ending.dueAt).toEqual(new Date(start + 6 * hour));
    const { health } = healthAfter(healthy, outcome, ending, () => 0.5);
    expect(health.waitUntil).toBe(new Date(start + 6 * hour).toISOString());
  });

  test("stays pending when the endpoint returns 410, which disables the webhook at once", () => {
    const outcome = sent(410, 0);
    const ending = endWith({ tries: 3, nextTryAt: null }, healthy, outcome, () => 0.5);
    expect(ending).toEqual({ status: "pending", tries: 3, dueAt: null, nextTryAt: null });
    const change = healthAfter(healthy, outcome, ending, () => 0.5);
    expect([change.news, change.health.status, change.health.disabledReason]).toEqual(["disabled", "disabled", "gone"]);
    // A pause in the meantime is kept.
    const paused = healthAfter({ ...healthy, status: "paused" }, outcome, ending, () => 0.5);
    expect([paused.news, paused.health.status, paused.health.disabledReason]).toEqual([undefined, "paused", null]);
  });
});

describe("an endpoint that fails", () => {
  test("is reported once after an hour, and disabled after five days", () => {
    let state = healthy;
    const told: string[] = [];
    // Deliveries enough for every probe.
    for (let at = 0; at < 6 * day;) {
      const outcome = sent(null, at);
      const change = healthAfter(
        state,
        outcome,
        endWith({ tries: 0, nextTryAt: null }, state, outcome, () => 0.5),
        () => 0.5,
      );
      state = change.health;
      if (change.news) told.push(`${change.news} at ${Math.floor(at / hour)} h`);
      if (state.status !== "active") break;
      at = Math.max(at + 1, Date.parse(state.waitUntil ?? "") - start || 0);
    }
    expect(told).toEqual(["failing at 1 h", "disabled at 120 h"]);
  });

  test("gets one request at a time after five failures in a row, and twice as many after each success", () => {
    let state = healthy;
    const concurrency: number[] = [];
    for (const status of [500, 500, 500, 500, 500, 204, 204, 204, 204]) {
      const outcome = sent(status, 0);
      state = healthAfter(
        state,
        outcome,
        endWith({ tries: 0, nextTryAt: null }, state, outcome, () => 0.5),
        () => 0.5,
      ).health;
      concurrency.push(state.concurrency);
    }
    expect(concurrency).toEqual([8, 8, 8, 8, 1, 2, 4, 8, 8]);
  });

  test("always has a concurrency between one and its limit, and waits at most six hours", () => {
    const step = fc.record({
      status: fc.constantFrom(204, 200, 500, 429, 302, null),
      ms: fc.nat(hour),
      pause: fc.nat(6 * hour),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 32 }),
        (steps, strict, most) => {
          const ordering = strict ? "strict" : "none";
          let state: Health = { ...healthy, ordering, maxInFlight: most, concurrency: strict ? 1 : most };
          let at = 0;
          for (const { status, ms, pause } of steps) {
            at += ms;
            const outcome = sent(status, at, status === 429 ? pause : undefined);
            const before = state.waitUntil;
            state = healthAfter(
              state,
              outcome,
              endWith({ tries: 0, nextTryAt: null }, state, outcome, Math.random),
              Math.random,
            ).health;
            expect(state.concurrency).toBeGreaterThanOrEqual(1);
            expect(state.concurrency).toBeLessThanOrEqual(strict ? 1 : most);
            if (isSuccess(outcome))
              expect(state).toMatchObject({ waitUntil: null, consecutiveFailures: 0, failingSince: null });
            // A failure does not shorten the wait that an earlier response asked for.
            else if (before !== null) expect(state.waitUntil! >= before).toBe(true);
            if (state.waitUntil !== null)
              expect(Date.parse(state.waitUntil) - start - at).toBeLessThanOrEqual(6 * hour);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
