import fc from "fast-check";
import { expect, test } from "vitest";
import type { Mapping } from "./src/features/transformations/mapping.ts";
import {
  kindOf,
  sourcePathsIn,
  readConstant,
  rowOf,
  showConstant,
  toMapping,
  toRows,
  toMappings,
  unknownOf,
  withField,
} from "./src/features/transformations/mapping.ts";
import { diffLines } from "./src/ui/line-diff.ts";

const value = fc.jsonValue({ maxDepth: 2 });
const anything = fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 4 });
const leaf = fc
  .record({ source: fc.string(), target: fc.string(), where: value, groupBy: value }, { requiredKeys: [] })
  .chain((known) => anything.map((more): Mapping => ({ ...more, ...known })));
const mapping = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }).map((mappings): Mapping => ({ each: "$.lines", target: "lines", mappings })),
);

test("the editor keeps every property of a row, also those without a form field", () => {
  fc.assert(
    fc.property(fc.array(mapping, { maxLength: 5 }), (given) => {
      expect(toMappings(toRows(given))).toEqual(given);
    }),
  );
  fc.assert(
    fc.property(leaf, (given) => {
      const edited = toMapping(withField(rowOf(given), "target", "edited"));
      expect(edited).toEqual({ ...given, target: "edited" });
    }),
  );
});

test("a row with unknown properties is not shown as something else", () => {
  expect(kindOf(rowOf({ source: { path: "a" }, target: "b" }))).toBeUndefined();
  expect(kindOf(rowOf({ each: "$.lines", target: "lines" }))).toBeUndefined();
  expect(kindOf(rowOf({ merge: ["a", "b"], target: "c" }))).toBeUndefined();
  expect(unknownOf({ each: "$.lines", where: { path: "@.a" }, target: "x" })).toEqual({ where: { path: "@.a" } });
});

test("a constant is read back as it is shown", () => {
  fc.assert(
    fc.property(value, (given) => {
      expect(readConstant(showConstant(given))).toEqual(JSON.parse(JSON.stringify(given)));
    }),
  );
  expect([showConstant("USD"), showConstant("5"), showConstant(5)]).toEqual(["USD", '"5"', "5"]);
});

test("fields of a list have the paths that rows of that list use", () => {
  const paths = sourcePathsIn({ id: 1, "ship to": { zip: "1" }, lines: [{ sku: "a" }] }).map(({ list, path }) => [
    list,
    path,
  ]);
  expect(paths).toEqual([
    [undefined, "$.id"],
    [undefined, "$['ship to']"],
    [undefined, "$['ship to'].zip"],
    [undefined, "$.lines"],
    ["$.lines", "@.sku"],
  ]);
});

test("a diff contains both texts, and common parts once", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const of = (kind: string): string =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => line.text)
          .join("\n");
      expect([of("added"), of("removed")]).toEqual([before, after]);
      if (before === after) expect(lines.every(({ kind }) => kind === "same")).toBe(true);
    }),
  );
});
