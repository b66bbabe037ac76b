import fc from "fast-check";
import { expect, test } from "vitest";
import { listImportedFields } from "../server/src/features/orders/imported-fields.ts";
import { toRows } from "./src/features/transformations/mapping.ts";
import { checkTargets, exampleRecord } from "./src/features/transformations/target-check.ts";

const fields = listImportedFields().data.map((field) => ({ ...field, example: null }));
const check = (mappings: Array<Record<string, unknown>>, isWhole = true) =>
  checkTargets(toRows(mappings), { fields, recordType: "orders" }, isWhole);

test("rows that fill the fields of an order are valid", () => {
  const report = check([
    { source: "$.no", target: "number" },
    { source: "$.zip", target: "shippingAddress.zip" },
    { source: "$.colour", target: "customFields.colour" },
    { value: ["web"], target: "tags" },
    { source: "$.first", target: "lines[0].sku" },
    {
      each: "$.items",
      target: "lines",
      mappings: [
        { source: "@.sku", target: "sku" },
        { source: "@.qty", target: "quantity" },
      ],
    },
  ]);
  expect(report).toEqual({ wrong: new Map(), errors: [], notes: [] });
});

test("an unknown target is reported with a suggestion", () => {
  const nearest = (target: string) => check([{ source: "$.a", target }]).wrong.get("/mappings/0")?.nearest;
  expect(nearest("nu")).toBe("number");
  expect(nearest("Number")).toBe("number");
  expect(nearest("curency")).toBe("currency");
  expect(nearest("shippingAddress.zipp")).toBe("shippingAddress.zip");
  expect(nearest("qqqqqqq")).toBe(undefined);
  const inner = check([{ each: "$.i", target: "lines", mappings: [{ source: "@.a", target: "skuu" }] }]);
  expect(inner.wrong.get("/mappings/0/mappings/0")).toEqual({
    message: "An element of lines has no field skuu.",
    nearest: "sku",
  });
  expect(check([{ source: "$.a", target: "nu" }]).errors).toEqual(["A row has an unknown target field."]);
});

test("no rows, and lines without required fields, are errors; a missing number is a hint", () => {
  expect(check([]).errors).toEqual(["There are no rows yet. Add a row for each field to fill."]);
  expect(check([], false).errors).toEqual([]);
  expect(check([{ each: "$.i", target: "lines", mappings: [{ source: "@.a", target: "sku" }] }])).toMatchObject({
    errors: ["Each of lines needs quantity, and no row fills it."],
    notes: ["No row fills the order number, so the hub assigns its own numbers."],
  });
});

test("every listed field is a valid target, and no input breaks the check", () => {
  for (const { path } of fields.filter((field) => !field.path.includes("[]")))
    expect([path, check([{ value: 1, target: path }]).wrong.size]).toEqual([path, 0]);
  fc.assert(
    fc.property(fc.string(), (target) => check([{ source: "$", target }]).wrong.size <= 1),
    { examples: [["]"], ["..."]] },
  );
});

test("suggestions include the fields that shops provide", () => {
  expect(exampleRecord(fields)).toMatchObject({
    number: "",
    total: 0,
    customer: { name: "", email: "" },
    shippingAddress: { zip: "" },
    lines: [{ sku: "", quantity: 0 }],
  });
  expect(Object.keys(exampleRecord(fields))).not.toContain("bridgeId");
});

test("required fields of other records must be filled, unless an object is merged", () => {
  const level = { type: "text", isOpen: false, values: null, description: null, example: null } as const;
  const stock = [
    { ...level, path: "sku", required: true },
    { ...level, path: "available", required: true },
  ];
  const report = (target: string) =>
    checkTargets(toRows([{ source: "$.a", target }]), { fields: stock, recordType: "inventory" }, true);
  expect(report("sku").errors).toEqual(["A stock level needs available, and no row fills it."]);
  expect(report("$").errors).toEqual([]);
});
