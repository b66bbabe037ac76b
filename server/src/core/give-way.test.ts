import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { giveWay, noteRequest, partsOf, stepwise } from "./give-way.ts";

/** Work that nobody can interrupt. */
function holdLoop(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** Until it is known how late the process is. */
async function makeLate(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    holdLoop(300);
    await delay(0);
  }
}

/** Others have that many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

const firstOf = (...racers: [string, Promise<unknown>][]): Promise<string> =>
  Promise.race(racers.map(([name, racer]) => racer.then(() => name)));

test("long work goes on at once, unless requests are kept waiting", async () => {
  await giveWay();
  await makeLate();
  expect(await firstOf(["others", turns(5)], ["work", giveWay()])).toBe("work");
  noteRequest(1);
  await makeLate();
  expect(await firstOf(["others", turns(5)], ["work", giveWay()])).toBe("others");
  await makeLate();
  expect(await firstOf(["others", turns(5)], ["work", giveWay({ own: 1 })])).toBe("work");
  // And in any case it gets on.
  await giveWay();
  noteRequest(-1);
});

test("long works go on one after the other while somebody asks now and then, not all at once", async () => {
  await giveWay();
  await makeLate();
  noteRequest(1);
  noteRequest(-1);
  let gone = 0;
  const works = Array.from({ length: 3 }, async () => {
    await giveWay();
    gone++;
    // What keeps the process late is all that is done besides.
    holdLoop(30);
    return gone;
  });
  await Promise.race(works);
  await turns(3);
  expect(gone).toBe(1);
  await Promise.all(works);
});

test("many short steps let others have their turn whenever they add up to a portion", async () => {
  const step = stepwise();
  for (let portion = 0; portion < 3; portion++) {
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    for (let i = 0; i < 10; i++) {
      holdLoop(1);
      await step();
    }
    expect(hadTurn).toBe(true);
  }
});

test("a list comes whole and in its order, and others have a turn before each part of it", async () => {
  const seen: (number[] | "others")[] = [];
  const others = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await nextTurn();
      seen.push("others");
    }
  };
  const turning = others();
  for await (const part of partsOf([1, 2, 3, 4, 5], 2)) seen.push(part);
  await turning;
  expect(seen).toEqual(["others", [1, 2], "others", [3, 4], "others", [5]]);
  expect(await Array.fromAsync(partsOf([], 2))).toEqual([]);
});
