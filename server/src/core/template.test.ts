import { expect, test } from "vitest";
import { isOnePlaceholder, parseTemplate } from "./template.ts";

test.each([
  ["Order {{number}}!", ["Order ", { path: "number" }, "!"]],
  ["{{ a }}{{b}}", [{ path: "a" }, { path: "b" }]],
  // An escaped placeholder is text, with the text around it.
  ["as \\{{number}} of {{number}}", ["as {{number}} of ", { path: "number" }]],
  ["\\{{", ["{{"]],
  // A backslash before a placeholder.
  ["C:\\\\{{number}}", ["C:\\", { path: "number" }]],
  ["C:\\new\\\\", ["C:\\new\\\\"]],
  ["{number} {{ {", ["{number} {{ {"]],
  ["", []],
])("the parts of %j", (text, parts) => {
  expect(parseTemplate(text)).toEqual(parts);
});

test("an escaped placeholder is not the only placeholder of a text", () => {
  expect(isOnePlaceholder("{{a}}")).toBe(true);
  expect(isOnePlaceholder("\\{{a}}")).toBe(false);
  expect(isOnePlaceholder("\\\\{{a}}")).toBe(false);
});
