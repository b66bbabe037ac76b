import { isPlain } from "../../../core/strict-json.ts";
import type { CompiledElement, CompiledMapping } from "./compile-mapping.ts";
import type { Key } from "../../../core/data-path.ts";
import { readKeys } from "../../../core/data-path.ts";
import type { Reader } from "./mapping-path.ts";
import { elementsOf } from "./mapping-path.ts";
import type { MappingStatus, Problem, Run } from "./mapping-run.ts";
import {
  copyOf,
  enterList,
  keepElements,
  leaveList,
  mappingLimits,
  MappingFault,
  nowhere,
  chargeBudget,
  enterElement,
  startRun,
  takeRoom,
  takeRoomFor,
} from "./mapping-run.ts";
import { writeTo } from "./mapping-target.ts";
import { isEmpty, isMissing, toText } from "./mapping-values.ts";
import { applyAll } from "./transform.ts";

export type MappingOutput = Record<string, unknown>;
export type MappingResult = { ok: true; output: MappingOutput } | { ok: false; errors: Problem[] };

const systemNow = (): Date => new Date();

/** Never throws and always ends, for any mapping and data. The data is not changed. */
export function runMapping({ elements }: CompiledMapping, data: unknown, now = systemNow): MappingResult {
  const run = startRun(data, now);
  const output = elements.length === 0 && isPlain(data) ? passThrough(run, data) : {};
  runAll(elements, run, output);
  return run.problems.length === 0 ? { ok: true, output } : { ok: false, errors: run.problems };
}

/** Without mappings the data passes unchanged, within the usual output limits. */
export function passThrough(run: Run, data: MappingOutput): MappingOutput {
  try {
    takeRoomFor(run, data);
    return data;
  } catch (error) {
    run.problems.push(finalProblem(error));
    return {};
  }
}

/** Fills the output until a limit is reached. */
export function runAll(elements: CompiledElement[], run: Run, output: MappingOutput): void {
  try {
    runElements(elements, run, output);
  } catch (error) {
    run.problems.push(finalProblem(error));
  }
}

function finalProblem(error: unknown): Problem {
  const place = { index: -1, target: "", path: "/mappings" };
  if (error instanceof MappingFault) return { ...place, code: error.code, message: error.message };
  // The stack ran out on data nested deeper than any JSON we accept.
  if (error instanceof RangeError) return { ...place, code: "too_deep", message: "The data is nested too deep." };
  return { ...place, code: "mapping_failed", message: "The mapping failed on this data in a way it should not." };
}

function runElements(elements: CompiledElement[], run: Run, output: MappingOutput): void {
  chargeBudget(run, elements.length);
  const { frame } = run;
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i]!;
    try {
      runElement(element, run, output);
    } catch (error) {
      if (!(error instanceof MappingFault) || error.isFinal) throw error;
      while (run.frame !== frame) leaveList(run);
      settle(element, run, output, error);
    }
  }
}

/** Handles the common cases; rare ones are in other functions, so that the engine can inline this one. */
function runElement(element: CompiledElement, run: Run, output: MappingOutput): void {
  if (element.when !== undefined && !element.when(run)) {
    return run.observe?.({
      element,
      status: "skipped",
      from: undefined,
      to: undefined,
      isMissing: false,
      isUnmet: true,
    });
  }
  const from = readSource(element, run);
  const { transforms, inner, convert } = element;
  let value = transforms.length === 0 ? from : applyAll(transforms, from, run);
  if (isMissing(value)) return runMissing(element, run, output, from, value);
  // The output of an `each` is counted while it is built.
  if (inner !== undefined) value = mapEach(element, inner, value, run);
  else {
    if (convert !== undefined) value = convert(value);
    takeRoomFor(run, value);
  }
  writeTo(element.place, run, output, element.isCopied ? copyOf(value) : value);
  if (run.observe !== undefined) observe(run, element, "mapped", from, value);
}

function runMissing(
  element: CompiledElement,
  run: Run,
  output: MappingOutput,
  from: unknown,
  missing: undefined | null,
): void {
  const instead = element.default;
  if (instead === undefined && element.isRequired) {
    throw new MappingFault("required", "The value is needed and missing.", {
      suggestion: "correct the source, or give a default",
    });
  }
  if (instead === undefined && missing === undefined) return observe(run, element, "skipped", from, undefined);
  const value = instead === undefined ? missing : instead();
  takeRoomFor(run, value);
  writeTo(element.place, run, output, element.isCopied ? copyOf(value) : value);
  observe(run, element, instead === undefined ? "mapped" : "defaulted", from, value);
}

function observe(run: Run, element: CompiledElement, status: MappingStatus, from: unknown, to: unknown): void {
  run.observe?.({ element, status, from, to, isMissing: from === undefined });
}

function readSource(element: CompiledElement, run: Run): unknown {
  const { parents } = element;
  if (!parents) return element.read(run);
  if (run.parentsOfSource !== parents) findSource(element, run, parents);
  return run.sourceParent[element.key];
}

function findSource(element: CompiledElement, run: Run, parents: Key[]): void {
  const found = readKeys(element.isFromRoot ? run.root : run.item, parents);
  run.sourceParent = isPlain(found) ? found : nowhere;
  run.parentsOfSource = parents;
}

function mapEach(element: CompiledElement, inner: CompiledElement[], value: unknown, run: Run): MappingOutput[] {
  let elements = elementsOf(value);
  const frame = enterList(run, elements, element.owners?.(run));
  if (element.where !== undefined) elements = keepElements(run, elements, element.where);
  if (element.groupBy !== undefined) {
    const groups = groupElements(run, elements, element.groupBy);
    frame.groups = groups;
    elements = groups.map((group) => group[0]);
  }
  frame.elements = elements;
  const made: MappingOutput[] = [];
  for (let i = 0; i < elements.length; i++) {
    chargeBudget(run, 1);
    takeRoom(run, 3);
    enterElement(run, i, elements[i]);
    const output: MappingOutput = {};
    runElements(inner, run, output);
    made.push(output);
  }
  leaveList(run);
  return made;
}

/** In the order of the first element of each group. 7 and "7" are equal, since files differ in how they write numbers. */
function groupElements(run: Run, elements: readonly unknown[], keys: Reader[]): unknown[][] {
  const groups = new Map<string, unknown[]>();
  for (let i = 0; i < elements.length; i++) {
    enterElement(run, i, elements[i]);
    const values = keys.map((read) => read(run));
    if (values.some(isEmpty)) {
      throw new MappingFault("group_key_missing", `Element ${i} has nothing to be grouped by.`, {
        suggestion: 'leave such elements out with where, such as {"path": "@.order", "op": "not_empty"}',
      });
    }
    const texts = values.map(toText);
    const key = texts.length === 1 ? texts[0]! : JSON.stringify(texts);
    chargeBudget(run, 2 + (key.length >> 3));
    const group = groups.get(key);
    if (group) group.push(elements[i]);
    else groups.set(key, [elements[i]]);
  }
  return [...groups.values()];
}

/** Handles a fault as `onError` says; otherwise it becomes an error of the run. */
function settle(element: CompiledElement, run: Run, output: MappingOutput, fault: MappingFault): void {
  // Creating a fault costs more than a step.
  chargeBudget(run, 30);
  const { onError } = element;
  if (onError !== "fail") {
    const status = onError === "skip" ? "skipped" : "defaulted";
    const to = onError === "skip" ? undefined : onError === "null" ? null : element.default!();
    try {
      if (onError !== "skip") {
        takeRoomFor(run, to);
        writeTo(element.place, run, output, to);
      }
      run.observe?.({ element, status, from: undefined, to, isMissing: false, fault });
      return;
    } catch (error) {
      if (!(error instanceof MappingFault) || error.isFinal) throw error;
    }
  }
  run.observe?.({ element, status: "error", from: undefined, to: undefined, isMissing: false, fault });
  if (run.problems.length < mappingLimits.errors) run.problems.push(problemOf(element, run, fault));
}

function problemOf({ index, target, pointer }: CompiledElement, run: Run, fault: MappingFault): Problem {
  const { code, message, suggestion, value } = fault;
  const item = run.frame?.position;
  return {
    index,
    target,
    path: pointer,
    code,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(value === undefined ? {} : { value }),
    ...(item === undefined ? {} : { item }),
  };
}
