import { expect, test } from "vitest";
import type { Condition } from "./src/features/operations/condition-tree.pick.ts";
import { conditionText, fromGroup, groupOf, isComplete } from "./src/features/operations/condition-tree.pick.ts";
import type { Field, Fields } from "./src/features/operations/condition-subjects.ts";
import { fieldsWithin, newLeaf, subjectsOf } from "./src/features/operations/condition-subjects.ts";

const texts: Array<[Condition, string]> = [
  [{ path: "total", op: "gt", value: 300 }, "total is greater than 300"],
  [{ path: "shipBy", op: "lt", value: { now: "4 hours" } }, "ship by is before 4 hours from now"],
  [{ path: "orderedAt", op: "lt", value: { now: "-2 working days" } }, "ordered at is before 2 working days ago"],
  [
    {
      path: "shippingAddress.countryCode",
      op: "ne",
      value: { path: "billingAddress.countryCode" },
    },
    "shipping address country is not billing address country",
  ],
  [
    { path: "total", op: "lt", value: { path: "amounts.shipping", times: 10, plus: 1.5 } },
    "total is less than amounts shipping times 10 plus 1.5",
  ],
  [{ path: "total", op: "between", value: [10, 20] }, "total is between 10 and 20"],
  [{ count: "lines", op: "gte", value: 2 }, "number of items is at least 2"],
  [
    { sum: "lines.quantity", where: { path: "sku", op: "starts_with", value: "mug" }, op: "gt", value: 10 },
    "sum of lines quantity (sku starts with mug) is greater than 10",
  ],
  [
    {
      any_of: "lines",
      where: {
        all: [
          { path: "sku", op: "eq", value: "A" },
          { path: "quantity", op: "gt", value: 1 },
        ],
      },
    },
    "any of the items: sku is A and quantity is greater than 1",
  ],
  [{ not: { path: "notes", op: "empty" } }, "none of: notes is empty"],
  [
    {
      all: [
        { path: "a", op: "empty" },
        {
          any: [
            { path: "b", op: "empty" },
            { path: "c", op: "empty" },
          ],
        },
      ],
    },
    "a is empty and (b is empty or c is empty)",
  ],
];

test("every form of a condition has a text", () => {
  expect(texts.map(([condition]) => conditionText(condition))).toEqual(texts.map(([, text]) => text));
});

test("a condition that is read into groups and written again means the same", () => {
  for (const [condition] of texts) {
    const group = groupOf(condition);
    if (group) expect(fromGroup(group)).toEqual(condition);
  }
  expect(fromGroup({ join: "any", parts: [{ path: "a", op: "empty" }] })).toEqual({ path: "a", op: "empty" });
  expect(fromGroup({ join: "all", parts: [] })).toBeUndefined();
  const nothing: Condition = {
    not: {
      all: [
        { path: "a", op: "empty" },
        { path: "b", op: "empty" },
      ],
    },
  };
  expect(fromGroup(groupOf(nothing)!)).toEqual(nothing);
});

test("a condition without its value is incomplete, wherever it is", () => {
  expect(isComplete({ path: "total", op: "gt", value: "" })).toBe(false);
  expect(isComplete({ path: "total", op: "gt", value: 0 })).toBe(true);
  expect(isComplete({ path: "total", op: "between", value: [1, ""] })).toBe(false);
  expect(isComplete({ path: "total", op: "gt", value: { path: "" } })).toBe(false);
  expect(isComplete({ path: "total", op: "in", value: [] })).toBe(false);
  expect(isComplete({ path: "total", op: "empty" })).toBe(true);
  expect(isComplete({ any_of: "lines", where: { path: "sku", op: "eq", value: "" } })).toBe(false);
  expect(
    isComplete({
      not: {
        any: [
          { path: "a", op: "empty" },
          { path: "b", op: "eq", value: "" },
        ],
      },
    }),
  ).toBe(false);
});

const field = (path: string, type: Field["type"], more: Partial<Field> = {}): Field => ({
  path,
  title: path,
  type,
  operators: ["eq"],
  values: null,
  entity: null,
  available: true,
  ...more,
});
const fields: Fields = {
  data: [
    field("version", "number"),
    field("status", "choice", { values: ["new", "ready"] }),
    field("lines.sku", "text"),
    field("lines.quantity", "number"),
    field("lines.options.name", "text"),
    field("customer.email", "text", { available: false }),
  ],
  lists: ["lines", "lines.options"],
};

test("fields are grouped, technical ones last, and those that are not allowed left out", () => {
  const options = subjectsOf(fields);
  expect(options.map(({ value }) => value)).toEqual([
    "path:status",
    "path:lines.sku",
    "path:lines.quantity",
    "path:lines.options.name",
    "path:version",
    "count:lines",
    "count:lines.options",
    "sum:lines.quantity",
    "any_of:lines",
    "any_of:lines.options",
    "all_of:lines",
    "all_of:lines.options",
  ]);
  expect(options.find(({ value }) => value === "path:lines.options.name")).toMatchObject({
    label: "Options: name",
    note: "Items",
  });
});

test("a new condition has an empty value of the type of its field, and list conditions begin in the element", () => {
  expect(newLeaf("path:status", fields)).toEqual({ path: "status", op: "eq", value: "new" });
  expect(newLeaf("path:lines.sku", fields)).toEqual({ path: "lines.sku", op: "eq", value: "" });
  expect(newLeaf("any_of:lines", fields)).toEqual({ any_of: "lines", where: { path: "sku", op: "eq", value: "" } });
  expect(fieldsWithin(fields, "lines")).toMatchObject({
    data: [{ path: "sku" }, { path: "quantity" }, { path: "options.name" }],
    lists: ["options"],
  });
});
