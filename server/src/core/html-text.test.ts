import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeEntities, plainText } from "./html-text.ts";

test("entities are decoded, and nothing else is changed", () => {
  expect(decodeEntities("Ship Your Idea &ndash; Color &#8217;&#x2019; A &amp;amp; B")).toBe(
    "Ship Your Idea – Color ’’ A &amp; B",
  );
  expect(decodeEntities("R&D; &nosuch; & &#0; &#xD800; &#9999999;")).toBe("R&D; &nosuch; & &#0; &#xD800; &#9999999;");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodeEntities(text).isWellFormed()).toBe(text.isWellFormed());
      expect(decodeEntities(text.replaceAll("&", "&amp;"))).toBe(text);
    }),
  );
});

test("tags are removed, and text that resembles a tag is kept", () => {
  expect(plainText("<p>To <b>Ann</b></p>")).toBe("To  Ann");
  expect(plainText("1 < 2 and 3 > 2")).toBe("1 < 2 and 3 > 2");
});
