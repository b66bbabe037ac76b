import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("security 23: a cell stays one cell for every delimiter of a spreadsheet", () => {
  const cells = ["x;=1+1", "x\t=1+1", "x|=1+1", "x,=1+1"];
  expect(toCsv([cells])).toBe(`${cells.map((cell) => `"${cell}"`).join(",")}\r\n`);
  expect(toCsv([cells], ";")).toBe(`${cells.map((cell) => `"${cell}"`).join(";")}\r\n`);
  expect(toCsv([["plain", "a b"]])).toBe("plain,a b\r\n");
});

test("only necessary cells are quoted, and rows end with CRLF", () => {
  const rows = [["a'b", "", " c ", "{}"], ['"', 'say "hi"', "two\nlines", "a\rb"], [], [""]];
  expect(toCsv(rows)).toBe(`a'b,, c ,{}\r\n"""","say ""hi""","two\nlines","a\rb"\r\n\r\n\r\n`);
  expect(toCsv([])).toBe("");
});
