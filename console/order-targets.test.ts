import fc from "fast-check";
import { expect, test } from "vitest";
import { listImportedFields } from "../server/src/features/orders/imported-fields.ts";
import { toRows } from "./src/features/transformations/mapping.ts";
import { checkTargets, exampleOrder } from "./src/features/transformations/order-targets.ts";

const fields = listImportedFields().data;
const check = (mappings: Array<Record<string, unknown>>, isWhole = true) =>
  checkTargets(toRows(mappings), fields, isWhole);

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
  expect(check([{ source: "$.a", target: "nu" }]).errors).toEqual(["A row fills a field that an order does not have."]);
});

test("no rows, and lines without required fields, are errors; a missing number is a hint", () => {
  expect(check([]).errors).toEqual(["There are no rows: nothing fills the fields of an order."]);
  expect(check([], false).errors).toEqual([]);
  expect(check([{ each: "$.i", target: "lines", mappings: [{ source: "@.a", target: "sku" }] }])).toMatchObject({
    errors: ["Each of lines needs quantity, and no row fills it."],
    notes: ["No row fills number: the hub numbers these orders itself."],
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
  expect(exampleOrder(fields)).toMatchObject({
    number: "",
    total: 0,
    customer: { name: "", email: "" },
    shippingAddress: { zip: "" },
    lines: [{ sku: "", quantity: 0 }],
  });
  expect(Object.keys(exampleOrder(fields))).not.toContain("bridgeId");
});
