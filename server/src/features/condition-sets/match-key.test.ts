import fc from "fast-check";
import { expect, test } from "vitest";
import { matchKey, normaliseValue } from "./match-key.ts";

const text = fc.string({ unit: "grapheme" });

test("the key of a key is itself, so that a lookup of a stored value always finds it", () => {
  fc.assert(fc.property(text, (value) => matchKey(matchKey(value, "exact"), "exact") === matchKey(value, "exact")));
  fc.assert(
    fc.property(text, (value) => {
      expect(matchKey(matchKey(value, "case_insensitive"), "case_insensitive")).toBe(
        matchKey(value, "case_insensitive"),
      );
    }),
  );
});

test("composed and decomposed characters, with or without padding, give the same key", () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(normaliseValue(` ${value.normalize("NFD")}\t`)).toBe(normaliseValue(value));
    }),
  );
});

test("case does not matter unless the set matches exactly", () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(matchKey(value.toUpperCase(), "case_insensitive")).toBe(matchKey(value, "case_insensitive"));
    }),
  );
});
