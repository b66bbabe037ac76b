import fc from "fast-check";
import { expect, test } from "vitest";
import { Ajv } from "ajv";
import { Type } from "./type.ts";
import { mergePatch, PatchFor } from "./merge-patch.ts";
import { Strict } from "./schema.ts";

test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [["a"], { b: 1 }, { b: 1 }],
])("%j with %j is %j, as in RFC 7396", (target, patch, expected) => {
  const before = structuredClone(target);
  expect(mergePatch(target, patch)).toEqual(expected);
  expect(target).toEqual(before);
});

test("applying a patch twice has the same result as once", () => {
  const json = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const once = mergePatch(target, patch);
      expect(mergePatch(once, patch)).toEqual(once);
    }),
  );
});

test("the schema of a patch accepts any part of the object and null, and nothing else", () => {
  const shape = PatchFor(
    Strict({ name: Type.String(), inner: Strict({ zip: Type.String(), list: Type.Array(Type.Number()) }) }),
  );
  const isValid = new Ajv({ strict: false }).compile(shape);
  for (const patch of [{}, { name: null }, { inner: null }, { inner: { zip: null } }, { inner: { list: [1] } }]) {
    expect(isValid(patch)).toBe(true);
  }
  for (const patch of [
    { nmae: 1 },
    { name: 1 },
    { inner: { zip: 1 } },
    { inner: { list: [null] } },
    { inner: { x: null } },
  ]) {
    expect(isValid(patch)).toBe(false);
  }
});
