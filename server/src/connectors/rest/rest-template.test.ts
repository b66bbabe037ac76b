import fc from "fast-check";
import { expect, test } from "vitest";
import { fillJson, fillPath, fillText, hasHiddenDots } from "./rest-template.ts";

test("a value in a path cannot leave its segment, for any notation of dots and slashes", () => {
  for (const id of ["..", ".", "../x", "a/../../b", "..\\x", "%2e%2e%2fx", "..%2fx", "..%252fx", "a%5c..%5cb"]) {
    expect(() => fillPath("/orders/{{input.id}}", { input: { id }, settings: {} }), id).toThrow(/cannot be part/);
  }
  for (const id of ["a/b", "1.5", "...", "a..b", "50%", ".hidden", "#1?x"]) {
    expect(fillPath("/orders/{{input.id}}", { input: { id }, settings: {} })).toBe(`/orders/${encodeURIComponent(id)}`);
  }
});

test("a path without hidden dot segments stays below its base on a server that decodes all escapes", () => {
  const pieces = fc.constantFrom("..", ".", "%2e", "%2E", "/", "%2f", "%5c", "\\", "%25", "a", "2e", "2f");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const path = `/${parts.join("")}`;
      if (hasHiddenDots(path)) return;
      let read = path;
      for (let i = 0; i < 3; i++) read = read.replaceAll(/%(25|2e|2f|5c)/gi, (escaped) => decodeURIComponent(escaped));
      expect(new URL(`http://shop.example/base${read}`).pathname.startsWith("/base/")).toBe(true);
    }),
  );
});

const scopeWith = (more: object) => ({ input: {}, settings: { shop: "s1" }, ...more });

test("a position without a value is left out with the parameter, member or element that names it", () => {
  const first = scopeWith({ page: { size: 50 } });
  expect(fillText("lastmodifieddate:[{{since}}..]", first)).toBeUndefined();
  expect(fillText("{{page.cursor}}", first)).toBeUndefined();
  expect(fillText("{{page.size}} of {{settings.shop}}", first)).toBe("50 of s1");
  const body = {
    variables: {
      first: "{{page.size}}",
      after: "{{page.cursor}}",
      filter: { updatedAt: { gte: "{{since}}" } },
      sort: [{ by: "{{since}}" }, "id"],
      only: ["{{since}}"],
    },
  };
  expect(fillJson(body, first)).toEqual({ variables: { first: 50, sort: ["id"] } });
  const later = scopeWith({ page: { size: 50, cursor: "c2" }, since: 1_700_000_000 });
  expect(fillJson(body, later)).toEqual({
    variables: {
      first: 50,
      after: "c2",
      filter: { updatedAt: { gte: 1_700_000_000 } },
      sort: [{ by: 1_700_000_000 }, "id"],
      only: [1_700_000_000],
    },
  });
  expect(() => fillPath("/orders/{{page.cursor}}", first)).toThrow(/has no value/);
});

test("other placeholders without a value stay null in a body and an error in a text; nothing else is left out", () => {
  const body = { a: "{{input.a}}", b: {}, c: [], d: null, e: { f: "{{input.a}}" } };
  expect(fillJson(body, scopeWith({}))).toEqual({ a: null, b: {}, c: [], d: null, e: { f: null } });
  expect(() => fillText("x {{input.a}}", scopeWith({}))).toThrow(/has no value/);
});

test("escaped braces are sent as they are", () => {
  expect(fillJson({ q: "\\{{name}} is {{settings.shop}}", r: "\\{{since}}" }, scopeWith({}))).toEqual({
    q: "{{name}} is s1",
    r: "{{since}}",
  });
});
