import { describe, expect, test } from "vitest";
import { matchCredits } from "./match-credits.ts";
import type { CreditableFinding } from "./save-findings.store.ts";

const dollar = 1_000_000;
const finding = (id: string, dollars: number, more: Partial<CreditableFinding> = {}): CreditableFinding => ({
  id,
  parcel: "1Z1",
  amount: dollars * dollar,
  credited: 0,
  state: "open",
  ...more,
});

describe("credits of a parcel", () => {
  test("go to the finding of the same amount first, whatever its place", () => {
    const findings = [finding("a", 5), finding("b", 3)];
    expect(matchCredits([3 * dollar], findings)).toEqual([{ id: "b", credited: 3 * dollar, isSettled: true }]);
    // Carriers round.
    expect(matchCredits([2.99 * dollar], findings)).toEqual([{ id: "b", credited: 2.99 * dollar, isSettled: true }]);
  });

  test("cover what is left in the order of the findings, the last one in part", () => {
    const findings = [finding("a", 5), finding("b", 4)];
    expect(matchCredits([6 * dollar], findings)).toEqual([
      { id: "a", credited: 5 * dollar, isSettled: true },
      { id: "b", credited: 1 * dollar, isSettled: false },
    ]);
  });

  test("two credits of the same amount are for two findings", () => {
    const findings = [finding("a", 5), finding("b", 5), finding("c", 5)];
    const settled = matchCredits([5 * dollar, 5 * dollar], findings);
    expect(settled.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("change nothing the second time", () => {
    const findings = [
      finding("a", 5, { state: "credited", credited: 5 * dollar }),
      finding("b", 4, { credited: dollar }),
    ];
    expect(matchCredits([6 * dollar], findings)).toEqual([]);
    expect(matchCredits([], [finding("a", 5)])).toEqual([]);
  });
});
