import { isPlain } from "./strict-json.ts";

export type PathStep = { name: string } | { index: number } | { every: true };
const calls = ["now", "index", "number", "count", "group"] as const;
/**
 * `$`: the whole data; `@`: the element of the `each` around, which outside of one is the whole data too; `^`: what that
 * element was found in, `^^` what that was found in. A call begins with something that is not in the data itself.
 */
export type Path = { from: "$" | "@" | "^"; up: number; call: (typeof calls)[number] | undefined; steps: PathStep[] };

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

export function stepInto(value: unknown, step: PathStep): unknown {
  if ("name" in step) return memberOf(value, step.name);
  return "index" in step && Array.isArray(value) ? (value as unknown[]).at(step.index) : undefined;
}
