import { expect, test } from "vitest";
import { columnsOf, describeRecord, fieldOf, tableOf, textOf } from "./table.ts";

test("columns that say most come first, the id last, and objects not at all", () => {
  const record = {
    id: "1",
    createdAt: "x",
    total: 3,
    address: { city: "Bonn" },
    status: "new",
    tags: ["a"],
    number: "A-1",
  };
  expect(columnsOf(record)).toEqual(["number", "status", "total", "tags", "createdAt", "id"]);
});

test("a narrow terminal shows fewer columns, and always the id; empty columns are left out", () => {
  const records = [{ number: "A-1", note: null, channel: "x".repeat(40), id: "123" }];
  expect(tableOf(records, ["number", "note", "channel", "id"], 20)).toBe("NUMBER  ID\nA-1     123");
  expect(tableOf(records, ["number", "note"], undefined)).toBe("NUMBER  NOTE\nA-1");
});

test("control characters and reversed text do not reach the terminal", () => {
  const record = { name: "a\u001b[31mb\nc\u202ed" };
  expect(tableOf([record], ["name"], undefined)).toBe("NAME\na\u{FFFD}[31mb\u{FFFD}c\u{FFFD}d");
  expect(describeRecord(record)).toBe("name  a\u{FFFD}[31mb\u{FFFD}c\u{FFFD}d");
});

test("fields are found by their path; lists have commas and objects are JSON", () => {
  expect(fieldOf({ address: { city: "Bonn" } }, "address.city")).toBe("Bonn");
  expect(fieldOf({ address: null }, "address.city")).toBeUndefined();
  expect([textOf(["a", "b"]), textOf([{ a: 1 }]), textOf({ a: 1 }), textOf(undefined), textOf(0)]).toEqual([
    "a,b",
    '[{"a":1}]',
    '{"a":1}',
    null,
    0,
  ]);
});
