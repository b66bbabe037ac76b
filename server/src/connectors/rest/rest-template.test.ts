import fc from "fast-check";
import { expect, test } from "vitest";
import { fillPath, hasHiddenDots } from "./rest-template.ts";

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
