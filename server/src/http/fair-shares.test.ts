import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairShares, maxTimesFree } from "./fair-shares.ts";

test("a tenant alone gets three quarters, and newcomers still find room", () => {
  const shares = createFairShares(8);
  let own = 0;
  while (shares.take("a", 1)) own++;
  expect(own).toBe(6);
  expect(shares.take("b", 1)).toBe(true);
  expect(shares.take("c", 1)).toBe(true);
  expect(shares.take("d", 1)).toBe(false);
  shares.giveBack("a", 1);
  expect(shares.take("d", 1)).toBe(true);
});

test("never gives more than there is, nor more than its share to a tenant, under any history (security 5)", () => {
  const step = fc.record({
    tenant: fc.constantFrom("a", "b", "c"),
    amount: fc.integer({ min: 1, max: 40 }),
    isBack: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const total = 100;
      const shares = createFairShares(total);
      const held: Record<string, number[]> = { a: [], b: [], c: [] };
      const sum = (amounts: number[]): number => amounts.reduce((so, amount) => so + amount, 0);
      const all = (): number => sum(Object.values(held).map(sum));
      for (const { tenant, amount, isBack } of steps) {
        const own = held[tenant]!;
        if (isBack) {
          if (own.length > 0) shares.giveBack(tenant, own.pop()!);
          continue;
        }
        const free = total - all() - amount;
        const isRight = free >= 0 && (own.length === 0 || sum(own) + amount <= maxTimesFree * free);
        expect(shares.take(tenant, amount)).toBe(isRight);
        if (isRight) own.push(amount);
        expect(all()).toBeLessThanOrEqual(total);
      }
    }),
  );
});
