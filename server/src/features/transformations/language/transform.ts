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
  /** A faster version for texts, the most common values; costs `weight`. */
  applyToText: ((text: string, run: Run) => unknown) | undefined;
  weight: number;
  /** Gets missing values. Otherwise they pass unchanged, for `default` and `required`. */
  takesMissing: boolean;
};

/** The environment in which a transform is compiled. */
export type CompileEnv = {
  /** Zone of values without one. */
  timeZone: string;
  /** Reads further paths of the data; a wrong path is reported and reads nothing. */
  reader(path: string, param: string): Reader;
  /** The same, with `@` as an element of the list that the transform gets. */
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
  /** The parameter of the short form: `{"round": 2}` is `{"round": {"digits": 2}}`. */
  main?: string;
  /** `data`: the data that paths in the params read. */
  example: { params?: Static<Params>; from: unknown; to: unknown; data?: object };
  compile(params: Static<Params>, env: CompileEnv): CompiledApply;
};

type Of<Params extends TSchema, Value> = Omit<TransformDefinition<Params>, "compile" | "params" | "findMistakes"> & {
  /** Most transforms have none. */
  params?: Params;
  takesMissing?: boolean;
  /** Cost relative to a plain pass over the text; measured, so that a step takes the same time everywhere. */
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

/** Works on a text; numbers and booleans are converted, and in a list every element is processed. */
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

/** Works on a number or a text that is one; in a list every element is processed. */
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

/** Joins texts without missing and empty ones. Undefined if all are. */
export function joinTexts(parts: readonly unknown[], separator: string, run: Run): string | undefined {
  const texts = parts.filter((part) => !isEmpty(part)).map(toText);
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  chargeBudget(run, texts.length + (length >> 5));
  checkTextLength(length);
  return texts.length === 0 ? undefined : texts.join(separator);
}

/** Applies a list of transforms to a value. A missing value passes most of them unchanged. */
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
