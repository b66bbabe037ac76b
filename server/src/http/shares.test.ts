import fc from "fast-check";
import { expect, test } from "vitest";
import { createShares, share } from "./shares.ts";

test("one who is alone gets three quarters, and whoever comes then still finds something", () => {
  const shares = createShares(8);
  let own = 0;
  while (shares.take("a", 1)) own++;
  expect(own).toBe(6);
  expect(shares.take("b", 1)).toBe(true);
  expect(shares.take("c", 1)).toBe(true);
  expect(shares.take("d", 1)).toBe(false);
  shares.giveBack("a", 1);
  expect(shares.take("d", 1)).toBe(true);
});

test("under any history there is never more given than there is, nor to one with more than their share (security 5)", () => {
  const step = fc.record({
    who: fc.constantFrom("a", "b", "c"),
    amount: fc.integer({ min: 1, max: 40 }),
    isBack: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const most = 100;
      const shares = createShares(most);
      const held: Record<string, number[]> = { a: [], b: [], c: [] };
      const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);
      const all = (): number => sum(Object.values(held).map(sum));
      for (const { who, amount, isBack } of steps) {
        const own = held[who]!;
        if (isBack) {
          if (own.length > 0) shares.giveBack(who, own.pop()!);
          continue;
        }
        const left = most - all() - amount;
        const isRight = left >= 0 && (own.length === 0 || sum(own) + amount <= share * left);
        expect(shares.take(who, amount)).toBe(isRight);
        if (isRight) own.push(amount);
        expect(all()).toBeLessThanOrEqual(most);
      }
    }),
  );
});
