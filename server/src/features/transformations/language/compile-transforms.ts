import type { SetLookup } from "../../../core/conditions.ts";
import { escapePointer } from "../../../core/strict-json.ts";
import type { Reader } from "./mapping-path.ts";
import { copyOf, mappingLimits } from "./mapping-run.ts";
import type { MappingElement, Refuse } from "./normalise-mapping.ts";
import { normaliseTransform } from "./normalise-mapping.ts";
import type { CompiledTransform, CompileEnv } from "./transform.ts";
import { transformsByName } from "./transform-catalog.ts";

type Job = { sets: SetLookup; patterns: { room: number } };
type ReaderFor = (path: string, at: string) => Reader;

/** Also writes the transforms of the element out in their long form. */
export function compileTransforms(
  element: MappingElement,
  job: Job,
  refuse: Refuse,
  readerFor: ReaderFor,
): CompiledTransform[] {
  const list: unknown = element.transforms;
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > mappingLimits.transformsPerMapping) {
    refuse("/transforms", "type", `Transforms are a list of at most ${mappingLimits.transformsPerMapping}.`);
    return [];
  }
  const stored: (string | Record<string, unknown>)[] = [];
  const compiled: CompiledTransform[] = [];
  for (const [i, raw] of list.entries()) {
    const at = `/transforms/${i}`;
    const named = normaliseTransform(raw, (below, code, message, more) => refuse(at + below, code, message, more));
    if (!named) continue;
    const { name, params } = named;
    const definition = transformsByName.get(name)!;
    const below = `${at}/${escapePointer(name)}`;
    const errors = definition.findMistakes(params);
    for (const { pointer, code, message, ...more } of errors) refuse(below + pointer, code, message, more);
    if (errors.length > 0) continue;
    stored.push(Object.keys(params).length === 0 ? name : { [name]: copyOf(params) });
    compiled.push(definition.compile(params, envOf(job, refuse, readerFor, below)));
  }
  element.transforms = stored;
  return compiled;
}

function envOf(job: Job, refuse: Refuse, readerFor: ReaderFor, below: string): CompileEnv {
  return {
    patterns: job.patterns,
    reader: (path, param) => readerFor(path, `${below}/${param}`),
    refuse: (param, code, message) => refuse(`${below}/${param}`, code, message),
    members(set, param) {
      const has = job.sets(set);
      if (!has) refuse(`${below}/${param}`, "value", "There is no condition set with this id or name.");
      return has ?? (() => false);
    },
  };
}
