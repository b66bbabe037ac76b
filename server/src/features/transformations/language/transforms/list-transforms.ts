import { Type } from "../../../../core/type.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { isPlain } from "../../../../core/strict-json.ts";
import { memberOf } from "../../../../core/data-path.ts";
import type { Run } from "../mapping-run.ts";
import { constantOf, enterList, keepElements, leaveList, measure, chargeBudget, enterElement } from "../mapping-run.ts";
import { fault, isEmpty, isMissing } from "../mapping-values.ts";
import { applyAll, defineTransform, joinTexts, listTransform } from "../transform.ts";

const Position = Type.Integer({ minimum: -100_000, maximum: 100_000 });
const Key = Type.String({ minLength: 1, maxLength: 100 });

export const listTransforms = [
  listTransform({
    name: "list",
    text: "Makes a list of one out of anything that is no list",
    example: { from: "gift", to: ["gift"] },
    compile: () => (list) => list,
  }),
  listTransform({
    name: "first",
    text: "The first element; missing if there is none",
    example: { from: ["a", "b"], to: "a" },
    compile: () => (list) => list[0],
  }),
  listTransform({
    name: "last",
    text: "The last element; missing if there is none",
    example: { from: ["a", "b"], to: "b" },
    compile: () => (list) => list.at(-1),
  }),
  listTransform({
    name: "at",
    text: "The element at a position: 0 is the first, -1 the last",
    params: Strict({ position: Position }),
    main: "position",
    example: { params: { position: 1 }, from: ["a", "b", "c"], to: "b" },
    compile:
      ({ position }) =>
      (list) =>
        list.at(position),
  }),
  listTransform({
    name: "slice",
    text: "The elements from start up to, not including, end",
    params: Strict({ start: Position, end: Type.Optional(Position) }),
    main: "start",
    example: { params: { start: 0, end: 2 }, from: ["a", "b", "c"], to: ["a", "b"] },
    compile:
      ({ start, end }) =>
      (list) =>
        list.slice(start, end),
  }),
  listTransform({
    name: "join",
    text: "Makes one text of a list; what is missing or empty is left out",
    params: Strict({ separator: Type.Optional(Type.String({ maxLength: 100 })) }),
    main: "separator",
    example: { params: { separator: ", " }, from: ["gift", "rush"], to: "gift, rush" },
    compile:
      ({ separator = "," }) =>
      (list, run) =>
        joinTexts(list, separator, run) ?? "",
  }),
  listTransform({
    name: "count",
    text: "How many elements are not missing",
    takesMissing: true,
    example: { from: ["a", null, "b"], to: 2 },
    compile: () => (list) => list.reduce<number>((count, element) => count + (isMissing(element) ? 0 : 1), 0),
  }),
  listTransform({
    name: "compact",
    text: "Leaves out what is null or an empty text",
    example: { from: ["a", null, "", "b"], to: ["a", "b"] },
    compile: () => (list) => list.filter((element) => !isEmpty(element)),
  }),
  listTransform({
    name: "unique",
    text: "Keeps the first of equal elements",
    example: { from: ["a", "b", "a"], to: ["a", "b"] },
    compile: () => (list, run) => {
      const seen = new Set<unknown>();
      return list.filter((element) => {
        const key = keyOf(element, run);
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      });
    },
  }),
  listTransform({
    name: "sort",
    text: "Sorts numbers by size and texts by their characters; objects by one of their members",
    params: Strict({ by: Type.Optional(Key), order: Type.Optional(OneOf(["asc", "desc"])) }),
    main: "by",
    example: { params: { order: "desc" }, from: [3, 1, 2], to: [3, 2, 1] },
    compile({ by, order }) {
      const direction = order === "desc" ? -1 : 1;
      return (list, run) => {
        const keyed = list.map((element) => ({ element, key: by === undefined ? element : memberOf(element, by) }));
        chargeBudget(run, sortCost(keyed.map(({ key }) => key)));
        return keyed.toSorted((a, b) => direction * compareKeys(a.key, b.key)).map(({ element }) => element);
      };
    },
  }),
  listTransform({
    name: "reverse",
    text: "The list from its end to its start",
    example: { from: [1, 2, 3], to: [3, 2, 1] },
    compile: () => (list) => list.toReversed(),
  }),
  listTransform({
    name: "flatten",
    text: "Puts the elements of inner lists into one list",
    example: { from: [["a", "b"], ["c"], "d"], to: ["a", "b", "c", "d"] },
    compile: () => (list, run) => {
      for (const element of list) if (Array.isArray(element)) chargeBudget(run, element.length);
      return list.flat();
    },
  }),
  listTransform({
    name: "pluck",
    text: "One member of every object of a list; objects without it are left out",
    params: Strict({ key: Key }),
    main: "key",
    example: { params: { key: "sku" }, from: [{ sku: "A" }, {}, { sku: "B" }], to: ["A", "B"] },
    compile:
      ({ key }) =>
      (list) =>
        list.map((element) => memberOf(element, key)).filter((member) => member !== undefined),
  }),
  listTransform({
    name: "find",
    text: "The first object of a list whose member has this value, or one member of it; missing if there is none",
    params: Strict({
      key: Key,
      equals: Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
      get: Type.Optional(Key),
    }),
    example: {
      params: { key: "name", equals: "gift_note", get: "value" },
      from: [{ name: "color" }, { name: "gift_note", value: "Happy birthday" }],
      to: "Happy birthday",
    },
    compile({ key, equals, get }) {
      return (list) => {
        const found = list.find((element) => memberOf(element, key) === equals);
        return found === undefined || get === undefined ? found : memberOf(found, get);
      };
    },
  }),
  listTransform({
    name: "filter",
    text: "The elements that meet a condition, in which @ is the element and ^ what is around the list",
    params: Strict({ where: Type.Unknown() }),
    main: "where",
    example: {
      params: { where: { path: "@.ships", op: "eq", value: true } },
      from: [
        { sku: "A", ships: true },
        { sku: "CARD", ships: false },
      ],
      to: [{ sku: "A", ships: true }],
    },
    compile({ where }, env) {
      const holds = env.conditionInside(where, "where");
      return (list, run) => {
        enterList(run, list);
        const kept = keepElements(run, list, holds);
        leaveList(run);
        return kept;
      };
    },
  }),
  listTransform({
    name: "map",
    text: "What a source (the element itself unless given) and transforms make of every element; what is missing is left out",
    params: Strict({
      source: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      transforms: Type.Optional(Type.Unknown()),
    }),
    main: "source",
    example: {
      params: { source: "@.price", transforms: ["number", { multiply: "@.qty" }] },
      from: [
        { price: "9.95", qty: 2 },
        { price: "5.00", qty: 1 },
      ],
      to: [19.9, 5],
    },
    compile({ source = "@", transforms = [] }, env) {
      const read = env.readerInside(source, "source");
      const steps = env.stepsInside(transforms, "transforms");
      return (list, run) => {
        enterList(run, list);
        const made: unknown[] = [];
        for (let i = 0; i < list.length; i++) {
          chargeBudget(run, 1);
          enterElement(run, i, list[i]);
          const value = applyAll(steps, read(run), run);
          if (!isMissing(value)) made.push(value);
        }
        leaveList(run);
        return made;
      };
    },
  }),
  defineTransform({
    name: "merge",
    text: "An object with the members of the objects at these paths, and at last those of `with`, put into it; objects in them are merged too, lists are replaced",
    params: Strict({
      paths: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 20 })),
      with: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())),
    }),
    main: "paths",
    takesMissing: true,
    example: {
      params: { paths: ["$.shipping"], with: { residential: true } },
      from: { name: "Ann", zip: "02108" },
      to: { name: "Ann", zip: "10001", residential: true },
      data: { shipping: { zip: "10001" } },
    },
    compile({ paths = [], with: last }, env) {
      const readers = paths.map((path) => env.reader(path, "paths"));
      const constant = last === undefined ? undefined : constantOf(last);
      return (value, run) => {
        const parts = [value, ...readers.map((read) => read(run)), constant?.()].filter((part) => !isMissing(part));
        return parts.length === 0 ? undefined : parts.reduce<unknown>((into, part) => merged(into, part, run), {});
      };
    },
  }),
  defineTransform({
    name: "get",
    text: "One member of an object",
    params: Strict({ key: Key }),
    main: "key",
    example: { params: { key: "code" }, from: { code: "UPS" }, to: "UPS" },
    compile:
      ({ key }) =>
      (value) =>
        memberOf(value, key),
  }),
  defineTransform({
    name: "entries",
    text: "Makes a list of {key, value} out of an object",
    example: { from: { color: "blue" }, to: [{ key: "color", value: "blue" }] },
    compile: () => (value, run) => {
      if (!isPlain(value)) throw fault(value, "an object");
      const entries = Object.entries(value);
      chargeBudget(run, entries.length);
      return entries.map(([key, member]) => ({ key, value: member }));
    },
  }),
];

/** A new object; neither of the two is changed. */
function merged(into: unknown, part: unknown, run: Run): Record<string, unknown> {
  if (!isPlain(part)) throw fault(part, "an object");
  // Walked, so that its depth and its keys are known before it is gone into.
  chargeBudget(run, measure(run, part) >> 4);
  return overlay(into as Record<string, unknown>, part);
}

function overlay(below: Record<string, unknown>, above: Record<string, unknown>): Record<string, unknown> {
  const both = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const known = memberOf(below, key);
    both[key] = isPlain(known) && isPlain(value) ? overlay(known, value) : value;
  }
  return both;
}

/** Objects are the same when they say the same. */
function keyOf(element: unknown, run: Run): unknown {
  if (typeof element !== "object" || element === null) return element;
  chargeBudget(run, measure(run, element) >> 4);
  return `\u0001${JSON.stringify(element)}`;
}

function sortCost(keys: unknown[]): number {
  const rounds = Math.ceil(Math.log2(keys.length + 1));
  const characters = keys.reduce<number>((sum, key) => sum + (typeof key === "string" ? key.length : 0), 0);
  return keys.length * rounds + ((characters * rounds) >> 5);
}

const rank = (key: unknown): number =>
  typeof key === "number" ? 0 : typeof key === "string" ? 1 : isMissing(key) ? 3 : 2;

function compareKeys(a: unknown, b: unknown): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0 || rank(a) > 1) return difference;
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
