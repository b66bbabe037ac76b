import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPace } from "./pace.ts";

/** Time goes on by itself only when told to; requests are begun as soon as they may. */
function startPace() {
  let now = 0;
  const pace = createPace({ maxAtWork: 8, maxEventLoopDelayMs: 500 }, () => now);
  /** For a second, each lane asks for so many; the event loop is so late. Returns how many began. */
  function second(asks: Record<string, number>, lateMs: number): Record<string, number> {
    const begun = Object.fromEntries(Object.keys(asks).map((lane) => [lane, 0]));
    const waiting = { ...begun };
    for (let ms = 0; ms < 1000; ms++, now++) {
      for (const [lane, count] of Object.entries(asks)) {
        const come = Math.floor(((ms + 1) * count) / 1000) - Math.floor((ms * count) / 1000);
        waiting[lane]! += come;
        for (let i = 0; i < come; i++) pace.noteAsked(lane);
        for (; waiting[lane]! > 0 && pace.waitMs(lane) === 0; waiting[lane]!--, begun[lane]!++) pace.noteBegin(lane);
      }
      if (ms % 100 === 99) pace.sample(lateMs);
    }
    return begun;
  }
  return { pace, second };
}

describe("while the event loop is late", () => {
  test("whoever asks for much begins less of it, and whoever asks for little does not notice", () => {
    const { pace, second } = startPace();
    expect(second({ noisy: 400, quiet: 20 }, 0)).toEqual({ noisy: 400, quiet: 20 });
    for (let i = 0; i < 3; i++) second({ noisy: 400, quiet: 20 }, 50);
    const { noisy, quiet } = second({ noisy: 400, quiet: 20 }, 50);
    expect(quiet).toBe(20);
    expect(noisy).toBeLessThan(60);
    expect(noisy).toBeGreaterThan(30);
    expect([pace.asksForMuch("noisy"), pace.asksForMuch("quiet")]).toEqual([true, false]);
  });

  test("the later it is the sooner everybody begins less", () => {
    const inFirstSecond = (lateMs: number): number => {
      const { second } = startPace();
      second({ noisy: 400, quiet: 20 }, 0);
      return second({ noisy: 400, quiet: 20 }, lateMs).noisy!;
    };
    expect(inFirstSecond(400)).toBeLessThan(inFirstSecond(40) * 0.9);
  });

  test("one who is alone goes on, whatever strangers do, and strangers begin less as soon as somebody is there", () => {
    const { second } = startPace();
    for (let i = 0; i < 3; i++) expect(second({ only: 400 }, 50)).toEqual({ only: 400 });
    for (let i = 0; i < 3; i++) second({ only: 400, strangers: 200, unproven: 200 }, 50);
    const { only, strangers, unproven } = second({ only: 400, strangers: 200, unproven: 200 }, 50);
    expect(only).toBe(400);
    expect(Math.max(strangers!, unproven!)).toBeLessThan(60);
  });

  test("who has begun nothing for two seconds is not there any more", () => {
    const { second } = startPace();
    for (let i = 0; i < 3; i++) second({ noisy: 400, quiet: 20 }, 50);
    for (let i = 0; i < 3; i++) second({ noisy: 400 }, 50);
    expect(second({ noisy: 400 }, 50)).toEqual({ noisy: 400 });
  });

  test("a long answer counts as several requests", () => {
    const { pace, second } = startPace();
    for (let i = 0; i < 3; i++) second({ noisy: 400, quiet: 20 }, 50);
    pace.noteMore("noisy", 40);
    const { noisy, quiet } = second({ noisy: 400, quiet: 20 }, 50);
    expect([noisy, quiet]).toEqual([expect.toSatisfy((count: number) => count < 10), 20]);
  });

  test("what can be done elsewhere is, for a while longer where there are several; who is held back is known", () => {
    const { pace, second } = startPace();
    second({ noisy: 400, quiet: 20 }, 0);
    expect([pace.isStrained("noisy"), pace.isHeldBack("noisy")]).toEqual([false, false]);
    for (let i = 0; i < 3; i++) second({ noisy: 400, quiet: 20 }, 15);
    expect([pace.isStrained("noisy"), pace.isHeldBack("noisy"), pace.isHeldBack("quiet")]).toEqual([true, true, false]);
    second({ noisy: 400, quiet: 20 }, 0);
    expect([pace.isSlow(), pace.isStrained("noisy")]).toEqual([false, true]);
    const alone = startPace();
    for (let i = 0; i < 3; i++) alone.second({ only: 400 }, 15);
    expect([alone.pace.isStrained("only"), alone.pace.isHeldBack("only")]).toEqual([false, false]);
    alone.second({ only: 400 }, 50);
    expect(alone.pace.isStrained("only")).toBe(true);
  });

  test("everybody begins as before when it is not any more, also after a single hitch", () => {
    const { second } = startPace();
    for (let i = 0; i < 5; i++) second({ noisy: 400, quiet: 20 }, 50);
    for (let i = 0; i < 8; i++) second({ noisy: 400, quiet: 20 }, 0);
    expect(second({ noisy: 400, quiet: 20 }, 0)).toEqual({ noisy: 400, quiet: 20 });
    const { pace } = startPace();
    for (let i = 0; i < 10; i++) ["busy", "other"].forEach((lane) => pace.noteBegin(lane));
    pace.sample(60);
    expect(pace.waitMs("busy")).toBe(0);
  });

  test("no lane gets less than another one that asks for as much", () => {
    const asks = fc.record({ a: fc.integer({ min: 50, max: 500 }), b: fc.integer({ min: 50, max: 500 }) });
    fc.assert(
      fc.property(asks, fc.integer({ min: 15, max: 500 }), (asked, lateMs) => {
        const { second } = startPace();
        for (let i = 0; i < 3; i++) second(asked, lateMs);
        const { a, b } = second(asked, lateMs);
        expect(Math.abs(a! - b!)).toBeLessThanOrEqual(12);
      }),
      { numRuns: 30 },
    );
  });
});
