import type { FieldError } from "../../../core/errors.ts";
import { nearestName } from "../../../core/nearest.ts";
import { escapePointer } from "../../../core/strict-json.ts";
import { valueTypes } from "./mapping-values.ts";
import type { ValueType } from "./mapping-values.ts";
import { transformAliases, transformsByName } from "./transform-catalog.ts";

export const onErrors = ["fail", "skip", "default", "null"] as const;
export type OnError = (typeof onErrors)[number];
const kinds = ["source", "value", "template", "each"] as const;
const elementFields = [
  "target",
  ...kinds,
  "type",
  "default",
  "required",
  "transforms",
  "when",
  "onError",
  "mappings",
  "note",
] as const;

/** A mapping as it is stored: aliases and short forms are written out. */
export type MappingElement = {
  target: string;
  source?: string;
  value?: unknown;
  template?: string;
  each?: string;
  mappings?: MappingElement[];
  type?: ValueType;
  default?: unknown;
  required?: boolean;
  transforms?: (string | Record<string, unknown>)[];
  when?: unknown;
  onError?: OnError;
  note?: string;
};

export type Refuse = (at: string, code: string, message: string, more?: Partial<FieldError>) => void;
type Plain = Record<string, unknown>;

/** What other tools call the same thing. */
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
  transform: "transforms",
};

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One element without its inner mappings, or undefined when it cannot be understood at all. */
export function normaliseElement(raw: unknown, refuse: Refuse): MappingElement | undefined {
  if (!isPlain(raw)) {
    refuse("", "type", "A mapping is an object such as {source, target}.");
    return undefined;
  }
  const element = withoutAliases(raw, refuse);
  const given = kinds.filter((kind) => Object.hasOwn(element, kind));
  if (given.length !== 1) {
    const found = given.length === 0 ? "there is none" : `there are ${given.join(" and ")}`;
    refuse("", "one_of", `Exactly one of source, value, template, each is needed; ${found}.`, { allowed: kinds });
  }
  for (const name of ["target", "source", "template", "each", "note"]) checkText(element, name, refuse);
  if (!Object.hasOwn(element, "target")) refuse("/target", "required", "This field is needed.");
  checkEnum(element, "type", valueTypes, refuse);
  checkEnum(element, "onError", onErrors, refuse);
  if (element.required !== undefined && typeof element.required !== "boolean") {
    refuse("/required", "type", "This must be a boolean.");
  }
  if (element.onError === "default" && !Object.hasOwn(element, "default")) {
    refuse("/onError", "default_needed", "onError: default needs a default.");
  }
  const isEach = Object.hasOwn(element, "each");
  if (isEach !== Object.hasOwn(element, "mappings")) {
    refuse("/mappings", isEach ? "required" : "each_needed", "each and mappings go together.");
  }
  if (isEach && element.type !== undefined) refuse("/type", "not_with_each", "each always makes a list.");
  return given.length === 1 && typeof element.target === "string" ? (element as MappingElement) : undefined;
}

function withoutAliases(raw: Plain, refuse: Refuse): Plain {
  const element: Plain = {};
  for (const [key, value] of Object.entries(raw)) {
    const name = Object.hasOwn(aliases, key) ? aliasOf(key, value) : key;
    if (!(elementFields as readonly string[]).includes(name)) {
      const suggestion = nearestName(key, elementFields);
      const more = suggestion === undefined ? {} : { suggestion };
      refuse(`/${escapePointer(key)}`, "unknown_field", "There is no such field.", { allowed: elementFields, ...more });
    } else if (Object.hasOwn(element, name)) {
      refuse(`/${escapePointer(key)}`, "duplicate_field", `This is another name for ${name}, which is there already.`);
    } else element[name] = key === "transform" && !Array.isArray(value) ? [value] : value;
  }
  return element;
}

/** `extract` may hold placeholders, which is what we call a template. */
function aliasOf(key: string, value: unknown): string {
  return key === "extract" && typeof value === "string" && value.includes("{{") ? "template" : aliases[key]!;
}

function checkText(element: Plain, name: string, refuse: Refuse): void {
  if (!Object.hasOwn(element, name)) return;
  const value = element[name];
  const max = name === "template" ? 5_000 : 500;
  if (typeof value !== "string") refuse(`/${name}`, "type", "This must be a string.");
  else if (value.length > max) refuse(`/${name}`, "maxLength", `This has at most ${max} characters.`);
  else if (value === "" && name !== "note" && name !== "template")
    refuse(`/${name}`, "minLength", "This must not be empty.");
}

function checkEnum(element: Plain, name: string, allowed: readonly string[], refuse: Refuse): void {
  const value = element[name];
  if (!Object.hasOwn(element, name) || (typeof value === "string" && allowed.includes(value))) return;
  const suggestion = typeof value === "string" ? nearestName(value, allowed) : undefined;
  refuse(`/${name}`, "enum", "This value is not one of the allowed ones.", {
    allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

export type NamedTransform = { name: string; params: Plain };

/** `"trim"`, `{"round": 2}` or `{"round": {"digits": 2}}`. */
export function normaliseTransform(raw: unknown, refuse: Refuse): NamedTransform | undefined {
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
    const names = [...transformsByName.keys()];
    const suggestion = nearestName(given, names);
    refuse("", "unknown_transform", `There is no transform ${given.slice(0, 60).toWellFormed()}.`, {
      allowed: names,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return undefined;
  }
  const { main } = transform;
  if (isPlain(value) && !(main === "map" && !isPlain(value.map))) return { name, params: { ...value } };
  if (main !== undefined) return { name, params: { [main]: value } };
  refuse(`/${escapePointer(given)}`, "type", "The parameters are an object.");
  return undefined;
}
