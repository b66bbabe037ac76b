import { startRun } from "./mapping-run.ts";
import type { CompileEnv, TransformDefinition } from "./transform.ts";
import { applyAll } from "./transform.ts";

/** What a transform makes of its example, outside of a mapping: paths, conditions and condition sets cannot be used in it. */
export function exampleOutcome(definition: TransformDefinition): unknown {
  const { params = {}, from } = definition.example;
  const { apply, applyToText, weight, takesMissing } = definition.compile(params, env);
  const step = { name: definition.name, apply, applyToText, weight, takesMissing };
  return applyAll(
    [step],
    structuredClone(from),
    startRun({}, () => new Date("2026-01-01T00:00:00Z")),
  );
}

const unavailable = (): never => {
  throw new Error("an example that reads other data needs the member data");
};

const env: CompileEnv = {
  timeZone: "UTC",
  reader: unavailable,
  readerInside: unavailable,
  conditionInside: unavailable,
  stepsInside: unavailable,
  members: unavailable,
  refuse(param, _code, message) {
    throw new Error(`${param}: ${message}`);
  },
  patterns: { room: 100_000 },
};
