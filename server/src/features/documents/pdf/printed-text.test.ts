import { describe, expect, test } from "vitest";
import { visualRuns } from "./bidi-runs.ts";
import { cleanText } from "./clean-text.ts";
import { code128 } from "./code128.ts";
import { wrapText } from "./wrap-text.ts";

/** As of a font whose characters are all one wide. */
const fixed = (width: number, maxLines = 100) => ({ width, maxLines, widthOf: (text: string) => text.length });

describe("lines of text", () => {
  test("end at spaces and hyphens, and anywhere within a word that is too long", () => {
    expect(wrapText("one two three", fixed(7))).toEqual(["one two", "three"]);
    expect(wrapText("hand-woven", fixed(6))).toEqual(["hand-", "woven"]);
    expect(wrapText("abcdefgh ij", fixed(3))).toEqual(["abc", "def", "gh", "ij"]);
    expect(wrapText("first\n\nthird", fixed(9))).toEqual(["first", "", "third"]);
  });

  test("end between Chinese characters, and not before their comma", () => {
    expect(wrapText("東京都渋谷区", fixed(4))).toEqual(["東京都渋", "谷区"]);
    expect(wrapText("東京都、渋谷", fixed(3))).toEqual(["東京", "都、渋", "谷"]);
  });

  test("are cut with an ellipsis after the last that has room", () => {
    expect(wrapText("one two three four", fixed(7, 1))).toEqual(["one tw…"]);
    expect(wrapText("x".repeat(1_000_000), fixed(5, 2))).toEqual(["xxxxx", "xxxx…"]);
  });
});

describe("text from orders", () => {
  test("loses control characters, direction marks and broken surrogates", () => {
    expect(cleanText("a\u0007b\u202Ec\uD800")).toBe("a bc\uFFFD");
    expect(cleanText("one\r\ntwo")).toBe("one two");
    expect(cleanText("one\r\ntwo\u2028three", { keepsLines: true })).toBe("one\ntwo\nthree");
    expect(cleanText("x".repeat(10_000))).toHaveLength(4_001);
  });
});

describe("text from right to left", () => {
  const shown = (line: string, isRightToLeft = false) =>
    visualRuns(line, isRightToLeft).map(({ text, isRightToLeft: isReversed }) => `${isReversed ? "<" : ">"}${text}`);

  test("stands within a line from left to right", () => {
    expect(shown("for דוד in Haifa")).toEqual([">for ", "<דוד", "> in Haifa"]);
  });

  test("keeps numbers and Latin words in their order, and mirrors brackets", () => {
    expect(shown("רחוב 12 (תל)", true)).toEqual(["< )תל(", ">12", "<רחוב "]);
    expect(shown("שלום Ada Byron", true)).toEqual([">Ada Byron", "<שלום "]);
  });
});

describe("Code 128 bar codes", () => {
  test("have the check character of the standard", () => {
    // Start B, P, J, J, 1, 2, 3, C: 879, which is 55 modulo 103.
    const { widths, modules } = code128("PJJ123C")!;
    expect(widths.slice(0, 6).join("")).toBe("211214");
    expect(widths.slice(48, 54).join("")).toBe("311321");
    expect(widths.slice(54).join("")).toBe("2331112");
    expect(modules).toBe(9 * 11 + 13);
  });

  test("put pairs of digits into one character", () => {
    expect(code128("12345678")!.modules).toBe((1 + 4 + 1) * 11 + 13);
    // Start B, "S", "-", change to C, three pairs, check.
    expect(code128("S-123456")!.modules).toBe((1 + 2 + 1 + 3 + 1) * 11 + 13);
    // An odd digit is left for code B.
    expect(code128("12345")!.modules).toBe((1 + 2 + 1 + 1 + 1) * 11 + 13);
  });

  test("are not made of other characters than ASCII", () => {
    expect(code128("ÄB-1")).toBeUndefined();
    expect(code128("")).toBeUndefined();
    expect(code128("x".repeat(49))).toBeUndefined();
  });
});
