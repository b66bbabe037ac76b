import fc from "fast-check";
import { expect, test } from "vitest";
import { cardOn } from "./card-on.ts";

test("a card is in effect from its first to its last day, both included", () => {
  const card = { effectiveFrom: "2026-01-10", effectiveTo: "2026-02-28", version: 1 };
  const days = ["2026-01-09", "2026-01-10", "2026-02-28", "2026-03-01"];
  expect(days.map((day) => cardOn([card], day) !== undefined)).toEqual([false, true, true, false]);
});

test("of several the one that began last counts, and of those the newest upload", () => {
  const old = { effectiveFrom: "2026-01-01", version: 1 };
  const promotion = { effectiveFrom: "2026-02-01", effectiveTo: "2026-02-10", version: 2 };
  const corrected = { ...promotion, version: 3 };
  const cards = [corrected, old, promotion];
  expect(["2026-01-31", "2026-02-01", "2026-02-10", "2026-02-11"].map((day) => cardOn(cards, day))).toEqual([
    old,
    corrected,
    corrected,
    old,
  ]);
});

const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, "0")}`);
const dated = fc.tuple(day, fc.option(day, { nil: null }), fc.integer({ min: 1, max: 50 }));

test("no other card in effect began later, whatever their order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(dated, { maxLength: 8, selector: ([, , version]) => version }), day, (rows, on) => {
      const cards = rows.map(([effectiveFrom, effectiveTo, version]) => ({ effectiveFrom, effectiveTo, version }));
      const found = cardOn(cards, on);
      const live = cards.filter((card) => card.effectiveFrom <= on && on <= (card.effectiveTo ?? "9999-12-31"));
      const best = live.toSorted((a, b) => b.effectiveFrom.localeCompare(a.effectiveFrom) || b.version - a.version)[0];
      expect(found).toEqual(best);
      expect(cardOn(cards.toReversed(), on)).toEqual(best);
    }),
  );
});
