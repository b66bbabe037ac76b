import { describe, expect, test } from "vitest";
import type { CompiledMapping } from "./compile-mapping.ts";
import { compileMapping } from "./compile-mapping.ts";
import { runMapping } from "./run-mapping.ts";
import { suggestMappings } from "../suggest-mappings.ts";
import { traceMapping } from "./trace-mapping.ts";

function compiled(mappings: unknown): CompiledMapping {
  const result = compileMapping(mappings, () => undefined);
  if (Array.isArray(result)) throw new Error(JSON.stringify(result));
  return result;
}

const order = {
  id: 1001,
  shippingAddress: { zip: "10001", city: "New York" },
  line_items: [
    { sku: "A", qty: 2 },
    { sku: "B", qty: 1, gift: true },
  ],
  total: "12,50",
  note: "ring twice",
};

describe("a trace", () => {
  const trace = traceMapping(
    compiled([
      { target: "number", source: "id", type: "string" },
      { target: "zip", source: "$.shipping_address.zip" },
      { target: "total", source: "total", type: "number" },
      { target: "channel", source: "channel", default: "shop" },
      { target: "gift", value: true, when: { path: "line_items.gift", op: "eq", value: false } },
      {
        target: "lines",
        each: "line_items",
        mappings: [
          { target: "sku", source: "@.Sku" },
          { target: "n", source: "qty" },
        ],
      },
      { target: "soft", source: "total", type: "number", onError: "null" },
    ]),
    order,
  );

  test("has the outcome of every mapping, also inside lists", () => {
    expect(trace.trace.map(({ index, target, status, from, to }) => [index, target, status, from, to])).toEqual([
      [0, "number", "mapped", 1001, "1001"],
      [1, "zip", "skipped", undefined, undefined],
      [2, "total", "error", undefined, undefined],
      [3, "channel", "defaulted", undefined, "shop"],
      [4, "gift", "skipped", undefined, undefined],
      [5, "lines", "mapped", "a list of 2", "a list of 2"],
      [5, "lines[0].sku", "skipped", undefined, undefined],
      [5, "lines[0].n", "mapped", 2, 2],
      [5, "lines[1].sku", "skipped", undefined, undefined],
      [5, "lines[1].n", "mapped", 1, 1],
      [6, "soft", "defaulted", undefined, null],
    ]);
  });

  test("has the partial output and every error", () => {
    expect(trace).toMatchObject({
      ok: false,
      output: { number: "1001", channel: "shop", lines: [{ n: 2 }, { n: 1 }], soft: null },
      errors: [{ index: 2, target: "total", path: "/mappings/2", code: "type_mismatch" }],
    });
    expect(trace.errors[0]!.suggestion).toContain('"decimal": ","');
    expect(trace.durationMs).toBeGreaterThanOrEqual(0);
  });

  test("suggests a path when a source is missing", () => {
    expect(trace.warnings.map(({ index, code, source, suggestion }) => [index, code, source, suggestion])).toEqual([
      [1, "source_missing", "$.shipping_address.zip", "$.shippingAddress.zip"],
      [3, "source_missing", "channel", undefined],
      [5, "source_missing", "@.Sku", "@.sku"],
      [6, "type_mismatch", undefined, undefined],
    ]);
  });

  test("reports when only some elements of a list lack the path", () => {
    const mappings = [{ target: "l", each: "line_items", mappings: [{ target: "g", source: "gift" }] }];
    const { warnings } = traceMapping(compiled(mappings), order);
    expect(warnings).toMatchObject([{ code: "source_missing", message: "Some elements have no value there." }]);
    expect(warnings[0]).not.toHaveProperty("suggestion");
  });

  test("warns when a mapping overwrites the output of another one", () => {
    const mappings = [
      { target: "to.city", source: "shippingAddress.city" },
      { target: "to.never", source: "nothing" },
      { target: "to", value: { country: "US" } },
      { target: "to.zip", source: "shippingAddress.zip" },
    ];
    const { ok, output, warnings } = traceMapping(compiled(mappings), order);
    expect([ok, output]).toEqual([true, { to: { country: "US", zip: "10001" } }]);
    expect(warnings.filter(({ code }) => code === "overwritten")).toEqual([
      expect.objectContaining({
        index: 2,
        target: "to",
        path: "/mappings/2",
        message: expect.stringContaining("to.city"),
      }),
    ]);
  });

  test("warns when two mappings write to the same target, in lists as well, unless only one of them runs", () => {
    const twice = (target: string, when: object) => [
      { target, value: 1 },
      { target, value: 2, when: { path: "id", op: "not_empty", ...when } },
      { target: `${target}s[]`, value: 1 },
      { target: `${target}s[]`, value: 2 },
    ];
    const mappings = [
      ...twice("a", { path: "$.id" }),
      ...twice("b", { path: "$.nothing" }),
      { target: "list", each: "line_items", mappings: twice("c", { path: "$.id" }) },
    ];
    const { warnings } = traceMapping(compiled(mappings), order);
    expect(warnings.filter(({ code }) => code === "overwritten").map(({ path }) => path)).toEqual([
      "/mappings/1",
      "/mappings/8/mappings/1",
    ]);
  });

  test("names missing paths in templates, conditions and parameters", () => {
    const mappings = [
      { target: "a", template: "{{id}} {{shippingAdress.city}}" },
      { target: "b", value: 1, when: { path: "$.totl", op: "gt", value: 1 } },
      { target: "c", source: "id", transforms: [{ coalesce: ["notes", "note"] }] },
      {
        target: "l",
        each: "line_items",
        where: { path: "@.qtty", op: "empty" },
        mappings: [{ target: "x", template: "{{SKU}}" }],
      },
    ];
    const { warnings } = traceMapping(compiled(mappings), order);
    expect(warnings.map(({ path, code, source, suggestion }) => [path, code, source, suggestion])).toEqual([
      ["/mappings/0", "source_missing", "shippingAdress.city", "$.shippingAddress.city"],
      ["/mappings/1", "source_missing", "$.totl", "$.total"],
      ["/mappings/2", "source_missing", "notes", "$.note"],
      ["/mappings/3", "source_missing", "@.qtty", "@.qty"],
      ["/mappings/3/mappings/0", "source_missing", "SKU", "@.sku"],
    ]);
  });

  test("suggests where for a condition on elements", () => {
    const mapping = { target: "l", each: "line_items", mappings: [{ target: "sku", source: "sku" }] };
    const outside = traceMapping(compiled([{ ...mapping, when: { path: "@.gift", op: "eq", value: true } }]), order);
    expect(outside).toMatchObject({
      output: {},
      trace: [{ status: "skipped", reason: "The condition `when` is not met." }],
    });
    expect(outside.warnings).toMatchObject([
      { code: "condition_outside_each", message: expect.stringContaining("where") },
    ]);
    const inside = traceMapping(compiled([{ ...mapping, where: { path: "@.gift", op: "eq", value: true } }]), order);
    expect(inside).toMatchObject({ output: { l: [{ sku: "B" }] }, warnings: [] });
  });

  test("has the reason for each skipped mapping, and the output of every transform", () => {
    const { trace: told, warnings } = traceMapping(
      compiled([
        { target: "a", source: "note", transforms: ["upper", { split: " " }, "last"] },
        { target: "b", source: "total", transforms: ["trim", "number"], onError: "skip" },
        { target: "c", template: "{{nothing}}" },
        { target: "d", source: "note", transforms: [{ null_if: "ring twice" }], default: "-" },
        { target: "e", source: "none", default: "-" },
        { target: "f", source: "note", transforms: [{ replace: { from: "ring twice", to: "" } }], default: "-" },
      ]),
      order,
    );
    expect(told.map(({ target, status, reason, steps, to }) => [target, status, reason, steps, to])).toEqual([
      [
        "a",
        "mapped",
        undefined,
        [
          { transform: "upper", to: "RING TWICE" },
          { transform: "split", to: ["RING", "TWICE"] },
          { transform: "last", to: "TWICE" },
        ],
        "TWICE",
      ],
      ["b", "skipped", '"12,50" is not a number.', [{ transform: "trim", to: "12,50" }], undefined],
      ["c", "skipped", "None of the placeholders has a value.", undefined, undefined],
      ["d", "defaulted", "The transforms left no value.", [{ transform: "null_if", to: null }], "-"],
      ["e", "defaulted", "There is nothing at none.", undefined, "-"],
      ["f", "mapped", undefined, [{ transform: "replace", to: "" }], ""],
    ]);
    expect(warnings.filter(({ code }) => code === "empty_value_kept")).toMatchObject([{ target: "f" }]);
  });

  test("lists the paths that no mapping reads", () => {
    expect(trace.unusedSource).toEqual([
      "$.shippingAddress.zip",
      "$.shippingAddress.city",
      "$.line_items[*].sku",
      "$.note",
    ]);
    expect(traceMapping(compiled([{ target: "all", source: "$" }]), order).unusedSource).toEqual([]);
  });

  test("stays small on large data", () => {
    const large = { list: Array.from({ length: 20_000 }, (_, i) => ({ [`name${i}`]: "x".repeat(20), id: i })) };
    const mappings = [
      {
        target: "l",
        each: "list",
        mappings: [
          { target: "id", source: "@.id" },
          { target: "no", source: "@.nam" },
        ],
      },
      ...Array.from({ length: 400 }, (_, i) => ({ target: `t${i}`, source: `list[*].nothing${i}` })),
    ];
    expect(JSON.stringify({ ...traceMapping(compiled(mappings), large), output: {} }).length).toBeLessThan(300_000);
  });
});

describe("a draft", () => {
  const target = {
    orderNumber: 1001,
    shipTo: { postalCode: "10001", city: "", telephone: "" },
    comment: "",
    lines: [{ sku: "", quantity: 0 }],
  };
  const draft = suggestMappings(order, target);

  test("matches fields with other names, and lists in lists", () => {
    expect(draft.mappings).toEqual([
      { target: "orderNumber", source: "$.id" },
      { target: "shipTo.postalCode", source: "$.shippingAddress.zip" },
      { target: "shipTo.city", source: "$.shippingAddress.city" },
      { target: "comment", source: "$.note" },
      {
        target: "lines",
        each: "$.line_items",
        mappings: [
          { target: "sku", source: "@.sku" },
          { target: "quantity", source: "@.qty" },
        ],
      },
    ]);
    expect(draft.unmatched).toEqual(["shipTo.telephone"]);
    expect(draft.matches.every(({ confidence }) => confidence > 0 && confidence <= 1)).toBe(true);
  });

  test("compiles and runs unchanged", () => {
    expect(runMapping(compiled(draft.mappings), order)).toEqual({
      ok: true,
      output: {
        orderNumber: 1001,
        shipTo: { postalCode: "10001", city: "New York" },
        comment: "ring twice",
        lines: [
          { sku: "A", quantity: 2 },
          { sku: "B", quantity: 1 },
        ],
      },
    });
  });
});
