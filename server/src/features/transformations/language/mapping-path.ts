import type { Path, PathStep } from "../../../core/data-path.ts";
import { plainKeys, readKeys, stepInto } from "../../../core/data-path.ts";
import type { Run } from "./mapping-run.ts";
import { frameAt, MappingFault, nowOf, ownerOf, chargeBudget } from "./mapping-run.ts";

export type Reader = (run: Run) => unknown;

/** Undefined if the value is missing, also if no element of a list has it. */
export function compileReader(path: Path): Reader {
  const { steps } = path;
  const firstEvery = steps.findIndex((step) => "every" in step);
  if (firstEvery === -1) return compilePlain(path);
  const list = compilePlain({ ...path, steps: steps.slice(0, firstEvery) });
  const rest = steps.slice(firstEvery + 1);
  return (run) => {
    const elements = list(run);
    if (!Array.isArray(elements)) return undefined;
    if (rest.length === 0) return elements.slice();
    const found: unknown[] = [];
    collect(run, elements, rest, 0, found);
    return found.length === 0 && elements.length > 0 ? undefined : found;
  };
}

function compilePlain(path: Path): Reader {
  const keys = plainKeys(path);
  if (keys) return path.from === "$" ? (run) => readKeys(run.root, keys) : (run) => readKeys(run.item, keys);
  const { steps } = path;
  const start = startOf(path);
  return (run) => {
    let value = start(run);
    for (let i = 0; i < steps.length && value !== undefined; i++) value = stepInto(value, steps[i]!);
    return value;
  };
}

/** Reads the start of a path. */
export function startOf({ from, up, call }: Path): Reader {
  switch (call) {
    case "now":
      return nowOf;
    case "index":
      return (run) => frameAt(run, up)?.position;
    case "number":
      return (run) => (frameAt(run, up)?.position ?? -1) + 1;
    case "count":
      return (run) => frameAt(run, up)?.elements.length;
    case "group":
      return (run) => {
        const frame = frameAt(run, up);
        return frame?.groups?.[frame.position];
      };
    default:
      if (from === "^") return (run) => ownerOf(run, up);
      return from === "$" ? (run) => run.root : (run) => run.item;
  }
}

/** For each element of a nested list, the element of the outer list that contains it. */
export function compileOwners(path: Path): ((run: Run) => Map<unknown, unknown>) | undefined {
  const { steps } = path;
  if (!steps.slice(0, -1).some((step) => "every" in step)) return undefined;
  const start = startOf(path);
  return (run) => {
    const owners = new Map<unknown, unknown>();
    noteOwners(run, start(run), steps, 0, undefined, owners);
    return owners;
  };
}

function noteOwners(
  run: Run,
  from: unknown,
  steps: PathStep[],
  at: number,
  owner: unknown,
  owners: Map<unknown, unknown>,
): void {
  let value = from;
  for (let i = at; i < steps.length && value !== undefined; i++) {
    const step = steps[i]!;
    if ("every" in step) {
      if (!Array.isArray(value)) return;
      chargeBudget(run, 2 * value.length);
      for (const element of value as unknown[]) {
        if (owner !== undefined) owners.set(element, owner);
        noteOwners(run, element, steps, i + 1, element, owners);
      }
      return;
    }
    value = stepInto(value, step);
  }
  // The element itself was recorded with its list.
  if (value !== from && owner !== undefined) owners.set(value, owner);
}

function collect(run: Run, elements: unknown[], steps: PathStep[], at: number, found: unknown[]): void {
  chargeBudget(run, 1 + elements.length);
  for (const element of elements) {
    let value: unknown = element;
    let i = at;
    for (; i < steps.length && value !== undefined && !("every" in steps[i]!); i++) value = stepInto(value, steps[i]!);
    if (value === undefined) continue;
    if (i === steps.length) found.push(value);
    else if (Array.isArray(value)) {
      if (i + 1 === steps.length) for (const inner of value as unknown[]) found.push(inner);
      else collect(run, value, steps, i + 1, found);
      chargeBudget(run, value.length);
    }
  }
}

/** The elements of an `each`. A single value counts as a list of one, as in data converted from XML. */
export function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value === "object") return [value];
  throw new MappingFault("type_mismatch", `each needs a list, not ${JSON.stringify(value)?.slice(0, 50)}.`);
}
