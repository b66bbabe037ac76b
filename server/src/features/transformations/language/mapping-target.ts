import { isPlain } from "../../../core/strict-json.ts";
import type { PathStep } from "../../../core/data-path.ts";
import { parsePath } from "../../../core/data-path.ts";
import { MappingFault, takeRoom } from "./mapping-run.ts";
import type { Run } from "./mapping-run.ts";

type TargetStep = { name: string } | { index: number } | { append: true };
export type Target = TargetStep[];
type Container = Record<string, unknown> | unknown[];
type Output = Record<string, unknown>;
type Writer = (run: Run, output: Output, value: unknown) => void;
/** Where a mapping writes: under `name` in the object at `parents`, or through `write` for other targets. */
export type Place = { parents: string[] | undefined; name: string; room: number; write: Writer };

const maxIndex = 999;

/** Without steps, the members of the value become members of the output. Returns the mistake if it is not a target. */
export function parseTarget(text: string): Target | { code: string; message: string } {
  const refuse = (message: string, code = "target") => ({ code, message });
  const appends = text.trimEnd().endsWith("[]");
  const path = parsePath(appends ? text.trimEnd().slice(0, -2) : text);
  if (typeof path === "string") return refuse(path);
  const steps: TargetStep[] = [];
  for (const step of path.steps) {
    const problem = stepProblem(step);
    if (problem) return refuse(problem.message, problem.code);
    steps.push(step as TargetStep);
  }
  if (steps[0] && !("name" in steps[0])) return refuse("The output is an object: a target starts with a name.");
  if (appends && steps.length === 0) return refuse("[] needs the name of a list before it.");
  return appends ? [...steps, { append: true }] : steps;
}

function stepProblem(step: PathStep): { code: string; message: string } | undefined {
  if ("every" in step) {
    return { code: "target", message: "[*] cannot be written to; make a list with each and mappings, or end in []." };
  }
  if ("index" in step) {
    return step.index >= 0 && step.index <= maxIndex
      ? undefined
      : { code: "target", message: `A position in a target is 0 to ${maxIndex}.` };
  }
  return step.name === "__proto__" ? { code: "forbidden_key", message: "This key is not allowed." } : undefined;
}

/** "maybe": an appended element may be at a named position. */
export function isWithin(inner: Target, outer: Target, how: "surely" | "maybe"): boolean {
  const isSame = (step: TargetStep, other: TargetStep): boolean =>
    JSON.stringify(step) === JSON.stringify(other) || (how === "maybe" && "append" in step && "index" in other);
  return inner.length > outer.length && outer.every((step, i) => isSame(step, inner[i]!));
}

/** `share` returns the same list for equal lists, so that mappings into the same object are detected. */
export function compilePlace(target: Target, share: (parents: string[]) => string[]): Place {
  const names = target.flatMap((step) => ("name" in step ? [step.name] : []));
  const room = target.reduce((sum, step) => sum + ("name" in step ? step.name.length + 4 : 2), 0);
  const parents = names.slice(0, -1);
  const isPlain =
    names.length === target.length && names.length > 0 && !parents.some((name) => name in Object.prototype);
  return {
    parents: isPlain ? share(parents) : undefined,
    name: names.at(-1) ?? "",
    room,
    write: target.length === 0 ? mergeInto : (run, output, value) => writeAt(run, output, target, value),
  };
}

export function writeTo(place: Place, run: Run, output: Output, value: unknown): void {
  takeRoom(run, place.room);
  if (run.parentsOfTarget !== place.parents) findPlace(place, run, output);
  if (place.parents === undefined) place.write(run, output, value);
  else run.targetParent[place.name] = value;
}

function findPlace({ parents }: Place, run: Run, output: Output): void {
  if (parents !== undefined) run.targetParent = findParent(output, parents);
  run.parentsOfTarget = parents;
}

function findParent(output: Output, parents: string[]): Output {
  let container = output;
  for (const name of parents) {
    let child = container[name];
    if (child === undefined || child === null) container[name] = child = {};
    else if (typeof child !== "object" || Array.isArray(child)) throw conflict();
    container = child as Output;
  }
  return container;
}

function writeAt(run: Run, output: Output, target: Target, value: unknown): void {
  const last = target.length - 1;
  let container: Container = output;
  for (let i = 0; i < last; i++) container = descend(run, container, target[i]!, !("name" in target[i + 1]!));
  put(run, container, target[last]!, value);
}

function mergeInto(_run: Run, output: Output, value: unknown): void {
  if (!isPlain(value)) {
    throw new MappingFault("type_mismatch", "Only the members of an object can be put into the output itself.");
  }
  for (const key of Object.keys(value)) output[key] = value[key];
}

function descend(run: Run, container: Container, step: TargetStep, needsList: boolean): Container {
  const existing = childOf(container, step);
  if (existing === undefined || existing === null) {
    const created: Container = needsList ? [] : {};
    put(run, container, step, created);
    return created;
  }
  if (typeof existing !== "object" || Array.isArray(existing) !== needsList) throw conflict();
  return existing as Container;
}

function childOf(container: Container, step: TargetStep): unknown {
  if ("name" in step) {
    if (Array.isArray(container)) throw conflict();
    return Object.hasOwn(container, step.name) ? container[step.name] : undefined;
  }
  if (!Array.isArray(container)) throw conflict();
  return "index" in step ? container[step.index] : undefined;
}

function put(run: Run, container: Container, step: TargetStep, value: unknown): void {
  if ("name" in step) {
    if (Array.isArray(container)) throw conflict();
    container[step.name] = value;
    return;
  }
  if (!Array.isArray(container)) throw conflict();
  if ("append" in step) container.push(value);
  else {
    if (step.index > container.length) takeRoom(run, 8 * (step.index - container.length));
    while (container.length < step.index) container.push(null);
    container[step.index] = value;
  }
}

function conflict(): MappingFault {
  return new MappingFault("target_conflict", "An earlier mapping has put something else at this place.", {
    suggestion: "give the two mappings different targets",
  });
}
