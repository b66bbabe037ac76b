import { expect, test } from "vitest";
import { pickFields, toAnswerText } from "./shrink-answer.ts";

const parse = (answer: unknown): unknown => JSON.parse(toAnswerText(answer));

test("empty fields are left out, zero and false are not", () => {
  const given = { a: null, b: "", c: [], d: {}, e: 0, f: false, g: { h: null } };
  expect(parse(given)).toEqual({ e: 0, f: false });
});

test("long texts and lists are cut, and every cut is marked", () => {
  const cut = parse({ text: "x".repeat(1_000), list: Array.from({ length: 53 }, (_, i) => i) }) as {
    text: string;
    list: unknown[];
  };
  expect(cut.text).toBe(`${"x".repeat(600)}…`);
  expect(cut.list).toHaveLength(51);
  expect(cut.list.at(-1)).toBe("… and 3 more");
});

test("a character is never cut in half", () => {
  expect(toAnswerText({ text: `${"x".repeat(599)}😀` })).toBe(`{"text":"${"x".repeat(599)}…"}`);
});

test("tokens are whole, also in an answer that is cut as far as possible", () => {
  const preflight_token = "t".repeat(5_000);
  const orders = Array.from({ length: 500 }, () => ({ note: "y".repeat(2_000) }));
  const text = toAnswerText({ preflight_token, orders });
  expect(text.length).toBeLessThanOrEqual(24_000);
  expect(text).toContain(preflight_token);
});

test("a record with thousands of members, and one of long tokens alone, stay short", () => {
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field${i}`, "z".repeat(1_000)]));
  expect(toAnswerText(wide).length).toBeLessThanOrEqual(24_000);
  expect(toAnswerText(wide)).toContain("4900 more fields");
  expect(toAnswerText({ confirm: "c".repeat(30_000) })).toContain("too long");
});

test("fields are picked in the order in which a model reads them", () => {
  expect(JSON.stringify(pickFields({ a: 1, b: 2, c: 3 }, ["c", "a", "missing"]))).toBe('{"c":3,"a":1}');
  expect(pickFields("text", ["a"])).toBe("text");
});
