import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompiledMapping } from "./compile-mapping.ts";
import { compileMapping } from "./compile-mapping.ts";
import { runMapping } from "./run-mapping.ts";
import { traceMapping } from "./trace-mapping.ts";
import { transformCatalog } from "./transform-catalog.ts";

const sets = (name: string) => (name === "known" ? (value: string) => value.startsWith("a") : undefined);

function compiled(mappings: unknown): CompiledMapping {
  const result = compileMapping(mappings, sets);
  if (Array.isArray(result)) throw new Error(JSON.stringify(result));
  return result;
}

const names = ["a", "b", "list", "constructor", "__proto__", "prototype", "toString", "length", "x y", "0"];
const path = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("$", "@", "", "^", "^^", "$now()", "@index()", "@number()", "^count()", "@group()"),
      fc.array(
        fc.oneof(
          fc.constantFrom(...names).map((name) => `.${name}`),
          fc.constantFrom("['x y']", "[0]", "[-1]", "[*]", "['__proto__']", "[]"),
        ),
        { maxLength: 4 },
      ),
    )
    .map(([from, steps]) => (from + steps.join("")).replace(/^\./, "")),
  fc.string({ maxLength: 12 }),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("12,50", "2026-02-28", "US", "\ud800", "{}"),
);
const scalar = fc.oneof(fc.boolean(), fc.constant(null), fc.double(), fc.integer(), text);
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;
const params = fc.oneof(
  fc.integer({ min: -3, max: 30 }),
  text,
  path,
  fc.array(path, { maxLength: 3 }),
  fc.dictionary(
    fc.constantFrom(
      "from",
      "to",
      "length",
      "pattern",
      "separator",
      "by",
      "value",
      "paths",
      "map",
      "start",
      "key",
      "set",
    ),
    fc.oneof(scalar, path, data),
    { maxKeys: 3, noNullPrototype: true },
  ),
);
const transform = fc.oneof(
  ...transformCatalog.map(({ name, example }) =>
    fc.oneof(
      fc.constant(example.params === undefined ? name : { [name]: example.params }),
      params.map((given) => ({ [name]: given })),
    ),
  ),
  fc.string({ maxLength: 5 }),
);
const condition = fc.record({
  path,
  op: fc.constantFrom("eq", "empty", "contains", "in_set", "between"),
  value: fc.oneof(scalar, fc.constant("known")),
});
const mapping = fc.letrec((tie) => ({
  element: fc
    .record(
      {
        target: path,
        kind: fc.oneof(
          path.map((source) => ({ source })),
          data.map((value) => ({ value })),
          path.map((inner) => ({ template: `{{${inner}}}-{{a}}` })),
          fc
            .record(
              {
                each: path,
                mappings: fc.array(tie("element"), { maxLength: 3 }),
                where: condition,
                groupBy: fc.oneof(path, fc.array(path, { maxLength: 2 })),
              },
              { requiredKeys: ["each", "mappings"] },
            )
            .map((made) => ({ ...made })),
        ),
        type: fc.constantFrom("string", "number", "integer", "boolean", "date", "datetime", "array", "object", "any"),
        default: data,
        required: fc.boolean(),
        transforms: fc.array(transform, { maxLength: 3 }),
        when: condition,
        onError: fc.constantFrom("fail", "skip", "default", "null"),
      },
      { requiredKeys: ["target", "kind"] },
    )
    .map(({ kind, ...rest }) => ({ ...kind, ...(rest as object) })),
})).element;

function isJson(value: unknown): boolean {
  return JSON.stringify(JSON.parse(JSON.stringify(value))) === JSON.stringify(value);
}

const now = () => new Date("2026-03-01T09:00:00Z");

test("any mapping on any data ends in an output or in errors of its own, and leaves the data as it was", () => {
  let ran = 0;
  fc.assert(
    fc.property(fc.array(mapping, { maxLength: 5 }), data, (mappings, given) => {
      // A mapping with mistakes is refused; what is left of it must run.
      const good = mappings.filter((one) => !Array.isArray(compileMapping([one], sets)));
      const result = compileMapping(good, sets);
      if (Array.isArray(result)) {
        expect(result.every(({ pointer }) => pointer.startsWith("/mappings"))).toBe(true);
        return;
      }
      const before = JSON.stringify(given);
      const outcome = runMapping(result, given, now);
      const traced = traceMapping(result, given, now);
      expect(JSON.stringify(given)).toBe(before);
      expect(traced.ok).toBe(outcome.ok);
      expect(traced.trace.every(({ status, reason }) => status === "mapped" || reason !== undefined)).toBe(true);
      if (outcome.ok) {
        ran++;
        expect(traced.output).toEqual(outcome.output);
        expect(isJson(outcome.output)).toBe(true);
      } else expect(outcome.errors.every(({ code }) => code !== "mapping_failed")).toBe(true);
      const again = compiled(result.mappings);
      expect(runMapping(again, given, now)).toEqual(outcome);
    }),
    { numRuns: 1500 },
  );
  expect(ran).toBeGreaterThan(200);
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});

test("any value as mappings is either compiled or rejected with pointers", () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4 }), (mappings) => {
      const result = compileMapping(mappings, sets);
      if (Array.isArray(result)) expect(result.length).toBeGreaterThan(0);
      else expect(runMapping(result, {}).ok).toBeDefined();
    }),
    { numRuns: 500 },
  );
});

const date = (part: string) => ({ date: { from: part.repeat(13), to: "iso" } });

describe("hostile input", () => {
  const large = { text: "a".repeat(900_000), list: Array.from({ length: 50_000 }, (_, i) => ({ i, name: `n${i}` })) };
  const many = (count: number, one: object) => Array.from({ length: count }, (_, i) => ({ ...one, target: `t${i}` }));

  const twenty = (one: object) => Array.from({ length: 20 }, () => one);

  function nested(depth: number): unknown[] {
    if (depth === 0) return [{ target: "i", source: "@.i" }];
    return [{ target: "x", each: "$.list", mappings: nested(depth - 1) }];
  }

  test.each<[string, unknown[], string]>([
    ["lists within lists", nested(9), "output_too_large"],
    ["copying the data again and again", many(500, { source: "$" }), "output_too_large"],
    [
      "texts that multiply",
      [{ target: "a", source: "text", transforms: [{ replace: { from: "a", to: "b".repeat(1000) } }] }],
      "output_too_large",
    ],
    ["long joins", [{ target: "a", source: "list[*].i", transforms: [{ join: "-".repeat(100) }] }], "output_too_large"],
    [
      "conditions over long lists, for each of them",
      [
        {
          target: "x",
          each: "list",
          mappings: [{ target: "i", value: 1, when: { path: "$.list.name", op: "contains", value: "q" } }],
        },
      ],
      "too_much_work",
    ],
    [
      "filters of the whole list, for each of its elements",
      [
        {
          target: "x",
          each: "list",
          where: { path: "$.list.name", op: "eq", value: "q" },
          mappings: [{ target: "i", source: "@.i" }],
        },
      ],
      "too_much_work",
    ],
    [
      "lists made of lists within a transform",
      [
        {
          target: "x",
          source: "list",
          transforms: [
            { map: { source: "$.list", transforms: [{ map: { source: "$.list", transforms: ["count"] } }] } },
          ],
        },
      ],
      "too_much_work",
    ],
    [
      "whole groups again for each of their elements",
      [
        {
          target: "x",
          each: "list",
          groupBy: "$.text",
          mappings: [
            { target: "y", each: "@group()", mappings: [{ target: "n", source: "^group()", transforms: ["count"] }] },
          ],
        },
      ],
      "too_much_work",
    ],
    ["sorting again and again", many(500, { source: "list", transforms: twenty({ sort: "name" }) }), "too_much_work"],
    [
      "regular expressions on long texts",
      [{ target: "a", source: "text", transforms: [{ regex_extract: "^(a+)+$" }] }],
      "text_too_long",
    ],
    [
      "regular expressions that look back and forth",
      [
        {
          target: "a",
          source: "text",
          transforms: [
            { substring: { start: 0, length: 10_000 } },
            { substring: { start: 0 } },
            { regex_replace: { pattern: "a.*b|a", to: "" } },
          ],
        },
      ],
      "too_much_work",
    ],
  ])("%s end with an error", (_, mappings, code) => {
    const result = runMapping(compiled(mappings), large);
    expect(result.ok ? [] : result.errors.map((error) => error.code)).toContain(code);
  });

  test("deeply nested data is an error, not a crash", () => {
    let deep: unknown = "x";
    for (let i = 0; i < 100_000; i++) deep = i % 2 ? [deep] : { a: deep };
    const mappings = [
      { target: "a", source: "$" },
      { target: "b", value: 1, when: { path: "a.a", op: "eq", value: "x" } },
    ];
    for (const one of mappings) {
      const result = runMapping(compiled([one]), { deep, a: deep });
      expect(result.ok || result.errors[0]!.code).toSatisfy((code: unknown) => code === true || code === "too_deep");
    }
    expect(traceMapping(compiled([{ target: "a", source: "deep" }]), { deep }).ok).toBe(false);
  });

  test("nothing inherited can be read, and prototypes cannot be written", () => {
    const mappings = ["constructor.name", "$.toString", "list.length", "a.__proto__.x", "['__proto__']"].map(
      (source, i) => ({
        source,
        target: `out${i}`,
      }),
    );
    expect(runMapping(compiled(mappings), { list: [1], a: {} })).toEqual({ ok: true, output: {} });
    const written = runMapping(compiled([{ target: "constructor.prototype.polluted", value: 1 }]), {});
    expect(written).toEqual({ ok: true, output: { constructor: { prototype: { polluted: 1 } } } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const evil = JSON.parse('{"x":{"__proto__":{"polluted":1}}}') as object;
    expect(runMapping(compiled([{ target: "x", source: "x" }]), evil)).toMatchObject({ ok: false });
  });

  test.each([
    ["a date pattern that can be read in more ways than can be tried", { source: "ones", transforms: [date("dM")] }],
    ["a template with blanks that never ends", { template: `{{${" ".repeat(2_000)}` }],
  ])("%s takes no time", (_, element) => {
    const started = performance.now();
    const result = compileMapping([{ target: "a", ...element }], sets);
    if (!Array.isArray(result)) runMapping(result, { ones: `${"1".repeat(39)}x` });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("regular expressions that are too large are rejected quickly, also in large numbers", () => {
    const mappings = many(500, { source: "text", transforms: twenty({ regex_test: "\\pL{999}".repeat(20) }) });
    const result = compileMapping(mappings, sets);
    expect(result).toContainEqual(expect.objectContaining({ code: "too_complex" }));
  });
});
