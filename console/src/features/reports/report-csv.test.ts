import { expect, test } from "vitest";
import { toCsv } from "./report-csv.ts";

test("cells with commas, quotes and line breaks are quoted, and formulas are disarmed", () => {
  expect(
    toCsv([
      ["Carrier", "Late"],
      ['UPS, "Ground"', 3],
      ["=HYPERLINK(1)", null],
      ["two\nlines", 1.5],
    ]),
  ).toBe('Carrier,Late\r\n"UPS, ""Ground""",3\r\n\'=HYPERLINK(1),\r\n"two\nlines",1.5\r\n');
});
