import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type * as AjvModule from "ajv";
import type AjvFormats from "ajv-formats";
import { createRequire } from "node:module";
import type { TSchema } from "typebox";
import type { FieldError } from "./errors.ts";
import { validationFailed } from "./errors.ts";
import { nearestName } from "./nearest.ts";
import { linePattern } from "./schema.ts";
import { escapePointer } from "./strict-json.ts";

const maxReported = 50;
const require = createRequire(import.meta.url);

/**
 * Bodies: what arrives is what is checked; nothing is turned into something else. Query strings hold only text, so
 * numbers and booleans have to be read from it. Loaded with the first of them: the hub listens sooner without.
 */
const ajvs = { body: lazy(() => createAjv(false)), query: lazy(() => createAjv(true)) };

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = require("ajv") as typeof AjvModule;
  const common = { allErrors: true, strict: false, validateFormats: true, verbose: true, useDefaults: true } as const;
  return withFormats(new ajv.Ajv({ ...common, coerceTypes }));
}

/** Leap seconds and the year 0 are well-formed, but not moments that both JavaScript and PostgreSQL have. */
function withFormats(ajv: Ajv): Ajv {
  const { default: addFormats } = require("ajv-formats") as typeof AjvFormats;
  addFormats(ajv);
  const { validate } = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  const isKept = (year: number): boolean => year >= 1 && year <= 9999;
  const isMoment = (text: string): boolean => validate(text) && isKept(new Date(text).getUTCFullYear());
  const { validate: isDay } = ajv.formats.date as { validate: (text: string) => boolean };
  ajv.addFormat("date-time", isMoment);
  return ajv.addFormat("date-or-date-time", (text: string) => isMoment(text) || isDay(text));
}

/** Compiled when first used: a start does not pay for routes nobody calls. */
export function createValidator(schema: TSchema, part: "body" | "query"): (data: unknown) => void {
  const find = createFinder(schema, part);
  return (data) => {
    const errors = find(data);
    if (errors.length > 0) throw validationFailed(errors);
  };
}

/** What is wrong with the data, as fields of a problem; nothing when it is valid. */
export function createFinder(schema: TSchema, part: "body" | "query"): (data: unknown) => FieldError[] {
  let validate: ValidateFunction | undefined;
  return (data) => {
    validate ??= ajvs[part]().compile(schema);
    return validate(data) ? [] : describe(validate.errors ?? [], part);
  };
}

function describe(errors: ErrorObject[], part: "body" | "query"): FieldError[] {
  return withoutEchoes(errors)
    .slice(0, maxReported)
    .map((error) => {
      const pointer = pointerOf(error);
      return { pointer: part === "body" ? pointer : `query${pointer}`, code: error.keyword, ...explain(error) };
    });
}

/**
 * One mistake, one problem. A name that is not allowed is reported by its own rule and by `propertyNames`; what is wrong
 * in something that may be null, also as not being null and as fitting no alternative; an empty line also as no line.
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

/** Rules that are told better in words. */
const plainPatterns = new Map([
  [linePattern, "This must be one line, without blanks around it."],
  ["\\S", "This must not be blank."],
]);

/** Several names in one parameter: `^(a|b)(,(a|b))*$`. */
const listPattern = /^\^\(([\w|]+)\)\(,\(\1\)\)\*\$$/;

type Explanation = { message: string; code?: string; suggestion?: string; allowed?: unknown[] };

function explain(error: ErrorObject): Explanation {
  const { keyword, params, parentSchema, data } = error;
  switch (keyword) {
    case "additionalProperties": {
      const allowed = Object.keys((parentSchema?.properties ?? {}) as object);
      return {
        code: "unknown_field",
        message: `There is no such field.`,
        allowed,
        ...suggest(params.additionalProperty, allowed),
      };
    }
    case "required":
      return { message: "This field is needed." };
    case "enum": {
      const allowed = params.allowedValues as unknown[];
      return { message: "This value is not one of the allowed ones.", allowed, ...suggest(data, allowed) };
    }
    case "const":
      return { message: "This value is not the allowed one.", allowed: [params.allowedValue] };
    case "type":
      return { message: `This must be ${typeName(params.type)}.` };
    case "format":
      return { message: `This is not a valid ${params.format}.` };
    case "pattern": {
      const listed = listPattern.exec(params.pattern)?.[1]?.split("|");
      if (listed) {
        const wrong =
          String(data)
            .split(",")
            .find((name) => !listed.includes(name)) ?? "";
        const message = "This must be one or several of the allowed values, separated by commas.";
        return { code: "enum", message, allowed: listed, ...suggest(wrong, listed) };
      }
      const what = error.propertyName === undefined ? "This" : "This name";
      const plain = plainPatterns.get(params.pattern);
      return { message: plain ?? `${what} has a form that is not allowed; it has to match ${params.pattern}.` };
    }
    case "uniqueItems":
      return {
        message: `Members ${Math.min(params.i, params.j)} and ${Math.max(params.i, params.j)} of the list, counted from 0, are the same.`,
      };
    case "minLength":
    case "minItems":
      return { message: params.limit === 1 ? "This must not be empty." : `At least ${params.limit} are needed.` };
    default:
      return { message: `This ${error.message ?? "is not valid"}.` };
  }
}

function suggest(given: unknown, allowed: unknown[]): { suggestion?: string } {
  if (typeof given !== "string") return {};
  const names = allowed.filter((name): name is string => typeof name === "string");
  const suggestion = nearestName(given, names);
  return suggestion === undefined ? {} : { suggestion };
}

function typeName(type: string | string[]): string {
  const name = Array.isArray(type) ? type.join(" or ") : type;
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}
