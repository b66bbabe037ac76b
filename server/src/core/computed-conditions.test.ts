import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCondition, pathsIn, referredSets } from "./conditions.ts";
import { fieldsOf } from "./condition-types.ts";
import { DateTime, Nullable, OneOf } from "./schema.ts";
import { compilePattern } from "./text-patterns.ts";
import { Type } from "./type.ts";

const calendar = {
  timezone: "Europe/Berlin",
  workingDays: [1, 2, 3, 4, 5],
  holidays: new Set(["2026-03-31"]),
  cutoffTime: null,
};
const fields = fieldsOf(
  Type.Object({
    number: Type.String(),
    status: OneOf(["new", "ready"]),
    total: Nullable(Type.Number()),
    fee: Type.Number(),
    isGift: Type.Boolean(),
    tags: Type.Array(Type.String()),
    orderedAt: DateTime,
    shipBy: Nullable(DateTime),
    wantedOn: Type.String({ format: "date" }),
    person: Type.Object({ name: Type.String(), email: Type.String() }),
    lines: Type.Array(
      Type.Object({
        sku: Type.String(),
        quantity: Type.Integer(),
        shipped: Type.Integer(),
        options: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
      }),
    ),
    customFields: Type.Unsafe<object>({
      type: "object",
      additionalProperties: { type: ["string", "number", "boolean"] },
    }),
  }),
);

// A Wednesday, an hour after clocks in Berlin were set forward on the Sunday before; Tuesday is a holiday.
const now = new Date("2026-04-01T08:00:00Z");
const order = {
  number: "A-17",
  status: "ready",
  total: 49.9,
  fee: 4.99,
  isGift: false,
  tags: ["A-17", "vip"],
  orderedAt: "2026-03-27T08:30:00.000Z",
  shipBy: "2026-04-01T12:00:00.000Z",
  wantedOn: "2026-04-02",
  person: { name: "Ann", email: "ann@example.com" },
  lines: [
    { sku: "MUG", quantity: 2, shipped: 0, options: [{ name: "Color", value: "Blue" }] },
    { sku: "BULKY", quantity: 1, shipped: 1, options: [{ name: "Size", value: "L" }] },
  ],
  customFields: { factor: 10, limit: "49" },
};

function compile(condition: unknown, rules = {}) {
  return compileCondition(condition, () => undefined, "", { fields, calendar, ...rules });
}

function holds(condition: unknown, record: unknown = order): boolean {
  const compiled = compile(condition);
  if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
  return compiled(record, now);
}

const compares = (path: string, op: string, value: unknown) => ({ path, op, value });

describe("a value that is read or computed", () => {
  test.each([
    [compares("number", "eq", { path: "tags" }), true],
    [compares("number", "ne", { path: "tags" }), false],
    [compares("number", "in", { path: "tags" }), true],
    [compares("number", "not_in", { path: "lines.sku" }), true],
    [compares("tags", "has_tag", { path: "number" }), true],
    [compares("person.email", "starts_with", { path: "person.name" }), true],
    [compares("person.name", "contains", { path: "person.email" }), false],
    [compares("total", "eq", { path: "fee", times: 10 }), true],
    [compares("total", "gt", { path: "fee", times: 10, plus: -0.01 }), true],
    [compares("total", "gt", { path: "fee", times: 10 }), false],
    [compares("total", "between", [{ path: "fee" }, 50]), true],
    [compares("total", "between", [50, { path: "fee", plus: 100 }]), false],
    [compares("orderedAt", "lt", { path: "shipBy" }), true],
    // A day is its first moment in Berlin.
    [compares("wantedOn", "gt", { path: "shipBy", plus: "9 hours" }), true],
    [compares("wantedOn", "gt", { path: "shipBy", plus: "10 hours" }), false],
    [compares("shipBy", "lt", { path: "wantedOn" }), true],
    // A number and a text have no order.
    [compares("total", "gt", { path: "customFields.limit" }), false],
    [compares("fee", "lt", { path: "customFields.factor" }), true],
  ])("%j is %s", (condition, met) => {
    expect(holds(condition)).toBe(met);
  });

  test.each([
    ["eq", { a: null, b: null }, true],
    ["ne", { a: null, b: "" }, false],
    ["eq", { a: 1 }, false],
    ["ne", { a: 1 }, true],
    ["ne", { b: 1 }, true],
    ["gt", { a: 1 }, false],
    ["lte", { b: 1 }, false],
    ["in", {}, false],
    ["not_in", {}, true],
    ["contains", { a: "x" }, false],
  ])("%s with empty fields in %j is %s", (op, record, met) => {
    const compiled = compileCondition({ path: "a", op, value: { path: "b" } }, () => undefined, "");
    if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
    expect(compiled(record, now)).toBe(met);
  });

  test("ne is the opposite of eq for any values", () => {
    const value = fc.oneof(fc.constantFrom(null, "", "a", "A", 1, true), fc.array(fc.constantFrom("a", 1, null)));
    const side = (op: string) => compileCondition({ path: "a", op, value: { path: "b" } }, () => undefined, "");
    const [eq, ne] = [side("eq"), side("ne")];
    if (Array.isArray(eq) || Array.isArray(ne)) throw new Error("It does not compile.");
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(ne({ a, b }, now)).toBe(!eq({ a, b }, now));
      }),
    );
  });

  test.each([
    ["-1 day", "2026-03-31T08:00:00.000Z"],
    ["-7 days", "2026-03-25T09:00:00.000Z"],
    ["-1 week", "2026-03-25T09:00:00.000Z"],
    ["-168 hours", "2026-03-25T08:00:00.000Z"],
    ["+30 minutes", "2026-04-01T08:30:00.000Z"],
    ["0 minutes", "2026-04-01T08:00:00.000Z"],
    ["-2 working days", "2026-03-27T09:00:00.000Z"],
    ["1 working day", "2026-04-02T08:00:00.000Z"],
  ])("%s from now is %s", (span, moment) => {
    expect(holds(compares("shipBy", "eq", { now: span }), { shipBy: moment })).toBe(true);
  });

  test("a moment of the record is moved by working days", () => {
    // Friday plus two working days is Wednesday, since Tuesday is a holiday.
    const late = compares("shipBy", "gt", { path: "orderedAt", plus: "2 working days" });
    expect(holds(late, { orderedAt: "2026-03-27T08:30:00Z", shipBy: "2026-04-01T07:30:00Z" })).toBe(false);
    expect(holds(late, { orderedAt: "2026-03-27T08:30:00Z", shipBy: "2026-04-01T07:31:00Z" })).toBe(true);
    expect(holds(late, { orderedAt: "no time", shipBy: "2026-04-01T07:31:00Z" })).toBe(false);
  });

  test("each evaluation has its own now", () => {
    const compiled = compile(compares("shipBy", "lt", { now: "1 hour" }));
    if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
    const record = { shipBy: "2026-04-01T09:30:00Z" };
    const at = (time: string) => compiled(record, new Date(`2026-04-01T${time}Z`));
    expect([at("08:00:00"), at("08:30:01"), at("08:00:00")]).toEqual([false, true, false]);
  });
});

describe("a condition on a list", () => {
  const quantity = (op: string, value: unknown) => compares("quantity", op, value);
  test.each([
    [{ count: "lines", op: "eq", value: 2 }, true],
    [{ count: "lines", where: quantity("gt", 1), op: "eq", value: 1 }, true],
    [{ count: "tags", op: "gte", value: 2 }, true],
    [{ count: "lines.options", op: "eq", value: 2 }, true],
    [{ count: "lines", op: "lt", value: { path: "fee" } }, true],
    [{ sum: "lines.quantity", op: "eq", value: 3 }, true],
    [{ sum: "lines.quantity", where: compares("sku", "eq", "mug"), op: "between", value: [2, 2] }, true],
    [{ any_of: "lines", where: { all: [quantity("gt", 1), compares("sku", "eq", "BULKY")] } }, false],
    [{ any_of: "lines", where: compares("quantity", "gt", { path: "shipped" }) }, true],
    [{ all_of: "lines", where: compares("quantity", "gt", { path: "shipped" }) }, false],
    [{ all_of: "lines", where: quantity("gte", 1) }, true],
    [{ any_of: "lines", where: { any_of: "options", where: compares("value", "eq", "blue") } }, true],
    [{ all_of: "lines", where: { any_of: "options", where: compares("value", "eq", "blue") } }, false],
    [{ any_of: "lines.options", where: compares("name", "eq", "size") }, true],
  ])("%j is %s", (condition, met) => {
    expect(holds(condition)).toBe(met);
  });

  test("an empty list counts 0, sums up to 0, and meets neither any_of nor all_of", () => {
    const none = { lines: [] };
    expect(holds({ count: "lines", op: "eq", value: 0 }, none)).toBe(true);
    expect(holds({ sum: "lines.quantity", op: "eq", value: 0 }, none)).toBe(true);
    expect(holds({ any_of: "lines", where: quantity("gte", 0) }, none)).toBe(false);
    expect(holds({ all_of: "lines", where: quantity("gte", 0) }, none)).toBe(false);
  });

  test("lists of thousands of elements are compared in a moment", () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => ({ sku: `A${i}`, quantity: 1 }));
    const started = performance.now();
    expect(
      holds(compares("tags", "eq", { path: "lines.sku" }), { lines, tags: lines.map(({ sku }) => `b${sku}`) }),
    ).toBe(false);
    // Nine million comparisons take seconds.
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("a pattern", () => {
  test.each([
    ["^a-\\d+$", true],
    ["17", true],
    ["(?-i)a-17", false],
    ["^\\d", false],
  ])("%s matches A-17: %s", (pattern, met) => {
    expect(holds(compares("number", "matches", pattern))).toBe(met);
  });

  test.each([
    ["(a", "missing closing )"],
    ["(?=a)", "invalid or unsupported Perl syntax"],
    ["a\\1", "invalid escape sequence"],
    ["x".repeat(201), "at most 200 characters"],
    ["(\\pL{1,50}){1,20}", "too large"],
    ["", "is needed"],
    [7, "is needed"],
  ])("%j is refused with the reason", (pattern, reason) => {
    expect(compile(compares("number", "matches", pattern))).toMatchObject([
      { pointer: "/value", message: expect.stringContaining(reason) },
    ]);
  });

  test("a pattern that takes exponential time elsewhere takes linear time", () => {
    const matches = compilePattern("^(a+)+$");
    if (typeof matches === "string") throw new Error(matches);
    const started = performance.now();
    expect(matches(`${"a".repeat(1_999)}!`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("a mistake is refused with its place", () => {
  test.each([
    [compares("total", "gt", { path: "orderedAt" }), "/value", "type"],
    [compares("total", "gt", { path: "totl" }), "/value/path", "unknown_field"],
    [compares("total", "gt", { now: "-2 days" }), "/value", "type"],
    [compares("isGift", "eq", { path: "number" }), "/value", "type"],
    [compares("isGift", "gt", { path: "isGift" }), "/op", "operator"],
    [compares("number", "eq", { path: "person" }), "/value", "not_comparable"],
    [compares("fee", "gt", { path: "lines.quantity" }), "/value", "list"],
    [compares("number", "contains", { path: "tags" }), "/value", "list"],
    [compares("shipBy", "gt", { path: "orderedAt", plus: 2 }), "/value/plus", "type"],
    [compares("total", "gt", { path: "fee", plus: "2 days" }), "/value/plus", "type"],
    [compares("total", "gt", { path: "fee", times: "2" }), "/value/times", "type"],
    [compares("shipBy", "gt", { path: "orderedAt", times: 2, plus: "1 day" }), "/value/times", "type"],
    [compares("shipBy", "gt", { now: "two days" }), "/value/now", "time_span"],
    [compares("shipBy", "gt", { now: "-2d" }), "/value/now", "time_span"],
    [compares("shipBy", "gt", { now: "367 working days" }), "/value/now", "time_span"],
    [compares("shipBy", "gt", { now: 2 }), "/value/now", "time_span"],
    [compares("shipBy", "gt", { now: "1 day", plus: "1 day" }), "/value/plus", "unknown_field"],
    [compares("shipBy", "gt", { path: "orderedAt", now: "1 day" }), "/value", "one_of"],
    [compares("shipBy", "gt", {}), "/value", "one_of"],
    [compares("total", "gt", { path: "fee", minus: 2 }), "/value/minus", "unknown_field"],
    [compares("number", "in_set", { path: "tags" }), "/value", "value"],
    [compares("number", "matches", { path: "tags" }), "/value", "value"],
    [compares("total", "between", [{ path: "fee" }]), "/value", "value"],
    [compares("total", "between", [{ path: "fee" }, "x"]), "/value/1", "value"],
    [compares("total", "between", [{ path: "fee" }, null]), "/value/1", "value"],
    [{ count: "lines", where: compares("sku", "eq", "A"), op: "gt", value: "x" }, "/value", "value"],
    [{ count: "person", op: "gt", value: 1 }, "/count", "not_a_list"],
    [{ count: 5, op: "gt", value: 1 }, "/count", "format"],
    [{ count: "lines", op: "starts_with", value: "1", per: "line" }, "/per", "unknown_field"],
    [{ sum: "lines", op: "gt", value: 1 }, "/sum", "format"],
    [{ sum: "lines.sku", op: "gt", value: 1 }, "/sum", "type"],
    [{ sum: "lines.qantity", op: "gt", value: 1 }, "/sum", "unknown_field"],
    [{ sum: "person.name", op: "gt", value: 1 }, "/sum", "type"],
    [{ any_of: "lines", where: compares("qantity", "gt", 1) }, "/where/path", "unknown_field"],
    [{ any_of: "lines", where: compares("total", "gt", 1) }, "/where/path", "unknown_field"],
    [{ any_of: "tags", where: compares("name", "eq", "x") }, "/where/path", "unknown_field"],
    [{ any_of: "lines" }, "/where", "type"],
    [{ any_of: "lines", where: compares("sku", "eq", "x"), op: "gt" }, "/op", "unknown_field"],
    [{ path: "total", any_of: "lines", op: "gt", value: 1 }, "", "one_of"],
  ])("%j at %s", (condition, pointer, code) => {
    expect(compile(condition)).toMatchObject([{ pointer, code }]);
  });

  test("personal data is refused on both sides and inside lists", () => {
    const refusal = (path: string) =>
      path.startsWith("person") || path === "lines.sku" ? { code: "pii", message: path } : undefined;
    expect(compile(compares("number", "eq", { path: "person.name" }), { refusal })).toMatchObject([
      { pointer: "/value/path", code: "pii" },
    ]);
    expect(compile({ any_of: "lines", where: compares("sku", "eq", "x") }, { refusal })).toMatchObject([
      { pointer: "/where/path", code: "pii" },
    ]);
  });

  test("conditions in lists count for the limits", () => {
    let deep: object = compares("name", "eq", "x");
    for (let i = 0; i < 11; i++) deep = { any_of: "lines", where: deep };
    expect(compileCondition(deep, () => undefined, "")).toMatchObject([{ code: "too_complex" }]);
  });

  test("mappings have no where, sum, matches, now and working days", () => {
    const reader = () => () => [];
    const mistake = (condition: unknown) => compileCondition(condition, () => undefined, "", { reader });
    for (const condition of [
      { any_of: "lines", where: compares("sku", "eq", "x") },
      { sum: "lines.quantity", op: "gt", value: 1 },
      compares("a", "matches", "x"),
      compares("a", "gt", { now: "-1 day" }),
      compares("a", "gt", { path: "b", plus: "1 working day" }),
    ]) {
      expect(Array.isArray(mistake(condition)), JSON.stringify(condition)).toBe(true);
    }
    expect(Array.isArray(mistake(compares("a", "ne", { path: "b" })))).toBe(false);
    expect(Array.isArray(mistake({ count: "lines", op: "gt", value: 1 }))).toBe(false);
  });
});

test("sets and paths are found in every form", () => {
  const condition = {
    all: [
      { any_of: "lines", where: { path: "sku", op: "in_set", value: "Bulky" } },
      { not: { path: "a", op: "between", value: [{ path: "b" }, 5] } },
      { path: "c", op: "gt", value: { path: "customer.orderCount" } },
    ],
  };
  expect(referredSets(condition)).toEqual(["Bulky"]);
  expect(pathsIn(condition)).toEqual(expect.arrayContaining(["a", "b", "c", "customer.orderCount"]));
});
