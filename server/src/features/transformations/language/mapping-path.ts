import { isPlain } from "../../../core/strict-json.ts";
import type { Run } from "./mapping-run.ts";
import { MappingFault, spend } from "./mapping-run.ts";

export type PathStep = { name: string } | { index: number } | { every: true };
/** `$`: the whole data; `@`: the element of the `each` around, which outside of one is the whole data too. */
export type Path = { from: "$" | "@"; steps: PathStep[] };
export type Reader = (run: Run) => unknown;

const maxPathLength = 500;
const maxSteps = 32;
const stepShape =
  /\.?\[\s*(?:(-?\d{1,6})|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]|(?:^|\.)([^.[\]'"\s][^.[\]]*)/y;

/** Returns what is wrong when it is not a path. */
export function parsePath(text: string): Path | string {
  if (text.length > maxPathLength) return `A path has at most ${maxPathLength} characters.`;
  const trimmed = text.trim();
  if (trimmed === "") return "A path must not be empty.";
  const isRooted = /^[$@](?=[.[]|$)/.test(trimmed);
  const from = trimmed.startsWith("$") && isRooted ? "$" : "@";
  const rest = isRooted ? trimmed.slice(1) : trimmed;
  const steps: PathStep[] = [];
  let position = 0;
  while (position < rest.length) {
    stepShape.lastIndex = position;
    const found = stepShape.exec(rest);
    if (!found) return `This is not understood from character ${position + trimmed.length - rest.length + 1} on.`;
    position = stepShape.lastIndex;
    const [, index, every, single, double, name] = found;
    if (index !== undefined) steps.push({ index: Number(index) });
    else if (every !== undefined) steps.push({ every: true });
    else steps.push({ name: name === undefined ? unescape(single ?? double ?? "") : name.trimEnd() });
  }
  return steps.length > maxSteps ? `A path has at most ${maxSteps} steps.` : { from, steps };
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, "$1");
}

export function showPath({ from, steps }: Path): string {
  return from + steps.map(showStep).join("");
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
export function compileReader({ from, steps }: Path): Reader {
  const firstEvery = steps.findIndex((step) => "every" in step);
  if (firstEvery === -1) return compilePlain({ from, steps });
  const list = compilePlain({ from, steps: steps.slice(0, firstEvery) });
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
  const { from, steps } = path;
  return (run) => {
    let value = from === "$" ? run.root : run.item;
    for (let i = 0; i < steps.length && value !== undefined; i++) value = stepInto(value, steps[i]!);
    return value;
  };
}

export type Key = string | number;

/** Names that no object inherits, and positions: what most paths are made of. Undefined: there is something else in it. */
export function plainKeys({ steps }: Path): Key[] | undefined {
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
