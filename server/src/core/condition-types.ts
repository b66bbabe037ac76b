import type { TSchema } from "typebox";
import type { Operator } from "./condition-shape.ts";
import type { FieldError } from "./errors.ts";
import { alternatives } from "./nearest.ts";

/** The field at a path of a condition. */
export type Field = {
  /** Undefined: any type. */
  type: "text" | "number" | "boolean" | "moment" | "object" | undefined;
  /** The allowed values of a text. */
  oneOf: readonly string[] | undefined;
  members: Members | undefined;
  /** It is a list of such values. */
  isList: boolean;
};
/** By name; `*` stands for every other name. */
export type Members = ReadonlyMap<string, Field>;

type Json = {
  type?: string | readonly string[];
  format?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Json[];
  items?: Json;
  properties?: Record<string, Json>;
  additionalProperties?: boolean | Json;
};

/** The fields of records with this schema. A list has the fields of its elements, since conditions match any element. */
export function fieldsOf(schema: TSchema): Members {
  return fieldOf(schema).members ?? new Map();
}

function fieldOf(given: Json): Field {
  const [schema = given, ...more] = given.anyOf?.filter(({ type }) => type !== "null") ?? [given];
  if (more.length > 0) return { type: undefined, oneOf: undefined, members: undefined, isList: false };
  if (schema.items) return { ...fieldOf(schema.items), isList: true };
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  const type = types.length === 1 ? types[0] : undefined;
  const texts = schema.enum?.filter((value) => typeof value === "string");
  return {
    type: type === undefined ? undefined : nameOf(type, schema.format),
    oneOf: type === "string" ? texts : undefined,
    members: type === "object" ? membersOf(schema) : undefined,
    isList: false,
  };
}

function nameOf(type: string, format: string | undefined): Field["type"] {
  if (type === "string") return format === "date-time" || format === "date" ? "moment" : "text";
  return type === "boolean" || type === "object" ? type : "number";
}

function membersOf({ properties = {}, additionalProperties: others }: Json): Members {
  const members = new Map(Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)]));
  if (typeof others === "object") members.set("*", fieldOf(others));
  return members;
}

/** The paths of all lists among these fields, of those in lists too. */
export function listsIn(fields: Members, around = ""): string[] {
  return [...fields].flatMap(([name, { isList, members }]) => {
    const path = around + name;
    return [...(isList ? [path] : []), ...(members ? listsIn(members, `${path}.`) : [])];
  });
}

type Found = { field: Field } | { unknown: string; allowed: string[] };

/** The field at the path, or the wrong step and the names that exist there. A member of a list's elements is a list of its values. */
export function findField(fields: Members, path: string): Found {
  const steps = path.split(".");
  let members: Members | undefined = fields;
  let field: Field | undefined;
  let isList = false;
  for (const [i, step] of steps.entries()) {
    const around = steps.slice(0, i).join(".");
    field = members?.get(step) ?? members?.get("*");
    if (!field) {
      const names = [...(members?.keys() ?? [])];
      const allowed = around === "" ? names : names.length === 0 ? [around] : names.map((name) => `${around}.${name}`);
      return { unknown: steps.slice(0, i + 1).join("."), allowed };
    }
    isList ||= field.isList;
    // The value may be anything, with any members.
    if (field.type === undefined) break;
    members = field.members;
  }
  return { field: { ...field!, isList } };
}

type Mistake = { at: string; code: string; message: string; more?: Partial<FieldError> };

const ordering: readonly Operator[] = ["gt", "gte", "lt", "lte", "between"];
const parts: readonly Operator[] = ["contains", "starts_with", "ends_with", "in_set", "not_in_set", "matches"];
/** With these, a list on the other side is compared as a whole: equal to one of its values, or to none. */
const membership: readonly Operator[] = ["eq", "ne", "in", "not_in", "has_tag"];
/** A day or an instant, or the beginning of one, which is compared as text. */
const momentShape = /^\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/i;

/** Why this operator cannot be used with this field. */
export function operatorMistake(field: Field, path: string, op: Operator): Mistake | undefined {
  const { type, oneOf, members } = field;
  if (op === "empty" || op === "not_empty" || type === undefined) return undefined;
  if (type === "object") {
    const allowed = [...(members?.keys() ?? [])].filter((name) => name !== "*").map((name) => `${path}.${name}`);
    return {
      at: "/path",
      code: "not_comparable",
      message: `${path} has members; name one of them.`,
      more: { allowed },
    };
  }
  // These operators compare characters, which every value but a boolean has.
  if (parts.includes(op)) {
    return type === "boolean" ? wrongOp(path, op, "is true or false") : undefined;
  }
  return ordering.includes(op) && (type === "boolean" || oneOf) ? wrongOp(path, op, "has no order") : undefined;
}

/**
 * Why a comparison with this field is always false or always true. The value is already valid for the operator, and the operator
 * for the field.
 */
export function typeMistake(field: Field, path: string, op: Operator, value: unknown): Mistake | undefined {
  if (op === "empty" || op === "not_empty" || parts.includes(op) || field.type === undefined) return undefined;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [i, one] of values.entries()) {
    const mistake = valueMistake(field, path, one, ordering.includes(op));
    if (mistake) return { ...mistake, at: Array.isArray(value) ? `/value/${i}` : "/value" };
  }
  return undefined;
}

/** What the other side of a comparison is, if it is not a constant. `label` names it in messages. */
export type OtherSide = { label: string; field: Field };

/** Why a field cannot be compared with another one, or with a moment such as now. */
export function otherSideMistake(
  field: Field,
  path: string,
  op: Operator,
  other: OtherSide,
): Omit<Mistake, "at"> | undefined {
  const mistake = (code: string, message: string) => ({ code, message });
  if (other.field.type === "object") {
    const allowed = [...(other.field.members?.keys() ?? [])].map((name) => `${other.label}.${name}`);
    return { ...mistake("not_comparable", `${other.label} has members; name one of them.`), more: { allowed } };
  }
  if (other.field.isList && !membership.includes(op)) {
    return mistake("list", `${other.label} has several values: they can be compared with ${membership.join(", ")}.`);
  }
  if (field.type === undefined || other.field.type === undefined || field.type === other.field.type) return undefined;
  if (parts.includes(op) && other.field.type !== "boolean") return undefined;
  return mistake("type", `${path} is ${typeNames[field.type]}; ${other.label} is ${typeNames[other.field.type]}.`);
}

export const typeNames = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  moment: "a moment",
  object: "an object",
} as const;

function wrongOp(path: string, op: Operator, why: string): Mistake {
  return { at: "/op", code: "operator", message: `${op} cannot be asked of ${path}, which ${why}.` };
}

function valueMistake(
  { type, oneOf }: Field,
  path: string,
  value: unknown,
  isOrdering: boolean,
): Omit<Mistake, "at"> | undefined {
  const wrong = (what: string) => ({ code: "value", message: `${path} is ${what}; this is not.` });
  if (type === "number") return typeof value === "number" ? undefined : wrong("a number");
  if (type === "boolean") return typeof value === "boolean" ? undefined : wrong("true or false");
  if (typeof value !== "string") return wrong(type === "moment" ? "a moment" : "a text");
  if (type === "moment" && !momentShape.test(value)) {
    return wrong(isOrdering ? "a moment such as 2026-03-01 or 2026-03-01T09:00:00Z" : "a moment");
  }
  if (oneOf && !oneOf.some((name) => name.toLowerCase() === value.toLowerCase())) {
    return { ...wrong(`one of ${oneOf.join(", ")}`), more: alternatives(value, oneOf) };
  }
  return undefined;
}
