import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOfShares } from "./money.ts";

const ppm = fc.integer({ min: 0, max: 1_000_000 });
const cents = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
);

test("nested percentages are exact for any amount, rounded once and half away from zero", () => {
  fc.assert(
    fc.property(cents, ppm, ppm, fc.oneof(fc.constant(1_000_000), ppm), (amount, of, kept, share) => {
      // The long way: how often half a cent fits, and then one less or as many.
      const halves = (BigInt(Math.abs(amount)) * BigInt(of) * BigInt(kept) * BigInt(share) * 2n) / 10n ** 18n;
      const rounded = Number((halves + 1n) / 2n);
      expect(shareOfShares(amount, of, kept, share)).toBe(amount < 0 ? -rounded : rounded);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [100, 185_000, 750_000, 14],
  [400, 12_500, 100_000, 1],
  [399, 12_500, 100_000, 0],
  [-400, 12_500, 100_000, -1],
])("of %i cents, %i and %i millionths are %i cents", (amount, of, kept, share) => {
  expect(shareOfShares(amount, of, kept)).toBe(share);
});
