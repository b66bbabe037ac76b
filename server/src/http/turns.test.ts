import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Turn, TurnLimits } from "./turns.ts";
import { createTurns } from "./turns.ts";

const limits: TurnLimits = { places: 4, perLane: () => 3, maxWaiting: 5, patienceMs: 60_000 };
const isTurn = (taken: Turn | { refused: string }): taken is Turn => "end" in taken;
const turnOf = async (taken: ReturnType<ReturnType<typeof createTurns>["take"]>): Promise<Turn> => {
  const got = await taken;
  if (!isTurn(got)) throw new Error(got.refused);
  return got;
};

describe("turns", () => {
  test("one lane never has all places", async () => {
    const turns = createTurns(limits);
    const mine = Array.from({ length: 5 }, () => turns.take("a"));
    expect(turns.working()).toBe(3);
    await turnOf(turns.take("b"));
    expect([turns.working(), turns.waiting()]).toEqual([4, 2]);
    (await turnOf(mine[0]!)).end();
    await turnOf(mine[3]!);
    expect(turns.waiting()).toBe(1);
  });

  test("the first of one line does not wait for the second of another, however many are there", async () => {
    const turns = createTurns({ ...limits, places: 1, perLane: () => 1, maxWaiting: 1_000 });
    const order: string[] = [];
    const work = async (lane: string): Promise<void> => {
      const turn = await turnOf(turns.take(lane));
      order.push(lane);
      turn.end();
    };
    const blocker = await turnOf(turns.take("x"));
    const all = [...Array.from({ length: 500 }, () => work("busy")), work("quiet")];
    blocker.end();
    await Promise.all(all);
    expect(order.indexOf("quiet")).toBeLessThanOrEqual(1);
  });

  test("the lane with the fewest at work is served first, not the one whose line is longest", async () => {
    const turns = createTurns({ ...limits, perLane: () => 4, maxWaiting: 1_000 });
    const held = await Promise.all(Array.from({ length: 4 }, () => turnOf(turns.take("slow"))));
    const begun: string[] = [];
    const waiting = ["slow", "slow", "slow", "quiet", "quiet"].map(async (lane) => {
      const turn = await turnOf(turns.take(lane));
      begun.push(lane);
      held.push(turn);
    });
    for (const turn of held.slice(0, 4)) {
      turn.end();
      await new Promise(setImmediate);
    }
    expect(begun).toEqual(["quiet", "quiet", "slow", "slow"]);
    for (const turn of held) turn.end();
    await Promise.all(waiting);
  });

  test("who stands in a line that is too long is refused at once, and who waited too long is let go", async () => {
    const turns = createTurns({ ...limits, places: 1, maxWaiting: 1, patienceMs: 1 });
    const only = await turnOf(turns.take("a"));
    const waits = turns.take("a");
    expect(await turns.take("a")).toEqual({ refused: "too_many_waiting" });
    expect(await waits).toEqual({ refused: "waited_too_long" });
    expect(turns.waiting()).toBe(0);
    only.end();
    only.end();
    expect(turns.working()).toBe(0);
    await turnOf(turns.take("a"));
  });

  test("who leaves the line has left it, whoever else is in it", async () => {
    const turns = createTurns({ ...limits, places: 1, perLane: () => 1 });
    const blocker = await turnOf(turns.take("a"));
    const leaves: (() => void)[] = [];
    const waiting = Array.from({ length: 3 }, () => turns.take("a", (leave) => leaves.push(leave)));
    leaves[1]!();
    expect(await waiting[1]).toEqual({ refused: "left" });
    expect(turns.waitingIn("a")).toBe(2);
    blocker.end();
    const first = await turnOf(waiting[0]!);
    // It has its turn already.
    leaves[0]!();
    expect([turns.working(), turns.waitingIn("a")]).toEqual([1, 1]);
    first.end();
    (await turnOf(waiting[2]!)).end();
    expect([turns.working(), turns.waiting(), turns.lanes()]).toEqual([0, 0, 0]);
  });

  test("who may not begin yet begins when it is time, and holds up nobody else", async () => {
    const waits = new Map([["paced", 30]]);
    const begun: string[] = [];
    const pace = { waitMs: (lane: string) => waits.get(lane) ?? 0, noteBegin: (lane: string) => begun.push(lane) };
    const turns = createTurns({ ...limits, pace });
    const paced = turns.take("paced");
    await turnOf(turns.take("other"));
    expect([begun, turns.waitingIn("paced")]).toEqual([["other"], 1]);
    waits.clear();
    const turn = await turnOf(paced);
    expect(begun).toEqual(["other", "paced"]);
    turn.end();
    // Who comes back has begun already.
    waits.set("paced", 30);
    await turns.takeAgain("paced");
    expect(begun).toEqual(["other", "paced"]);
  });

  test("who may begin soon does not wait for somebody who may much later", async () => {
    const waits = new Map([
      ["later", 600_000],
      ["soon", 30],
    ]);
    const turns = createTurns({ ...limits, pace: { waitMs: (lane) => waits.get(lane) ?? 0, noteBegin() {} } });
    void turns.take("later");
    const soon = turns.take("soon");
    waits.delete("soon");
    (await turnOf(soon)).end();
    expect(turns.waitingIn("later")).toBe(1);
  });

  test("who comes back stands before those who have not begun", async () => {
    const turns = createTurns({ ...limits, places: 1, perLane: () => 1 });
    const order: number[] = [];
    const blocker = await turnOf(turns.take("a"));
    const note = (n: number, isFirst: boolean) =>
      (isFirst ? turns.takeAgain("a") : turnOf(turns.take("a"))).then((turn) => {
        order.push(n);
        turn.end();
      });
    const all = [note(1, false), note(2, false), note(3, true)];
    blocker.end();
    await Promise.all(all);
    expect(order).toEqual([3, 1, 2]);
  });

  test("under any history no place is lost, no limit broken, and nobody waits while there is room", async () => {
    const step = fc.oneof(fc.record({ take: fc.constantFrom("a", "b", "c") }), fc.record({ end: fc.nat({ max: 50 }) }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const turns = createTurns({ ...limits, maxWaiting: 1_000 });
        const held: { lane: string; turn: Turn }[] = [];
        const wanting = new Map(["a", "b", "c"].map((lane) => [lane, 0]));
        const settle = () => new Promise(setImmediate);
        for (const one of steps) {
          if ("take" in one) {
            const lane = one.take;
            wanting.set(lane, wanting.get(lane)! + 1);
            void turnOf(turns.take(lane)).then((turn) => held.push({ lane, turn }));
          } else if (held.length > 0) {
            const [gone] = held.splice(one.end % held.length, 1);
            wanting.set(gone!.lane, wanting.get(gone!.lane)! - 1);
            gone!.turn.end();
          }
          await settle();
          const working = (lane: string): number => held.filter((one) => one.lane === lane).length;
          expect(turns.working()).toBe(held.length);
          for (const lane of "abc") expect(working(lane)).toBeLessThanOrEqual(3);
          const hasRoom = held.length < 4;
          const isKept = [...wanting].some(([lane, count]) => count > working(lane) && working(lane) < 3);
          expect(hasRoom && isKept).toBe(false);
        }
        while (held.length > 0) {
          held.pop()!.turn.end();
          await settle();
        }
        expect([turns.working(), turns.waiting()]).toEqual([0, 0]);
      }),
    );
  });
});
