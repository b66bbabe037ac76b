import type { Static } from "typebox";
import type { FieldError } from "../../../core/errors.ts";
import { alternatives } from "../../../core/nearest.ts";
import { Strict } from "../../../core/schema.ts";
import { escapePointer, isPlain } from "../../../core/strict-json.ts";
import { Type } from "../../../core/type.ts";
import { createFinder } from "../../../core/validation.ts";
import { valueTypes } from "./mapping-values.ts";
import type { ValueType } from "./mapping-values.ts";
import { transformAliases, transformsByName } from "./transform-catalog.ts";

export const onErrors = ["fail", "skip", "default", "null"] as const;
export type OnError = (typeof onErrors)[number];
const kinds = ["source", "value", "template", "each"] as const;

const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
const Anything = Type.Optional(Type.Unknown());

/** Checks single fields; combinations of fields, and their contents, are checked by the compiler. */
const Element = Strict({
  target: Type.String({ minLength: 1, maxLength: 500 }),
  source: Text,
  value: Anything,
  template: Type.Optional(Type.String({ maxLength: 5_000 })),
  each: Text,
  where: Anything,
  groupBy: Type.Optional(
    Type.Union([
      Type.String({ minLength: 1, maxLength: 500 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 5 }),
    ]),
  ),
  type: Type.Optional(Type.Unsafe<ValueType>({ enum: valueTypes })),
  default: Anything,
  required: Type.Optional(Type.Boolean()),
  transforms: Anything,
  when: Anything,
  onError: Type.Optional(Type.Unsafe<OnError>({ enum: onErrors })),
  mappings: Anything,
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
export const mappingFields: readonly string[] = Object.keys(Element.properties);
const findMistakes = createFinder(Element, "body");

/** A mapping as it is stored: aliases and short forms are replaced. */
export type MappingElement = Omit<Static<typeof Element>, "mappings" | "transforms"> & {
  mappings?: MappingElement[];
  transforms?: (string | Record<string, unknown>)[];
};

export type Refuse = (at: string, code: string, message: string, more?: Partial<FieldError>) => void;

/** Names of other tools for the same fields. */
const aliases: Record<string, string> = {
  from: "source",
  sourceField: "source",
  sourcePath: "source",
  extract: "source",
  to: "target",
  targetField: "target",
  targetPath: "target",
  generate: "target",
  constant: "value",
  defaultValue: "default",
  condition: "when",
  filter: "where",
  group_by: "groupBy",
  transform: "transforms",
};

/** One element without its inner mappings; undefined if it is invalid. */
export function normaliseElement(raw: unknown, refuse: Refuse): MappingElement | undefined {
  if (!isPlain(raw)) {
    refuse("", "type", "A mapping is an object such as {source, target}.");
    return undefined;
  }
  const element = withoutAliases(raw, refuse);
  for (const { pointer, code, message, ...more } of findMistakes(element)) refuse(pointer, code, message, more);
  const given = kinds.filter((kind) => Object.hasOwn(element, kind));
  if (given.length !== 1) {
    const found = given.length === 0 ? "there is none" : `there are ${given.join(" and ")}`;
    refuse("", "one_of", `Exactly one of source, value, template, each is needed; ${found}.`, { allowed: kinds });
  }
  if (element.onError === "default" && !Object.hasOwn(element, "default")) {
    refuse("/onError", "default_required", "onError: default needs a default.");
  }
  const isEach = Object.hasOwn(element, "each");
  if (isEach !== Object.hasOwn(element, "mappings")) {
    refuse("/mappings", isEach ? "required" : "each_required", "each and mappings go together.");
  }
  for (const name of ["where", "groupBy"]) {
    if (!isEach && Object.hasOwn(element, name)) refuse(`/${name}`, "each_required", `${name} is for an each.`);
  }
  if (isEach && element.type !== undefined) refuse("/type", "not_allowed_with_each", "each always makes a list.");
  return element as MappingElement;
}

function withoutAliases(raw: Record<string, unknown>, refuse: Refuse): Record<string, unknown> {
  const element = new Map<string, unknown>();
  for (const [key, value] of Object.entries(raw)) {
    const name = Object.hasOwn(aliases, key) ? aliasOf(key, value) : key;
    if (element.has(name)) {
      refuse(`/${escapePointer(key)}`, "duplicate_field", `This is another name for ${name}, which is there already.`);
    } else element.set(name, key === "transform" && !Array.isArray(value) ? [value] : value);
  }
  return Object.fromEntries(element);
}

/** `extract` with placeholders is a template. */
function aliasOf(key: string, value: unknown): string {
  return key === "extract" && typeof value === "string" && value.includes("{{") ? "template" : aliases[key]!;
}

/** `"trim"`, `{"round": 2}` or `{"round": {"digits": 2}}`. */
export function normaliseTransform(
  raw: unknown,
  refuse: Refuse,
): { name: string; params: Record<string, unknown> } | undefined {
  const entries: [string, unknown][] = typeof raw === "string" ? [[raw, {}]] : isPlain(raw) ? Object.entries(raw) : [];
  const [first] = entries;
  if (!first || entries.length !== 1) {
    refuse("", "type", 'A transform is a name such as "trim", or an object with one name such as {"round": 2}.');
    return undefined;
  }
  const [given, value] = first;
  const name = Object.hasOwn(transformAliases, given) ? transformAliases[given]! : given;
  const transform = transformsByName.get(name);
  if (!transform) {
    const message = `There is no transform ${given.slice(0, 60).toWellFormed()}.`;
    refuse("", "unknown_transform", message, alternatives(given, [...transformsByName.keys()]));
    return undefined;
  }
  const { main } = transform;
  // The short form of a table or a condition is an object itself.
  const isAlone = (main === "map" || main === "where") && isPlain(value) && !isPlain(value[main]);
  if (name === "lookup" && isAlone && Object.values(value).some(isPlain)) {
    const message = 'A lookup is {"lookup": {"map": {"new": "ready"}, "default": "new"}}: its table is called map.';
    refuse(`/${escapePointer(given)}`, "type", message);
    return undefined;
  }
  if (isPlain(value) && !isAlone) return { name, params: { ...value } };
  if (main !== undefined) return { name, params: { [main]: value } };
  refuse(`/${escapePointer(given)}`, "type", "The parameters are an object.");
  return undefined;
}
