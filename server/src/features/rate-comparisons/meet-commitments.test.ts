import { expect, test } from "vitest";
import type { Random } from "../../testing/random-parcels.ts";
import { createRandom } from "../../testing/random-parcels.ts";
import { chooseCheapest, costAt } from "./choose-mix.ts";
import { meetCommitments } from "./meet-commitments.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { createMatrix, noPrice } from "./price-matrix.ts";

function randomMatrix(random: Random): PriceMatrix {
  const [parcels, targets] = [1 + random.below(6), 2 + random.below(2)];
  const matrix = createMatrix(parcels, targets);
  for (let position = 0; position < parcels; position++) {
    matrix.paid[position] = random.below(20);
    for (const prices of matrix.prices) if (random.chance(0.8)) prices[position] = random.below(20);
  }
  return matrix;
}

/** Every possible mix. */
function* everyMix(matrix: PriceMatrix, keepSource: boolean, chosen: number[] = []): Generator<number[]> {
  const { count, prices } = matrix;
  if (chosen.length === count) {
    yield chosen;
    return;
  }
  const options = prices.flatMap((cents, target) => (cents[chosen.length] === noPrice ? [] : [target]));
  if (options.length === 0) options.push(-1);
  else if (keepSource) options.push(prices.length);
  for (const target of options) yield* everyMix(matrix, keepSource, [...chosen, target]);
}

const costOf = (matrix: PriceMatrix, mix: ArrayLike<number>): number =>
  Array.from(mix).reduce((sum, target, position) => sum + (target === -1 ? 0 : costAt(matrix, position, target)), 0);

const missingIn = (mix: ArrayLike<number>, minimums: number[]): number =>
  minimums.reduce((sum, least, target) => {
    const parcels = Array.from(mix).filter((one) => one === target).length;
    return sum + Math.max(0, least - parcels);
  }, 0);

test("for committed parcels no possible mix misses fewer of them, or costs less", async () => {
  const random = createRandom(5);
  let [unmet, dearer] = [0, 0];
  for (let round = 0; round < 400; round++) {
    const matrix = randomMatrix(random);
    const keepSource = random.chance(0.5);
    const parcels = matrix.prices.map(() => random.below(4));
    const best = chooseCheapest(matrix, keepSource);
    const mix = await meetCommitments(matrix, best, { parcels, cents: parcels.map(() => 0) }, keepSource);
    let least: [missing: number, cost: number] = [Infinity, Infinity];
    for (const other of everyMix(matrix, keepSource)) {
      const [missing, cost] = [missingIn(other, parcels), costOf(matrix, other)];
      if (missing < least[0] || (missing === least[0] && cost < least[1])) least = [missing, cost];
    }
    expect([missingIn(mix, parcels), costOf(matrix, mix)]).toEqual(least);
    if (least[0] > 0) unmet++;
    else if (least[1] > costOf(matrix, best)) dearer++;
  }
  expect(Math.min(unmet, dearer)).toBeGreaterThan(50);
});

test("committed amounts are met wherever a target alone can, and the commitments of others stay met", async () => {
  const random = createRandom(6);
  let met = 0;
  for (let round = 0; round < 400; round++) {
    const matrix = randomMatrix(random);
    const best = chooseCheapest(matrix, false);
    const revenueOf = (mix: ArrayLike<number>): number =>
      Array.from(mix).reduce((sum, target, position) => sum + (target === 0 ? costAt(matrix, position, 0) : 0), 0);
    const all = matrix.prices[0]!.reduce((sum, cents) => sum + Math.max(0, cents), 0);
    const wanted = random.below(all + 20);
    const parcels = matrix.prices.map(() => 0);
    const mix = await meetCommitments(matrix, best, { parcels, cents: [wanted, 0, 0] }, false);
    expect(revenueOf(mix)).toBeGreaterThanOrEqual(Math.min(wanted, all));
    expect(costOf(matrix, mix)).toBeGreaterThanOrEqual(costOf(matrix, best));
    if (wanted <= revenueOf(best)) expect([...mix]).toEqual([...best]);
    else met++;
    const kept = await meetCommitments(matrix, best, { parcels: [0, 1, 0], cents: [wanted, 0, 0] }, false);
    const without = await meetCommitments(matrix, best, { parcels: [0, 1, 0], cents: [0, 0, 0] }, false);
    expect(missingIn(kept, [0, 1])).toBe(missingIn(without, [0, 1]));
  }
  expect(met).toBeGreaterThan(100);
});
