import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import type { TSchema } from "typebox";
import type { FieldError } from "./errors.ts";
import { validationFailed } from "./errors.ts";
import { nearestName } from "./nearest.ts";
import { escapePointer } from "./strict-json.ts";

// The package is CommonJS and its types describe only the ES form.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
const maxReported = 50;

const common = { allErrors: true, strict: false, validateFormats: true, verbose: true } as const;
/** Bodies: what arrives is what is checked; nothing is turned into something else. */
const bodyAjv = withFormats(new Ajv({ ...common, useDefaults: true }));
/** Query strings hold only text, so numbers and booleans have to be read from it. */
const queryAjv = withFormats(new Ajv({ ...common, useDefaults: true, coerceTypes: true }));

/** Leap seconds are well-formed times, but neither JavaScript nor PostgreSQL has a moment for them. */
function withFormats(ajv: Ajv): Ajv {
  addFormats(ajv);
  const { validate } = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  return ajv.addFormat("date-time", (text) => validate(text) && !Number.isNaN(Date.parse(text)));
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
    validate ??= (part === "body" ? bodyAjv : queryAjv).compile(schema);
    return validate(data) ? [] : describe(validate.errors ?? [], part);
  };
}

function describe(errors: ErrorObject[], part: "body" | "query"): FieldError[] {
  return errors.slice(0, maxReported).map((error) => {
    const pointer = pointerOf(error);
    return { pointer: part === "body" ? pointer : `query${pointer}`, code: error.keyword, ...explain(error) };
  });
}

function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  const member = keyword === "required" ? params.missingProperty : params.additionalProperty;
  return typeof member === "string" ? `${instancePath}/${escapePointer(member)}` : instancePath;
}

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
    case "pattern":
      return { message: "This has a form that is not allowed (no outer blanks, one line)." };
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
