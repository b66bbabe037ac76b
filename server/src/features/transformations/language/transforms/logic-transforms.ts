// `then` is a word of the mapping language; these objects are never awaited.
/* oxlint-disable unicorn/no-thenable */
import { Type } from "../../../../core/type.ts";
import { Strict } from "../../../../core/schema.ts";
import { constantOf, MappingFault, chargeBudget } from "../mapping-run.ts";
import { isEmpty, quote, toBoolean, toText } from "../mapping-values.ts";
import { defineTransform, textTransform } from "../transform.ts";

const Scalar = Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]);
const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
/** Longer than any text that it could be compared with, so there is nothing to fold. */
const maxFolded = 2_000;
const fold = (value: unknown): unknown =>
  typeof value === "string" && value.length <= maxFolded ? value.trim().toLowerCase() : value;

const maxLookupKey = 500;

const Choice = { then: Type.Optional(Type.Unknown()), else: Type.Optional(Type.Unknown()) };

function compileChoice(params: { then?: unknown; else?: unknown }): (isSo: boolean) => unknown {
  const yes = constantOf("then" in params ? params.then : true);
  const no = constantOf("else" in params ? params.else : false);
  return (isSo) => (isSo ? yes() : no());
}

export const logicTransforms = [
  defineTransform({
    name: "default",
    text: "This instead of a missing value, null or an empty text",
    params: Strict({ value: Type.Unknown() }),
    main: "value",
    takesMissing: true,
    example: { params: { value: "standard" }, from: null, to: "standard" },
    compile(params) {
      const instead = constantOf(params.value);
      return (value) => (isEmpty(value) ? instead() : value);
    },
  }),
  defineTransform({
    name: "coalesce",
    text: "The value, or the first at these paths that is not missing, null or an empty text",
    params: Strict({ paths: Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 20 }) }),
    main: "paths",
    takesMissing: true,
    example: {
      params: { paths: ["$.billing.email"] },
      from: "",
      to: "a@b.example",
      data: { billing: { email: "a@b.example" } },
    },
    compile({ paths }, env) {
      const readers = paths.map((path) => env.reader(path, "paths"));
      return (value, run) => {
        if (!isEmpty(value)) return value;
        chargeBudget(run, readers.length);
        for (const read of readers) {
          const found = read(run);
          if (!isEmpty(found)) return found;
        }
        return undefined;
      };
    },
  }),
  defineTransform({
    name: "boolean",
    text: "Reads yes and no, true and false, 1 and 0, on and off",
    example: { from: "Yes", to: true },
    compile: () => toBoolean,
  }),
  defineTransform({
    name: "not",
    text: "False for true and true for false",
    example: { from: "no", to: true },
    compile: () => (value) => !toBoolean(value),
  }),
  defineTransform({
    name: "empty_to_null",
    text: "Null instead of an empty or blank text",
    example: { from: "  ", to: null },
    compile: () => (value) => (typeof value === "string" && value.trim() === "" ? null : value),
  }),
  defineTransform({
    name: "null_if",
    text: "Null instead of this value",
    params: Strict({ value: Scalar }),
    main: "value",
    example: { params: { value: "N/A" }, from: "n/a", to: null },
    compile(params) {
      const unwanted = fold(params.value);
      return (value) => (fold(value) === unwanted ? null : value);
    },
  }),
  defineTransform({
    name: "equals",
    text: "Compares, without regard to case, and answers then or else (true or false unless given)",
    params: Strict({ value: Scalar, ...Choice }),
    main: "value",
    example: { params: { value: "express", then: "1DA", else: "GND" }, from: "Express", to: "1DA" },
    compile(params) {
      const wanted = fold(params.value);
      const choose = compileChoice(params);
      return (value) => choose(value === wanted || fold(value) === wanted);
    },
  }),
  textTransform({
    name: "lookup",
    text: "What a table has for the value, without regard to case; otherwise default ($keep: the value itself), or an error",
    params: Strict({
      map: Type.Record(Type.String({ maxLength: maxLookupKey }), Type.Unknown()),
      default: Type.Optional(Type.Unknown()),
    }),
    main: "map",
    example: { params: { map: { US: "USA", CA: "CAN" }, default: "$keep" }, from: "us", to: "USA" },
    compile(params) {
      const table = new Map(Object.entries(params.map).map(([key, value]) => [fold(key), constantOf(value)]));
      const exact = new Map(Object.entries(params.map).map(([key, value]) => [key, constantOf(value)]));
      const otherwise = params.default === "$keep" ? undefined : constantOf(params.default);
      return (text) => {
        const found = exact.get(text) ?? table.get(fold(text));
        if (found) return found();
        if (params.default === undefined) {
          throw new MappingFault("lookup_missed", `The table has no entry for ${quote(text)}.`, {
            suggestion: 'add it to the map, or give a default ("$keep" keeps the value)',
            ...(text.length <= maxLookupKey ? { value: text } : {}),
          });
        }
        return otherwise ? otherwise() : text;
      };
    },
  }),
  defineTransform({
    name: "in_set",
    text: "Whether a condition set (by id or name) has the value; answers then or else (true or false unless given)",
    params: Strict({ set: Type.String({ minLength: 1, maxLength: 100 }), ...Choice }),
    main: "set",
    example: { params: { set: "Remote ZIPs", then: "remote", else: "normal" }, from: "99501", to: "remote" },
    compile(params, env) {
      const has = env.members(params.set, "set");
      const choose = compileChoice(params);
      return (value, run) => {
        const list = Array.isArray(value) ? (value as unknown[]) : [value];
        chargeBudget(run, 2 * list.length);
        const isMember = list.some((element) => {
          if (!isScalar(element)) return false;
          const text = toText(element);
          chargeBudget(run, text.length >> 3);
          return has(text);
        });
        return choose(isMember);
      };
    },
  }),
];
