import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type * as AjvModule from "ajv";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import type AjvFormats from "ajv-formats";
import { createRequire } from "node:module";
import type { TSchema } from "typebox";
import type { FieldError } from "./errors.ts";
import { clipPointer, validationFailed } from "./errors.ts";
import { alternatives } from "./nearest.ts";
import { foldSpelling, linePattern, splitNames } from "./schema.ts";
import { escapePointer } from "./strict-json.ts";

const maxReported = 50;
const require = createRequire(import.meta.url);

/**
 * Bodies are validated as they are, without type conversion. Query strings contain only text, so numbers and booleans are
 * converted. Ajv is loaded with the first validation, so that the hub starts faster.
 */
const ajvs = {
  body: lazy(() => createAjv({ coerceTypes: false })),
  query: lazy(() => createAjv({ coerceTypes: true })),
  large: lazy(() => createAjv({ coerceTypes: false, allErrors: false })),
};

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function createAjv(options: { coerceTypes: boolean; allErrors?: boolean }): Ajv {
  const ajv = require("ajv") as typeof AjvModule;
  const common = { allErrors: true, strict: false, validateFormats: true, verbose: true, useDefaults: true } as const;
  return withSpellings(withNameLists(withFormats(new ajv.Ajv({ ...common, ...options }))));
}

/** Leap seconds and the year 0 are well-formed, but JavaScript or PostgreSQL cannot represent them. */
function withFormats(ajv: Ajv): Ajv {
  const { default: addFormats } = require("ajv-formats") as typeof AjvFormats;
  addFormats(ajv);
  const { validate } = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  const isKept = (year: number): boolean => year >= 1 && year <= 9999;
  const isMoment = (text: string): boolean => validate(text) && isKept(new Date(text).getUTCFullYear());
  const { validate: isWellFormed } = ajv.formats.date as { validate: (text: string) => boolean };
  const isDay = (text: string): boolean => isWellFormed(text) && !text.startsWith("0000");
  ajv.addFormat("date-time", isMoment);
  ajv.addFormat("date", isDay);
  return ajv.addFormat("date-or-date-time", (text: string) => isMoment(text) || isDay(text));
}

/** The rule of `NameList`. */
function withNameLists(ajv: Ajv): Ajv {
  const isKnown = (names: string[], text: string): boolean => unknownName(names, text) === undefined;
  return ajv.addKeyword({ keyword: "x-names", type: "string", validate: isKnown });
}

/**
 * Replaces aliases of an enumeration, compared case-folded, by the value they stand for. This is the only conversion in a body; it
 * frees all later code from handling aliases.
 */
function withSpellings(ajv: Ajv): Ajv {
  return ajv.addKeyword({
    keyword: "x-aliases",
    // Without a `type` it is in the group of `enum`, so that it can come first.
    before: "enum",
    modifying: true,
    validate(spellings: Record<string, string>, given: unknown, _parent?: object, at?: DataValidationCxt) {
      const folded = typeof given === "string" ? foldSpelling(given) : "";
      if (at && Object.hasOwn(spellings, folded) && spellings[folded] !== given)
        Object.assign(at.parentData as object, { [at.parentDataProperty]: spellings[folded] });
      return true;
    },
  });
}

function unknownName(names: readonly string[], text: string): string | undefined {
  return splitNames(text).find((name) => !names.includes(name));
}

/** Compiled on first use, so that the start is not slowed down by routes that are rarely called. */
export function createValidator(schema: TSchema, part: "body" | "query"): (data: unknown) => void {
  const find = createFinder(schema, part);
  return (data) => {
    const errors = find(data);
    if (errors.length > 0) throw validationFailed(errors);
  };
}

/** Finds the mistakes in the data as field errors; empty if it is valid. */
export function createFinder(schema: TSchema, part: "body" | "query"): (data: unknown) => FieldError[] {
  const numbers = part === "query" ? numbersIn(schema) : [];
  const compile = (how: keyof typeof ajvs): (() => ValidateFunction) => lazy(() => ajvs[how]().compile(schema));
  const [all, first] = [compile(part), compile("large")];
  return (data) => {
    // Collecting a million mistakes takes seconds and gigabytes, so large data is checked up to the first one.
    const validate = part === "body" && isLarge(data) ? first() : all();
    const odd = numbers.length === 0 ? [] : findOddNumbers(numbers, data as Record<string, unknown>);
    if (validate(data)) return odd;
    const places = new Set(odd.map(({ pointer }) => pointer));
    return [...odd, ...describe(validate.errors ?? [], part).filter(({ pointer }) => !places.has(pointer))];
  };
}

const largeFrom = 20_000;

/** Whether the data has so many values that only the first mistake is reported. */
function isLarge(data: unknown): boolean {
  let left = largeFrom;
  const count = (value: unknown): void => {
    if (--left < 0 || typeof value !== "object" || value === null) return;
    // Most of the time is spent on lists and maps with far too many entries: those need not be walked.
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (members.length > left) left = -1;
    for (let i = 0; i < members.length && left >= 0; i++) count(members[i]);
  };
  count(data);
  return left < 0;
}

type NumberParameter = { name: string; type: "integer" | "number" };

function numbersIn(schema: TSchema): NumberParameter[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  return Object.entries(properties).flatMap(([name, { type }]) =>
    type === "integer" || type === "number" ? [{ name, type }] : [],
  );
}

const writtenAs = { integer: /^-?\d+$/, number: /^-?\d+(?:\.\d+)?$/ };

/** JavaScript converts 0x10, 1e1 and blanks to numbers; in a query they are most likely mistakes. */
function findOddNumbers(numbers: NumberParameter[], query: Record<string, unknown>): FieldError[] {
  return numbers.flatMap(({ name, type }) => {
    const given = query[name];
    if (typeof given !== "string" || writtenAs[type].test(given)) return [];
    const what = type === "integer" ? "an integer, written in digits" : "a number, written in digits";
    return [{ pointer: `query/${name}`, code: "type", message: `This must be ${what}.` }];
  });
}

const finders = new WeakMap<TSchema, ReturnType<typeof createFinder>>();

/** The same for a schema that is known only at run time, such as that of a connector's settings; compiled once. */
export function findErrorsIn(schema: TSchema, data: unknown): FieldError[] {
  return finders.getOrInsertComputed(schema, () => createFinder(schema, "body"))(data);
}

function describe(errors: ErrorObject[], part: "body" | "query"): FieldError[] {
  return withoutEchoes(errors)
    .slice(0, maxReported)
    .map((error) => {
      const pointer = pointerOf(error);
      const place = clipPointer(part === "body" ? pointer : `query${pointer}`);
      return { pointer: place, code: error.keyword, ...explain(error) };
    });
}

/**
 * Reports each mistake once. Ajv reports some several times: a name that is not allowed by its own rule and by `propertyNames`; a
 * mistake in a nullable value also as "not null" and as "no alternative"; an empty line also by the pattern of lines.
 */
function withoutEchoes(errors: ErrorObject[]): ErrorObject[] {
  const empty = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === "minLength" ? [instancePath] : [])));
  const isNotNull = ({ keyword, params, schemaPath }: ErrorObject): boolean =>
    keyword === "type" && params.type === "null" && schemaPath.includes("/anyOf/");
  const own = errors.filter(
    (error) =>
      !["propertyNames", "anyOf"].includes(error.keyword) &&
      !isNotNull(error) &&
      !(error.keyword === "pattern" && empty.has(error.instancePath)),
  );
  return own.length > 0 ? own : errors;
}

function pointerOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  const member = propertyName ?? (keyword === "required" ? params.missingProperty : params.additionalProperty);
  return typeof member === "string" ? `${instancePath}/${escapePointer(member)}` : instancePath;
}

/** Patterns with their own messages. */
const plainPatterns = new Map([
  [linePattern, "This must be one line, without blanks around it."],
  ["\\S", "This must not be blank."],
  ["^[A-Za-z]{2}$", "This must be a code of two letters, such as US."],
  ["^[A-Z]{2}$", "This must be a code of two capital letters, such as US."],
  ["^[A-Z]{3}$", "This must be a code of three capital letters, such as USD."],
  ["^([01]\\d|2[0-3]):[0-5]\\d$", "This must be a time of day, such as 16:30."],
]);

type Explanation = { message: string; code?: string; suggestion?: string; allowed?: readonly unknown[] };

function explain(error: ErrorObject): Explanation {
  const { keyword, params, parentSchema, data } = error;
  switch (keyword) {
    case "additionalProperties": {
      const allowed = Object.keys((parentSchema?.properties ?? {}) as object);
      return {
        code: "unknown_field",
        message: `There is no such field.`,
        ...alternatives(params.additionalProperty, allowed),
      };
    }
    case "required":
      return { message: "This field is needed." };
    case "enum": {
      const allowed = params.allowedValues as unknown[];
      return { message: "This value is not one of the allowed ones.", ...alternatives(data, allowed) };
    }
    case "x-names": {
      const allowed = error.schema as string[];
      const unknown = unknownName(allowed, data as string)!;
      const message = `${unknown || "An empty name"} is not one of the allowed names.`;
      return { code: "enum", message, ...alternatives(unknown, allowed) };
    }
    case "const":
      return { message: "This value is not the allowed one.", allowed: [params.allowedValue] };
    case "type":
      return { message: `This must be ${typeName(params.type)}.` };
    case "format":
      return { message: `This is not ${formatNames[params.format as string] ?? `a valid ${params.format}`}.` };
    case "pattern": {
      const what = error.propertyName === undefined ? "This" : "This name";
      const plain = plainPatterns.get(params.pattern);
      return { message: plain ?? `${what} has a form that is not allowed; it has to match ${params.pattern}.` };
    }
    case "minLength":
    case "minItems":
      if (params.limit === 1) return { message: "This must not be empty." };
      return { message: `At least ${params.limit} ${countedIn(keyword)} are needed.` };
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return { message: `At most ${params.limit} ${countedIn(keyword)} are allowed.` };
    case "minimum":
    case "maximum":
      return { message: `This must be ${params.limit} or ${keyword === "minimum" ? "more" : "less"}.` };
    case "exclusiveMinimum":
      return { message: `This must be more than ${params.limit}.` };
    case "uniqueItems":
      return {
        message: `Entries ${Math.min(params.i, params.j)} and ${Math.max(params.i, params.j)} are the same, counted from 0.`,
      };
    default:
      return { message: `This ${error.message ?? "is not valid"}.` };
  }
}

const formatNames: Record<string, string> = {
  uuid: "an id, which is a UUID",
  email: "an e-mail address",
  date: "a day such as 2026-03-14",
  "date-time": "a moment such as 2026-03-14T09:00:00Z",
  "date-or-date-time": "a day such as 2026-03-14 or a moment such as 2026-03-14T09:00:00Z",
};

function countedIn(keyword: string): string {
  if (keyword.endsWith("Length")) return "characters";
  return keyword.endsWith("Items") ? "entries" : "members";
}

function typeName(type: string | string[]): string {
  const name = Array.isArray(type) ? type.join(" or ") : type;
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}
