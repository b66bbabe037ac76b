import type { SetLookup } from "../../../core/conditions.ts";
import { escapePointer } from "../../../core/strict-json.ts";
import type { Holds } from "./compile-condition-on-data.ts";
import type { Reader } from "./mapping-path.ts";
import { copyOf, mappingLimits } from "./mapping-run.ts";
import type { Scope } from "./mapping-scope.ts";
import { insideValue } from "./mapping-scope.ts";
import type { MappingElement, Refuse } from "./normalise-mapping.ts";
import { normaliseTransform } from "./normalise-mapping.ts";
import type { CompiledTransform, CompileEnv } from "./transform.ts";
import { transformsByName } from "./transform-catalog.ts";

type Job = {
  sets: SetLookup;
  timeZone: string;
  patterns: { room: number };
  refuse: Refuse;
  scope: Scope;
  reader(path: string, at: string, scope: Scope): Reader;
  condition(condition: unknown, at: string, scope: Scope): Holds;
};

/** Also replaces the transforms of the element by their long form. */
export function compileTransforms(element: MappingElement, job: Job): CompiledTransform[] {
  if (element.transforms === undefined) return [];
  const { compiled, stored } = compileSteps(element.transforms, job, "/transforms", job.scope);
  element.transforms = stored;
  return compiled;
}

type Stored = (string | Record<string, unknown>)[];

function compileSteps(
  list: unknown,
  job: Job,
  pointer: string,
  scope: Scope,
): { compiled: CompiledTransform[]; stored: Stored } {
  const { refuse } = job;
  const stored: Stored = [];
  const compiled: CompiledTransform[] = [];
  if (!Array.isArray(list) || list.length > mappingLimits.transformsPerMapping) {
    refuse(pointer, "type", `Transforms are a list of at most ${mappingLimits.transformsPerMapping}.`);
    return { compiled, stored };
  }
  for (const [i, raw] of list.entries()) {
    const at = `${pointer}/${i}`;
    const named = normaliseTransform(raw, (below, code, message, more) => refuse(at + below, code, message, more));
    if (!named) continue;
    const { name, params } = named;
    const definition = transformsByName.get(name)!;
    const below = `${at}/${escapePointer(name)}`;
    const errors = definition.findMistakes(params);
    for (const { pointer: inside, code, message, ...more } of errors) refuse(below + inside, code, message, more);
    if (errors.length > 0) continue;
    stored.push(Object.keys(params).length === 0 ? name : { [name]: copyOf(params) });
    const { apply, applyToText, weight, takesMissing } = definition.compile(params, envOf(job, below, scope));
    // One shape for all, because it is read fastest.
    compiled.push({ apply, applyToText, weight, takesMissing, name });
  }
  return { compiled, stored };
}

function envOf(job: Job, below: string, scope: Scope): CompileEnv {
  const { refuse } = job;
  const inside = insideValue(scope);
  return {
    timeZone: job.timeZone,
    patterns: job.patterns,
    reader: (path, param) => job.reader(path, `${below}/${param}`, scope),
    readerInside: (path, param) => job.reader(path, `${below}/${param}`, inside),
    conditionInside: (condition, param) => job.condition(condition, `${below}/${param}`, inside),
    stepsInside(list, param) {
      const at = `${below}/${param}`;
      if (inside.lists.length <= mappingLimits.depth) return compileSteps(list, job, at, inside).compiled;
      refuse(at, "too_deep", `Lists within lists go at most ${mappingLimits.depth} deep.`);
      return [];
    },
    refuse: (param, code, message) => refuse(`${below}/${param}`, code, message),
    members(set, param) {
      const has = job.sets(set);
      if (!has) refuse(`${below}/${param}`, "value", "There is no condition set with this id or name.");
      return has ?? (() => false);
    },
  };
}
