import { isPlain } from "../../../core/strict-json.ts";
import type { Run } from "./mapping-run.ts";
import { frameAt, MappingFault, nowOf, ownerOf, spend } from "./mapping-run.ts";

export type PathStep = { name: string } | { index: number } | { every: true };
const calls = ["now", "index", "number", "count", "group"] as const;
/**
 * `$`: the whole data; `@`: the element of the `each` around, which outside of one is the whole data too; `^`: what that
 * element was found in, `^^` what that was found in. A call begins with something that is not in the data itself.
 */
export type Path = { from: "$" | "@" | "^"; up: number; call: (typeof calls)[number] | undefined; steps: PathStep[] };
export type Reader = (run: Run) => unknown;

const maxPathLength = 500;
const maxSteps = 32;
const startShape = /^(\$|@|\^{1,9})(?:([a-z]{1,20})\(\))?(?=[.[]|$)/;
const stepShape =
  /\.?\[\s*(?:(-?\d{1,6})|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]|(?:^|\.)([^.[\]'"\s][^.[\]]*)/y;

const loneStar =
  "A * alone names nothing: write items[*].sku for every element of a list, or ['*'] for a member of that name.";

/** Returns what is wrong when it is not a path. */
export function parsePath(text: string): Path | string {
  if (text.length > maxPathLength) return `A path has at most ${maxPathLength} characters.`;
  const trimmed = text.trim();
  if (trimmed === "") return "A path must not be empty.";
  const [start = "", scope = "@", call] = startShape.exec(trimmed) ?? [];
  const wrong = call === undefined ? undefined : callProblem(scope, call);
  if (wrong !== undefined) return wrong;
  const from = scope.startsWith("^") ? "^" : (scope as "$" | "@");
  const rest = trimmed.slice(start.length);
  const steps: PathStep[] = [];
  let position = 0;
  while (position < rest.length) {
    stepShape.lastIndex = position;
    const found = stepShape.exec(rest);
    if (found?.[5] !== undefined && /^\*+\s*$/.test(found[5])) return loneStar;
    if (!found) return `This is not understood from character ${position + trimmed.length - rest.length + 1} on.`;
    position = stepShape.lastIndex;
    const [, index, every, single, double, name] = found;
    if (index !== undefined) steps.push({ index: Number(index) });
    else if (every !== undefined) steps.push({ every: true });
    else steps.push({ name: name === undefined ? unescape(single ?? double ?? "") : name.trimEnd() });
  }
  if (steps.length > maxSteps) return `A path has at most ${maxSteps} steps.`;
  return { from, up: from === "^" ? scope.length : 0, call: call as Path["call"], steps };
}

function callProblem(scope: string, call: string): string | undefined {
  const allowed = scope === "$" ? ["now"] : calls.filter((name) => name !== "now");
  if (allowed.includes(call)) return undefined;
  return `There is no ${scope}${call}(); there is ${allowed.map((name) => `${scope}${name}()`).join(", ")}.`;
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, "$1");
}

export function showPath({ from, up, call, steps }: Path): string {
  const scope = from === "^" ? "^".repeat(up) : from;
  return scope + (call === undefined ? "" : `${call}()`) + steps.map(showStep).join("");
}

/** A path of names, positions and lists only. */
export function plainPath(from: "$" | "@", steps: PathStep[]): Path {
  return { from, up: 0, call: undefined, steps };
}

export function showStep(step: PathStep): string {
  if ("every" in step) return "[*]";
  if ("index" in step) return `[${step.index}]`;
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step.name)
    ? `.${step.name}`
    : `['${step.name.replaceAll(/['\\]/g, "\\$&")}']`;
}

/** Own members of objects only: nothing inherited can be reached. */
export function memberOf(value: unknown, name: string): unknown {
  return isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Missing is undefined; a list with elements none of which has what is asked for is missing too. */
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

/** What a path begins with. */
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

/** For each element that lists within lists lead to, the element of the list before that it is in. */
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
      spend(run, 2 * value.length);
      for (const element of value as unknown[]) {
        if (owner !== undefined) owners.set(element, owner);
        noteOwners(run, element, steps, i + 1, element, owners);
      }
      return;
    }
    value = stepInto(value, step);
  }
  // The element itself was noted with its list.
  if (value !== from && owner !== undefined) owners.set(value, owner);
}

export type Key = string | number;

/** Names that no object inherits, and positions: what most paths are made of. Undefined: there is something else in it. */
export function plainKeys({ from, call, steps }: Path): Key[] | undefined {
  if (from === "^" || call !== undefined) return undefined;
  const keys = steps.map((step) => ("name" in step ? step.name : "index" in step ? step.index : undefined));
  const isOwn = (key: Key | undefined): key is Key => key !== undefined && !(key in Object.prototype);
  return keys.every(isOwn) ? keys : undefined;
}

export function readKeys(start: unknown, keys: readonly Key[]): unknown {
  let value = start;
  for (let i = 0; i < keys.length; i++) value = readKey(value, keys[i]!);
  return value;
}

/** Whatever is found under such a name is the object's own. */
function readKey(value: unknown, key: Key): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === "number" ? (value as unknown[]).at(key) : undefined;
  return typeof key === "string" ? (value as Record<string, unknown>)[key] : undefined;
}

function stepInto(value: unknown, step: PathStep): unknown {
  if ("name" in step) return memberOf(value, step.name);
  return "index" in step && Array.isArray(value) ? (value as unknown[]).at(step.index) : undefined;
}

function collect(run: Run, elements: unknown[], steps: PathStep[], at: number, found: unknown[]): void {
  spend(run, 1 + elements.length);
  for (const element of elements) {
    let value: unknown = element;
    let i = at;
    for (; i < steps.length && value !== undefined && !("every" in steps[i]!); i++) value = stepInto(value, steps[i]!);
    if (value === undefined) continue;
    if (i === steps.length) found.push(value);
    else if (Array.isArray(value)) {
      if (i + 1 === steps.length) for (const inner of value as unknown[]) found.push(inner);
      else collect(run, value, steps, i + 1, found);
      spend(run, value.length);
    }
  }
}

/** The elements an `each` goes over. A single thing counts as a list of one, as XML-born data has it. */
export function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value === "object") return [value];
  throw new MappingFault("type_mismatch", `each needs a list, not ${JSON.stringify(value)?.slice(0, 50)}.`);
}
