import fc from "fast-check";
import { expect, test } from "vitest";
import type { OrderLine } from "../orders/order.ts";
import { remainingOf } from "../orders/order.ts";
import { isComplete, itemsOf, matchCode, whyNotNeeded } from "./packing-count.ts";
import { foldCode } from "./scanned-code.ts";

const line = (id: string, sku: string, more: Partial<OrderLine> = {}): OrderLine => ({
  id,
  sku,
  quantity: 1,
  shippedQuantity: 0,
  ...more,
});

test.each([
  ["mug-01", "MUG-01"],
  ["  MUG-01 ", "MUG-01"],
  ["036000291452", "0036000291452"],
  ["036000291452", "00036000291452"],
  ["]C10100036000291452", "036000291452"],
  ["(01)00036000291452(10)LOT7", "036000291452"],
  ["010003600029145217270101", "036000291452"],
  ["96385074", "00000096385074"],
])("%s and %s are the same code", (a, b) => {
  expect(foldCode(a)).toBe(foldCode(b));
});

test.each([
  ["MUG-01", "MUG-1"],
  // No valid check digit: the zeros may be the only difference between two SKUs.
  ["00123456", "0123456"],
  ["036000291453", "0036000291453"],
  ["12", "00000012"],
  ["0101", "01"],
])("%s and %s are different codes", (a, b) => {
  expect(foldCode(a)).not.toBe(foldCode(b));
});

test("lines that do not ship, are refunded or shipped are not needed, and say so", () => {
  const lines = [
    line("card", "CARD", { requiresShipping: false }),
    line("gone", "GONE", { quantity: 0, refundedQuantity: 1 }),
    line("sent", "SENT", { shippedQuantity: 1 }),
    line("mug", "MUG", { quantity: 3, shippedQuantity: 1 }),
  ];
  expect(itemsOf({ lines }, new Map())).toEqual([{ line: lines[3], needed: 2, packed: 0 }]);
  const reasons = lines.slice(0, 3).map(({ sku }) => {
    const match = matchCode({ lines }, new Map(), sku);
    return match?.kind === "not_needed" && whyNotNeeded(match.line);
  });
  expect(reasons).toEqual(["does not ship", "was refunded", "is shipped already"]);
  expect(matchCode({ lines }, new Map(), "TEA")).toBeUndefined();
});

test("two lines with one SKU are filled one after the other, and an exact spelling wins", () => {
  const lines = [line("a", "MUG"), line("b", "MUG"), line("c", "mug"), line("d", "TEA", { variantId: "4411" })];
  const idOf = (packed: [string, number][], code: string) => {
    const match = matchCode({ lines }, new Map(packed), code);
    return match && "item" in match ? `${match.kind} ${match.item.line.id}` : match?.kind;
  };
  expect(idOf([], "MUG")).toBe("item a");
  expect(idOf([["a", 1]], "MUG")).toBe("item b");
  expect(
    idOf(
      [
        ["a", 1],
        ["b", 1],
      ],
      "MUG",
    ),
  ).toBe("full a");
  expect(idOf([], "mug")).toBe("item c");
  expect(idOf([], "4411")).toBe("item d");
});

test("any sequence of scans counts each line up to what is needed, and every needed unit can be packed", () => {
  const skus = ["MUG", "Mug", "TEA", "036000291452"];
  const aLine = fc.record({
    sku: fc.constantFrom(...skus),
    quantity: fc.nat(4),
    shipped: fc.nat(4),
    requiresShipping: fc.boolean(),
  });
  const codes = fc.array(fc.constantFrom(...skus, "mug", "0036000291452", "other"), { maxLength: 60 });
  fc.assert(
    fc.property(fc.array(aLine, { minLength: 1, maxLength: 5 }), codes, (given, scanned) => {
      const lines = given.map(({ shipped, ...rest }, index) =>
        line(String(index), rest.sku, { ...rest, shippedQuantity: Math.min(shipped, rest.quantity) }),
      );
      const packed = new Map<string, number>();
      const scan = (code: string): void => {
        const match = matchCode({ lines }, packed, code);
        if (match?.kind === "item") packed.set(match.item.line.id, match.item.packed + 1);
      };
      for (const code of scanned) {
        const before = new Map(packed);
        scan(code);
        const sum = (of: Map<string, number>) => [...of.values()].reduce((total, count) => total + count, 0);
        expect(sum(packed) - sum(before)).toBeLessThanOrEqual(1);
        for (const one of lines) expect(packed.get(one.id) ?? 0).toBeLessThanOrEqual(remainingOf(one));
      }
      const needed = lines.reduce((total, one) => total + remainingOf(one), 0);
      for (let round = 0; round < needed; round++) for (const { sku } of lines) scan(sku);
      expect(isComplete(itemsOf({ lines }, packed))).toBe(needed > 0);
    }),
  );
});
