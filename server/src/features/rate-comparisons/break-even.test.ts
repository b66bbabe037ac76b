import fc from "fast-check";
import { expect, test } from "vitest";
import { findStep } from "./break-even.ts";

/** Looked for from the first one on. */
function slowly(costs: number[], goal: number): number {
  return costs.findIndex((cost) => cost <= goal);
}

async function search(costs: number[], goal: number): Promise<{ step: number; tries: number }> {
  let tries = 0;
  const costAt = async (step: number): Promise<number> => {
    tries++;
    return costs[step]!;
  };
  const last = costs.length - 1;
  const step = await findStep({ step: 0, cost: costs[0]! }, { step: last, cost: costs[last]! }, goal, costAt);
  return { step, tries };
}

test("the first step that costs no more is found, for any falling costs", async () => {
  const falls = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 100_000 })), {
    minLength: 1,
    maxLength: 300,
  });
  await fc.assert(
    fc.asyncProperty(falls, fc.double({ min: 0, max: 1, noNaN: true }), async (each, part) => {
      const costs = [0];
      for (const fall of each) costs.unshift(costs[0]! + fall);
      const goal = costs[0]! * part;
      expect((await search(costs, goal)).step).toBe(slowly(costs, goal));
    }),
  );
});

test("few steps are evaluated if the costs are nearly linear with a minimum", async () => {
  const costs = Array.from({ length: 10_001 }, (_, step) => {
    const floors = [0.3, 0.45, 0.5, 0.7].map((floor) => Math.max(floor, 1 - step / 10_000));
    return floors.reduce((sum, share) => sum + Math.round(share * 4_999_500), 0);
  });
  for (const goal of [0.99, 0.9, 0.8, 0.6].map((share) => costs[0]! * share)) {
    const { step, tries } = await search(costs, goal);
    expect(step).toBe(slowly(costs, goal));
    expect(tries).toBeLessThan(12);
  }
});
