import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Predicate } from "./conditions.ts";
import { fieldsOf } from "./condition-types.ts";
import { DateTime, Nullable, OneOf } from "./schema.ts";
import { Type } from "./type.ts";
import { operators } from "./condition-shape.ts";
import { compileCondition, referredSets } from "./conditions.ts";

const noSets = () => undefined;
const calendar = { timezone: "Europe/Berlin", workingDays: [1, 2], holidays: new Set<string>(), cutoffTime: null };
const now = new Date("2026-05-01T00:00:00Z");
const order = {
  status: "ready",
  total: 120.5,
  shipBy: "2026-05-04T00:00:00.000Z",
  tags: ["VIP", "gift"],
  lines: [
    { sku: "A-1", quantity: 1 },
    { sku: "B-2", quantity: 5 },
  ],
  shippingAddress: { countryCode: "US", zip: null },
};

function holds(condition: unknown, record: unknown = order): boolean {
  const compiled = compileCondition(condition, noSets, "/when");
  if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
  return compiled(record, now);
}

describe("a condition", () => {
  test.each([
    [{ path: "status", op: "eq", value: "READY" }, true],
    [{ path: "status", op: "ne", value: "ready" }, false],
    [{ path: "status", op: "in", value: ["new", "ready"] }, true],
    [{ path: "status", op: "not_in", value: ["new"] }, true],
    [{ path: "total", op: "gt", value: 120 }, true],
    [{ path: "total", op: "lte", value: 120 }, false],
    [{ path: "total", op: "between", value: [100, 130] }, true],
    [{ path: "total", op: "gt", value: "100" }, false],
    [{ path: "shipBy", op: "lt", value: "2026-06-01" }, true],
    // The same moment, however it is written.
    [{ path: "shipBy", op: "eq", value: "2026-05-04T00:00:00Z" }, true],
    [{ path: "shipBy", op: "ne", value: "2026-05-04T02:00:00+02:00" }, false],
    [{ path: "shipBy", op: "in", value: ["2026-05-03T19:00-05:00"] }, true],
    [{ path: "shipBy", op: "gte", value: "2026-05-04T00:00:00Z" }, true],
    [{ path: "shipBy", op: "lt", value: "2026-05-04T00:00:00Z" }, false],
    [{ path: "shipBy", op: "gt", value: "2026-05-04T01:00:00+02:00" }, true],
    [{ path: "shipBy", op: "between", value: ["2026-05-04T00:00:00Z", "2026-05-04T00:00:00Z"] }, true],
    [{ path: "status", op: "gte", value: "READY" }, true],
    [{ path: "tags", op: "has_tag", value: "vip" }, true],
    [{ path: "lines.sku", op: "starts_with", value: "b-" }, true],
    [{ path: "lines.quantity", op: "gte", value: 6 }, false],
    [{ path: "shippingAddress.zip", op: "empty" }, true],
    [{ path: "nothing.here", op: "not_empty" }, false],
    [{ path: "constructor.name", op: "not_empty" }, false],
    [{ not: { path: "status", op: "eq", value: "new" } }, true],
    [
      {
        any: [
          { path: "status", op: "eq", value: "new" },
          { path: "total", op: "gt", value: 1 },
        ],
      },
      true,
    ],
    [
      {
        all: [
          { path: "status", op: "eq", value: "new" },
          { path: "total", op: "gt", value: 1 },
        ],
      },
      false,
    ],
  ])("%j is %s", (condition, expected) => {
    expect(holds(condition)).toBe(expected);
  });

  test.each([
    [{ op: "gte", value: "2026-05-03" }, true],
    [{ op: "lt", value: "2026-05-04" }, true],
    [{ op: "between", value: ["2026-05-03", "2026-05-03T20:00"] }, true],
    [{ op: "gt", value: "2026-05-03T20:00" }, false],
    [{ op: "eq", value: "2026-05-03T20:00" }, true],
    [{ op: "in", value: ["2026", "2026-05-03T20"] }, true],
    [{ op: "ne", value: "2026-05-04" }, true],
    [{ op: "gte", value: "2026-05" }, true],
    [{ op: "lt", value: "2026-05" }, false],
    // No day: it stays a text.
    [{ op: "lt", value: "2026-05-99" }, true],
  ])("shipBy %j is %s in a zone four hours behind UTC", (asked, expected) => {
    const rules = { timeZone: "America/New_York" };
    const compiled = compileCondition({ path: "shipBy", ...asked }, noSets, "/when", rules) as Predicate;
    expect(compiled(order, now)).toBe(expected);
  });

  test("a day equals the same day in the data, in every time zone", () => {
    const condition = { path: "day", op: "between", value: ["2026-05-04", "2026-05-04"] };
    const compiled = compileCondition(condition, noSets, "", { timeZone: "Asia/Tokyo" }) as Predicate;
    expect([compiled({ day: "2026-05-04" }, now), compiled({ day: "2026-05-03" }, now)]).toEqual([true, false]);
  });

  test("uses condition sets by id or name", () => {
    const has = (value: string): boolean => value === "US";
    const lookup = (name: string) => (name === "countries" ? has : undefined);
    const condition = { path: "shippingAddress.countryCode", op: "in_set", value: "countries" };
    expect((compileCondition(condition, lookup, "") as Predicate)(order, now)).toBe(true);
    expect(referredSets({ any: [condition, { not: condition }] })).toEqual(["countries", "countries"]);
    expect(compileCondition({ ...condition, value: "nobody" }, lookup, "/when")).toEqual([
      expect.objectContaining({ pointer: "/when/value" }),
    ]);
  });

  test.each([
    [null, "/when"],
    [[], "/when"],
    [{}, "/when"],
    [{ all: [] }, "/when/all"],
    [{ path: "a", all: [] }, "/when"],
    [{ path: "a..b", op: "eq", value: 1 }, "/when/path"],
    [{ path: "a", op: "equals", value: 1 }, "/when/op"],
    [{ path: "a", op: "in", value: "x" }, "/when/value"],
    [{ path: "a", op: "between", value: [1] }, "/when/value"],
    [{ path: "a", op: "eq", value: 1, valeu: 2 }, "/when/valeu"],
    [{ not: { path: "a", op: "gt", value: null } }, "/when/not/value"],
  ])("%j is rejected at %s", (condition, pointer) => {
    const errors = compileCondition(condition, noSets, "/when") as { pointer: string }[];
    expect(errors.map((error) => error.pointer)).toContain(pointer);
  });

  const fields = fieldsOf(
    Type.Object({
      status: OneOf(["new", "shipped"]),
      total: Nullable(Type.Number()),
      isGift: Type.Boolean(),
      tags: Type.Array(Type.String()),
      orderedAt: DateTime,
      lines: Type.Array(
        Type.Object({ sku: Type.String(), weight: Type.Optional(Type.Object({ value: Type.Number() })) }),
      ),
      shippingAddress: Nullable(Type.Object({ zip: Type.String(), countryCode: Type.String() })),
      customFields: Type.Record(Type.String(), Type.Unknown()),
    }),
  );

  test.each<[object, string, string, string | undefined]>([
    [{ path: "shipingAddress.zip", op: "empty" }, "/path", "unknown_field", "shippingAddress"],
    [
      { path: "shippingAddress.countrycode", op: "ne", value: "US" },
      "/path",
      "unknown_field",
      "shippingAddress.countryCode",
    ],
    [{ path: "lines.wieght.value", op: "gt", value: 1 }, "/path", "unknown_field", "lines.weight"],
    [{ path: "total.amount", op: "gt", value: 1 }, "/path", "unknown_field", "total"],
    [{ path: "shippingAddress", op: "eq", value: "US" }, "/path", "not_comparable", undefined],
    [{ path: "total", op: "gt", value: "abc" }, "/value", "value", undefined],
    [{ path: "total", op: "in", value: [1, "2"] }, "/value/1", "value", undefined],
    [{ path: "isGift", op: "eq", value: "yes" }, "/value", "value", undefined],
    [{ path: "isGift", op: "gt", value: 1 }, "/op", "operator", undefined],
    [{ path: "status", op: "eq", value: "shiped" }, "/value", "value", "shipped"],
    [{ path: "status", op: "not_in", value: ["new", "nwe"] }, "/value/1", "value", "new"],
    [{ path: "orderedAt", op: "lt", value: "yesterday" }, "/value", "value", undefined],
    [{ path: "lines.sku", op: "eq", value: 7 }, "/value", "value", undefined],
  ])("%j, where the fields are known, is refused at %s as %s", (condition, at, code, suggestion) => {
    const found = compileCondition({ any: [{ not: condition }] }, noSets, "/when", { fields });
    expect(found).toEqual([expect.objectContaining({ pointer: `/when/any/0/not${at}`, code })]);
    expect((found as { suggestion?: string }[])[0]!.suggestion).toBe(suggestion);
    if (at === "/path") expect(compileCondition(condition, noSets, "/when")).toBeTypeOf("function");
  });

  test.each([
    { path: "status", op: "eq", value: "NEW" },
    { path: "total", op: "between", value: [1, 2.5] },
    { path: "total", op: "empty" },
    { path: "shippingAddress", op: "not_empty" },
    { path: "shippingAddress.zip", op: "starts_with", value: "99" },
    { path: "orderedAt", op: "gte", value: "2026-03-01" },
    { path: "orderedAt", op: "lt", value: "2026-03-01T09:00:00+02:00" },
    { path: "tags", op: "has_tag", value: "vip" },
    { path: "customFields.anything.at.all", op: "gt", value: 3 },
  ])("%j is accepted with known fields", (condition) => {
    expect(compileCondition(condition, noSets, "", { fields })).toBeTypeOf("function");
  });

  test("is fast and never throws, for any condition and any data", () => {
    const span = fc.oneof(fc.constantFrom("-2 working days", "1 week", "99999 weeks", "4 hours"), fc.anything());
    const operand = fc.oneof(
      fc.record({ path: fc.constantFrom("a", "tags"), times: fc.oneof(fc.double(), fc.anything()) }),
      fc.record({ path: fc.constantFrom("a", "tags"), plus: span }),
      fc.record({ now: span }),
    );
    const data = fc.oneof(
      fc.record({ a: fc.oneof(fc.constantFrom("2026-03-01", "9999-12-31T23:59:59Z", "0001-01-01"), fc.double()) }),
      fc.record({ a: fc.array(fc.anything()), tags: fc.array(fc.string()) }),
      fc.anything(),
    );
    const leaf = fc.record({
      path: fc.constantFrom("a", "a.b", "tags", "x.y.z"),
      op: fc.constantFrom(...operators),
      value: fc.oneof(fc.anything(), operand, fc.tuple(operand, operand)),
    });
    const name = fc.oneof(fc.constantFrom("a", "a.b", "tags"), fc.anything());
    const condition = fc.letrec((tie) => ({
      node: fc.oneof(
        leaf,
        fc.record({ count: name, where: tie("node"), op: fc.constant("gt"), value: operand }),
        fc.record({ sum: name, op: fc.constant("gt"), value: fc.integer() }),
        fc.record({ any_of: name, where: tie("node") }),
        fc.record({ all_of: name, where: tie("node") }),
        fc.record({ all: fc.array(tie("node"), { maxLength: 3 }) }),
        fc.record({ not: tie("node") }),
        fc.anything(),
      ),
    })).node;
    fc.assert(
      fc.property(condition, data, (given, record) => {
        const compiled = compileCondition(given, noSets, "", { calendar });
        if (typeof compiled === "function") expect(typeof compiled(record, now)).toBe("boolean");
        else expect(compiled.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
    let deep: unknown = { path: "a", op: "empty" };
    for (let i = 0; i < 1_000; i++) deep = { not: deep };
    expect(compileCondition(deep, noSets, "")).toEqual([expect.objectContaining({ code: "too_complex" })]);
  });
});

const template = fc
  .tuple(fc.string(), fc.string(), fc.string())
  .map((parts) => `${parts[0]}{{${parts[1]}}}${parts[2]}`);

test("a template in a value is rejected with its pointer, for every operator", () => {
  const taking = operators.filter((op) => op !== "empty" && op !== "not_empty");
  fc.assert(
    fc.property(fc.constantFrom(...taking), template, (op, value) => {
      const isList = op === "in" || op === "not_in" || op === "between";
      const condition = { not: { path: "status", op, value: isList ? ["ready", value] : value } };
      expect(compileCondition(condition, () => () => true, "/when")).toMatchObject([
        { pointer: isList ? "/when/not/value/1" : "/when/not/value", code: "template" },
      ]);
    }),
  );
  expect(holds({ path: "status", op: "ne", value: "{single} and }} {{" })).toBe(true);
});
