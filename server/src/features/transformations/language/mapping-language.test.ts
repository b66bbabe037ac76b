// `then` is a word of the mapping language; these objects are never awaited.
/* oxlint-disable unicorn/no-thenable */
import { describe, expect, test } from "vitest";
import type { SetLookup } from "../../../core/conditions.ts";
import type { CompiledMapping } from "./compile-mapping.ts";
import { compileMapping } from "./compile-mapping.ts";
import { runMapping } from "./run-mapping.ts";
import { transformCatalog } from "./transform-catalog.ts";

const sets: SetLookup = (name) => (name === "Remote ZIPs" ? (value) => value === "99501" : undefined);

function compiled(mappings: unknown): CompiledMapping {
  const result = compileMapping(mappings, sets);
  if (Array.isArray(result)) throw new Error(JSON.stringify(result));
  return result;
}

function map(mappings: unknown, data: unknown): unknown {
  const result = runMapping(compiled(mappings), data);
  return result.ok ? result.output : result.errors;
}

function mistakes(mappings: unknown): unknown {
  const result = compileMapping(mappings, sets);
  return Array.isArray(result) ? result.map(({ pointer, code }) => [pointer, code]) : [];
}

const order = {
  id: 1001,
  email: " ANN@example.com",
  shipping_address: { zip: "10001", "street name": "1 Main St", country: "US" },
  line_items: [
    { sku: "A", qty: 2, price: "9.95", options: [{ name: "color", value: "blue" }] },
    { sku: "B", qty: 1, price: "5.00", options: [] },
  ],
  note: null,
};

describe("a mapping", () => {
  test("compares two fields, and a field with the time of the mapping", () => {
    const flag = (when: object) => [{ value: true, target: "flag", when }];
    const differs = { path: "a", op: "ne", value: { path: "$.b" } };
    expect(map(flag(differs), { a: "x", b: "y" })).toEqual({ flag: true });
    expect(map(flag(differs), { a: "x", b: "X" })).toEqual({});
    const isOld = { path: "at", op: "lt", value: { path: "$now()", plus: "-2 days" } };
    expect(map(flag(isOld), { at: "2001-01-01T00:00:00Z" })).toEqual({ flag: true });
    expect(map(flag(isOld), { at: "2999-01-01T00:00:00Z" })).toEqual({});
    expect(compiled(flag(isOld)).usesNow).toBe(true);
    expect(mistakes(flag({ path: "at", op: "lt", value: { now: "-2 days" } }))).toEqual([
      ["/mappings/0/when/value/now", "unknown_field"],
    ]);
  });

  test("keeps escaped braces of a template", () => {
    const mapped = map([{ template: "\\{{id}} is {{id}}", target: "text" }], order);
    expect(mapped).toEqual({ text: "{{id}} is 1001" });
  });

  test("with source and target copies a value, from the root with or without $", () => {
    expect(
      map(
        [
          { source: "$.id", target: "number" },
          { source: "shipping_address.zip", target: "shipTo.zip" },
          { from: "shipping_address['street name']", to: "shipTo.line1" },
          { extract: "$.line_items[0].sku", generate: "firstSku" },
          { source: "line_items[-1].sku", target: "lastSku" },
          { source: "line_items[*].options[*].value", target: "options" },
        ],
        order,
      ),
    ).toEqual({
      number: 1001,
      shipTo: { zip: "10001", line1: "1 Main St" },
      firstSku: "A",
      lastSku: "B",
      options: ["blue"],
    });
  });

  test("with each makes a list, whose mappings read the element and the whole data", () => {
    expect(
      map(
        [
          {
            target: "lines",
            each: "$.line_items[*]",
            mappings: [
              { target: "sku", source: "@.sku" },
              { target: "quantity", source: "qty" },
              { target: "order", source: "$.id", type: "string" },
              { target: "total", source: "@.price", transforms: ["number", { multiply: "@.qty" }] },
              { target: "options", each: "@.options", mappings: [{ target: "is", template: "{{name}}: {{@.value}}" }] },
            ],
          },
        ],
        order,
      ),
    ).toEqual({
      lines: [
        { sku: "A", quantity: 2, order: "1001", total: 19.9, options: [{ is: "color: blue" }] },
        { sku: "B", quantity: 1, order: "1001", total: 5, options: [] },
      ],
    });
  });

  test("reads the parent of its element, and the counters, at every depth", () => {
    const data = {
      id: 7,
      parcels: [
        { no: "P1", items: [{ sku: "A", parts: [1, 2] }] },
        { no: "P2", items: [{ sku: "B", parts: [3] }, { sku: "C" }] },
      ],
    };
    const nested = [
      {
        target: "p",
        each: "parcels",
        mappings: [
          {
            target: "i",
            each: "items",
            where: { path: "^.no", op: "ne", value: "P1" },
            mappings: [{ target: "is", template: "{{@.sku}} {{^.no}} {{^^.id}} {{^number()}}.{{@number()}}" }],
          },
        ],
      },
    ];
    expect(map(nested, data)).toEqual({
      p: [{ i: [] }, { i: [{ is: "B P2 7 2.1" }, { is: "C P2 7 2.2" }] }],
    });
    const flat = [
      {
        target: "i",
        each: "parcels[*].items[*]",
        transforms: ["reverse"],
        mappings: [{ target: "is", template: "{{sku}} {{^.no}} {{^^.id}}" }],
      },
    ];
    expect(map(flat, data)).toEqual({ i: [{ is: "C P2 7" }, { is: "B P2 7" }, { is: "A P1 7" }] });
  });

  test("supports constants, templates, defaults, types and conditions", () => {
    expect(
      map(
        [
          { target: "channel", value: "shop" },
          { target: "label", template: "Order {{id}} for {{email}}" },
          { target: "nobody", template: "{{a}} {{b}}" },
          { target: "note", source: "note", default: "none" },
          { target: "id", source: "id", type: "string" },
          { target: "domestic", value: true, when: { path: "$.shipping_address.country", op: "eq", value: "us" } },
          { target: "foreign", value: true, when: { path: "shipping_address.country", op: "ne", value: "us" } },
          { target: "tags[]", value: "new" },
          { target: "tags[]", source: "nothing" },
          { target: "tags[]", value: "web" },
          { target: "slots[2]", value: "c" },
        ],
        order,
      ),
    ).toEqual({
      channel: "shop",
      label: "Order 1001 for  ANN@example.com",
      note: "none",
      id: "1001",
      domestic: true,
      tags: ["new", "web"],
      slots: [null, null, "c"],
    });
  });

  test("can copy everything and change some of it, without changing the data", () => {
    const before = structuredClone(order);
    const output = map(
      [
        { target: "$", source: "$" },
        { target: "shipping_address.zip", value: "10002" },
        { target: "line_items[]", value: { sku: "GIFT" } },
      ],
      order,
    ) as typeof order;
    expect(output.shipping_address).toEqual({ zip: "10002", "street name": "1 Main St", country: "US" });
    expect(output.line_items.length).toBe(3);
    expect(order).toEqual(before);
    const appended = [
      { target: "lines[]", source: "line_items[0]" },
      { target: "lines[0].sku", value: "OTHER" },
    ];
    expect(map(appended, order)).toMatchObject({ lines: [{ sku: "OTHER" }] });
    expect(order).toEqual(before);
  });

  test("may return null instead of true or false", () => {
    const mappings = [
      { target: "a", source: "v", transforms: [{ equals: { value: "none", then: null, else: "some" } }], default: "-" },
      { target: "b", source: "v", transforms: [{ in_set: { set: "Remote ZIPs", then: null } }] },
    ];
    expect(map(mappings, { v: "none" })).toEqual({ a: "-", b: false });
    expect(map(mappings, { v: "99501" })).toEqual({ a: "some", b: null });
  });

  test("never exposes its own constants to changes", () => {
    const mapping = compiled([{ target: "a", value: { list: [1] } }]);
    for (let i = 0; i < 2; i++) {
      const result = runMapping(mapping, {}) as unknown as { output: { a: { list: number[] } } };
      expect(result.output.a.list).toEqual([1]);
      result.output.a.list.push(2);
    }
  });

  test("reports every failure on the data, handled as onError says", () => {
    const bad = { total: "12,50", when: "yesterday", list: [1] };
    expect(
      map(
        [
          { target: "total", source: "total", type: "number" },
          { target: "gone", source: "gone", required: true },
          { target: "list", source: "list", transforms: ["upper"], type: "string" },
          { target: "fine", value: 1 },
        ],
        bad,
      ),
    ).toMatchObject([
      {
        index: 0,
        target: "total",
        path: "/mappings/0",
        code: "type_mismatch",
        suggestion: expect.stringContaining("decimal"),
      },
      { index: 1, code: "required" },
      { index: 2, code: "type_mismatch" },
    ]);
    expect(
      map(
        [
          { target: "a", source: "total", type: "number", onError: "skip" },
          { target: "b", source: "total", type: "number", onError: "null" },
          { target: "c", source: "total", type: "number", onError: "default", default: 0 },
        ],
        bad,
      ),
    ).toEqual({ b: null, c: 0 });
  });

  test("is rejected with a pointer to every mistake", () => {
    expect(
      mistakes([
        { target: "a" },
        { target: "b", source: "x", value: 1 },
        { source: "x" },
        { target: "c", source: "a..b" },
        { target: "d", source: "x", transforms: ["trimm", { round: "two" }, { regex_extract: "(" }] },
        { target: "e", each: "x", mappings: [{ target: "[*]", source: "y" }, 7] },
        { target: "f", source: "x", when: { path: "x", op: "in_set", value: "Nowhere" } },
        { target: "g", source: "x", typ: "string" },
        { target: "h", source: "x", onError: "default" },
        { target: "i", each: "x" },
        { target: "j", source: "x", transforms: [{ in_set: "Nowhere" }] },
        { target: "__proto__.x", source: "x" },
        { target: "k", source: "^.x" },
        { target: "l", source: "@index()" },
        { target: "m", source: "$later()" },
        { target: "n", source: "x", where: { path: "y", op: "empty" } },
        { target: "o", each: "x", mappings: [{ target: "y", source: "@group()" }] },
        { target: "p", each: "x", where: { path: "^^.y", op: "empty" }, mappings: [] },
        { target: "q", source: "x", transforms: [{ map: { source: "@.y", transforms: ["trimm"] } }] },
        { target: "r", source: "x", transforms: [{ convert_unit: { from: "stone", to: "kg" } }] },
      ]),
    ).toEqual([
      ["/mappings/0", "one_of"],
      ["/mappings/1", "one_of"],
      ["/mappings/2/target", "required"],
      ["/mappings/3/source", "path"],
      ["/mappings/4/transforms/0", "unknown_transform"],
      ["/mappings/4/transforms/1/round/digits", "type"],
      ["/mappings/4/transforms/2/regex_extract/pattern", "pattern"],
      ["/mappings/5/mappings/0/target", "target"],
      ["/mappings/5/mappings/1", "type"],
      ["/mappings/6/when/value", "value"],
      ["/mappings/7/typ", "unknown_field"],
      ["/mappings/8/onError", "default_required"],
      ["/mappings/9/mappings", "required"],
      ["/mappings/10/transforms/0/in_set/set", "value"],
      ["/mappings/11/target", "forbidden_key"],
      ["/mappings/12/source", "path"],
      ["/mappings/13/source", "path"],
      ["/mappings/14/source", "path"],
      ["/mappings/15/where", "each_required"],
      ["/mappings/16/mappings/0/source", "path"],
      ["/mappings/17/where/path", "format"],
      ["/mappings/18/transforms/0/map/transforms/0", "unknown_transform"],
      ["/mappings/19/transforms/0/convert_unit/from", "unit"],
    ]);
    expect(mistakes("no list")).toEqual([["/mappings", "type"]]);
    expect(mistakes(Array.from({ length: 501 }, () => ({ target: "a", value: 1 })))).toEqual([
      ["/mappings", "too_many_mappings"],
    ]);
  });

  test("is stored without aliases and short forms, with the same meaning", () => {
    const { mappings } = compiled([
      { from: "a", to: "b", transforms: [{ round: 2 }, "trim", { map_value: { x: "y" } }] },
      { generate: "c", extract: "{{a}}!" },
    ]);
    expect(mappings).toEqual([
      { source: "a", target: "b", transforms: [{ round: { digits: 2 } }, "trim", { lookup: { map: { x: "y" } } }] },
      { target: "c", template: "{{a}}!" },
    ]);
    expect(compiled(mappings).mappings).toEqual(mappings);
  });
});

test("a lookup whose table is not called map is rejected; the short form is allowed", () => {
  const lookup = (params: object) => [{ source: "a", target: "b", transforms: ["trim", { lookup: params }] }];
  for (const name of ["table", "values"]) {
    expect(mistakes(lookup({ [name]: { x: "y" }, default: "z" }))).toEqual([
      ["/mappings/0/transforms/1/lookup", "type"],
    ]);
  }
  expect(map(lookup({ x: "y", default: "d" }), { a: "x" })).toEqual({ b: "y" });
  expect(map(lookup({ map: { x: { y: 1 } }, default: "z" }), { a: "q" })).toEqual({ b: "z" });
});

test("a * outside of brackets is rejected; in brackets it is every element, or a name", () => {
  for (const source of ["*.Order", "Account.*", "$.**.Price", "* .a"]) {
    expect(mistakes([{ source, target: "b" }]), source).toEqual([["/mappings/0/source", "path"]]);
  }
  expect(map([{ source: "list[*].a", target: "b" }], { list: [{ a: 1 }, { a: 2 }] })).toEqual({ b: [1, 2] });
  expect(map([{ source: "['*'].a", target: "b" }], { "*": { a: 1 } })).toEqual({ b: 1 });
});

describe("the transforms", () => {
  test("are at least forty, each with a description and a correct example", () => {
    expect(transformCatalog.length).toBeGreaterThanOrEqual(40);
    expect(new Set(transformCatalog.map(({ name }) => name)).size).toBe(transformCatalog.length);
  });

  test.each(transformCatalog.map((transform) => [transform.name, transform] as const))(
    "%s",
    (name, { example, text }) => {
      expect(text).toMatch(/^[A-Z].{10,}/);
      const transform = example.params === undefined ? name : { [name]: example.params };
      const data = { ...example.data, value: example.from };
      expect(map([{ target: "out", source: "value", transforms: [transform] }], data)).toEqual({ out: example.to });
    },
  );

  test.each([
    [{ number: { decimal: "," } }, "1.234,5", 1234.5],
    ["number", "$1,234.50", 1234.5],
    ["number", "-.5", -0.5],
    [{ round: 2 }, 2.675, 2.68],
    [{ round: 0 }, -2.5, -3],
    [{ date: { from: "M/d/yy h:mm a", to: "yyyy-MM-dd HH:mm" } }, "7/4/26 1:05 pm", "2026-07-04 13:05"],
    [{ date: { from: "unix", to: "iso" } }, 1_700_000_000, "2023-11-14T22:13:20.000Z"],
    [{ date: { to: "iso_date", tz: "America/Los_Angeles" } }, "2026-01-01T05:00:00Z", "2025-12-31"],
    [{ date: { from: "iso", to: "iso", tz: "America/New_York" } }, "2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
    [{ date: { from: "dd MMM yyyy", to: "EEEE" } }, "04 jul 2026", "Saturday"],
    [{ country_code: "alpha3" }, "United Kingdom", "GBR"],
    ["country_code", "u.s.a.", "US"],
    [{ state_code: "CA" }, "Québec", "QC"],
    [{ phone_e164: "DE" }, "030 901820", "+4930901820"],
    ["phone_e164", "+44 20 7946 0000", "+442079460000"],
    ["upper", ["a", null, 1], ["A", null, "1"]],
    [{ regex_replace: { pattern: "\\d*", to: "-" } }, "a1b", "-a--b-"],
    [{ replace: { from: "$", to: "$&" } }, "a$b", "a$&b"],
    [{ add_days: -1 }, "2026-03-01T10:00:00+02:00", "2026-02-28T10:00:00+02:00"],
    [{ date_part: "week" }, "2027-01-01", 53],
    [{ convert_unit: { from: "$.nothing", to: "g", default: "kg" } }, 2, 2000],
    [{ convert_unit: { from: "Pounds", to: "oz" } }, 2, 32],
  ])("%j of %j is %j", (transform, from, to) => {
    expect(map([{ target: "out", source: "value", transforms: [transform] }], { value: from })).toEqual({ out: to });
  });

  test.each([
    ["number", "12,50"],
    ["number", "1,2,3"],
    [{ date: "yyyy-MM-dd" }, "2026-02-30"],
    ["country_code", "Atlantis"],
    ["phone_e164", "555"],
    ["json_parse", '{"a":"\\u0000"}'],
    ["json_parse", '{"__proto__":{"x":1}}'],
    ["base64_decode", "***"],
    [{ convert_unit: { from: "$.value", to: "kg" } }, 5],
    [{ convert_unit: { from: "$.nothing", to: "kg" } }, 5],
    ["merge", 5],
    [{ divide: 0 }, 1],
    [{ lookup: { map: { a: 1 } } }, "b"],
  ])("%j of %j is an error", (transform, from) => {
    const errors = map([{ target: "out", source: "value", transforms: [transform] }], { value: from });
    expect(errors).toEqual([expect.objectContaining({ index: 0, message: expect.any(String) })]);
  });
});
