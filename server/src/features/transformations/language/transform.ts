import type { Static, TSchema } from "typebox";
import type { FieldError } from "../../../core/errors.ts";
import { Strict } from "../../../core/schema.ts";
import { createFinder } from "../../../core/validation.ts";
import type { Reader } from "./mapping-path.ts";
import type { Run } from "./mapping-run.ts";
import { checkTextLength, chargeBudget } from "./mapping-run.ts";
import { isEmpty, isMissing, toNumber, toText } from "./mapping-values.ts";

type Apply = (value: unknown, run: Run) => unknown;

export type CompiledTransform = CompiledApply & { name: string };

type CompiledApply = {
  apply: Apply;
  /** Does the same to a text, which most values are, at the price of `weight`. */
  applyToText: ((text: string, run: Run) => unknown) | undefined;
  weight: number;
  /** Otherwise a missing value passes by untouched, for `default` and `required` to see. */
  takesMissing: boolean;
};

/** What a transform may ask for while it is compiled. */
export type CompileEnv = {
  /** Of whatever says none itself. */
  timeZone: string;
  /** Reads further places of the data; a wrong path is reported and reads nothing. */
  reader(path: string, param: string): Reader;
  /** The same where `@` is an element of the list that the transform is given. */
  readerInside(path: string, param: string): Reader;
  conditionInside(condition: unknown, param: string): (run: Run) => boolean;
  stepsInside(transforms: unknown, param: string): CompiledTransform[];
  /** Membership in a condition set; an unknown one is reported. */
  members(set: string, param: string): (value: string) => boolean;
  refuse(param: string, code: string, message: string): void;
  /** Regular expressions of one mapping share a budget, since compiling them costs time too. */
  patterns: { room: number };
};

export type TransformDefinition<Params extends TSchema = TSchema> = {
  name: string;
  text: string;
  params: Params;
  findMistakes(params: unknown): FieldError[];
  /** The parameter that may stand alone: `{"round": 2}` is `{"round": {"digits": 2}}`. */
  main?: string;
  /** `data` is what paths in the params read from. */
  example: { params?: Static<Params>; from: unknown; to: unknown; data?: object };
  compile(params: Static<Params>, env: CompileEnv): CompiledApply;
};

type Of<Params extends TSchema, Value> = Omit<TransformDefinition<Params>, "compile" | "params" | "findMistakes"> & {
  /** Most take none. */
  params?: Params;
  takesMissing?: boolean;
  /** How much more than a plain pass over the text it costs; measured, so that a step is a step everywhere. */
  weight?: number;
  compile(params: Static<Params>, env: CompileEnv): (value: Value, run: Run) => unknown;
};

const noParams = Strict({});

export function defineTransform<Params extends TSchema>(definition: Of<Params, unknown>): TransformDefinition {
  const { params = noParams, weight = 1, takesMissing = false } = definition;
  return {
    ...definition,
    params,
    findMistakes: createFinder(params, "body"),
    compile: (given: Static<Params>, env) => ({
      apply: definition.compile(given, env),
      applyToText: undefined,
      weight,
      takesMissing,
    }),
  };
}

/** Works on a text; numbers and booleans are written out, and in a list every element is done. */
export function textTransform<Params extends TSchema>(definition: Of<Params, string>): TransformDefinition {
  const { params = noParams, weight = 1 } = definition;
  return {
    ...definition,
    params,
    findMistakes: createFinder(params, "body"),
    compile(given: Static<Params>, env) {
      const applyToText = definition.compile(given, env);
      const one: Apply = (value, run) => {
        const text = toText(value);
        payForText(run, text, weight);
        return applyToText(text, run);
      };
      const apply: Apply = (value, run) => (Array.isArray(value) ? overEach(value, run, one) : one(value, run));
      return { apply, applyToText, weight, takesMissing: false };
    },
  };
}

function payForText(run: Run, text: string, weight: number): void {
  chargeBudget(run, weight + ((text.length * weight) >> 5));
}

/** Works on a number or a text that is one; in a list every element is done. */
export function numberTransform<Params extends TSchema>(definition: Of<Params, number>): TransformDefinition {
  const { weight = 1 } = definition;
  return defineTransform({
    ...definition,
    compile(params, env) {
      const calculate = definition.compile(params, env);
      const one: Apply = (value, run) => {
        chargeBudget(run, weight);
        return calculate(toNumber(value), run);
      };
      return (value, run) => (Array.isArray(value) ? overEach(value, run, one) : one(value, run));
    },
  });
}

/** Works on a list; anything else counts as a list of one. Must not change the list it gets. */
export function listTransform<Params extends TSchema>(definition: Of<Params, readonly unknown[]>): TransformDefinition {
  return defineTransform({
    ...definition,
    compile(params, env) {
      const apply = definition.compile(params, env);
      return (value, run) => {
        const list: readonly unknown[] = Array.isArray(value) ? value : [value];
        chargeBudget(run, 1 + list.length);
        return apply(list, run);
      };
    },
  });
}

/** One text of several; what is missing or empty is left out. Undefined: all of it is. */
export function joinTexts(parts: readonly unknown[], separator: string, run: Run): string | undefined {
  const texts = parts.filter((part) => !isEmpty(part)).map(toText);
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  chargeBudget(run, texts.length + (length >> 5));
  checkTextLength(length);
  return texts.length === 0 ? undefined : texts.join(separator);
}

/** What a list of transforms makes of a value. A missing one passes most of them untouched. */
export function applyAll(transforms: CompiledTransform[], from: unknown, run: Run): unknown {
  let value = from;
  for (let i = 0; i < transforms.length; i++) {
    const transform = transforms[i]!;
    if (typeof value === "string" && transform.applyToText !== undefined) {
      const { weight } = transform;
      chargeBudget(run, 1 + weight + ((value.length * weight) >> 5));
      value = transform.applyToText(value, run);
    } else if (transform.takesMissing || !isMissing(value)) {
      chargeBudget(run, 1);
      value = transform.apply(value, run);
    }
  }
  return value;
}

function overEach(list: unknown[], run: Run, one: Apply): unknown[] {
  chargeBudget(run, list.length);
  return list.map((element) => (isMissing(element) ? element : one(element, run)));
}
