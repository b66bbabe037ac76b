import fc from "fast-check";
import { expect, test } from "vitest";
import { readTags, writeTags } from "./order-cells.ts";

test("tags of any content are read back from their cell", () => {
  const tag = fc.string({ minLength: 1, maxLength: 10 }).filter((text) => /^\S(?:.*\S)?$/.test(text));
  const odd = fc.constantFrom("a|b", "Holiday, 2026", "x;y", "[1]", '["a"]', "[");
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(tag, odd), { minLength: 1, maxLength: 6 }), (tags) => {
      expect(readTags(writeTags(tags))).toEqual(tags);
    }),
  );
  expect(readTags("vip, gift|a;a")).toEqual(["vip", "gift", "a"]);
  expect(readTags("[a, b")).toEqual(["[a", "b"]);
});
