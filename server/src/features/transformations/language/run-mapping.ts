import type { CompiledElement, CompiledMapping } from "./compile-mapping.ts";
import { elementsOf } from "./mapping-path.ts";
import type { MappingStatus, Problem, Run } from "./mapping-run.ts";
import { copyOf, mappingLimits, MappingFault, spend, startRun, takeRoom, takeRoomFor } from "./mapping-run.ts";
import { isMissing } from "./mapping-values.ts";
import { isPlain } from "./normalise-mapping.ts";

export type MappingOutput = Record<string, unknown>;
export type MappingResult = { ok: true; output: MappingOutput } | { ok: false; errors: Problem[] };

/** Never throws and always ends, whatever the mapping and the data are. The data is not changed. */
export function runMapping({ elements }: CompiledMapping, data: unknown): MappingResult {
  if (elements.length === 0 && isPlain(data)) return { ok: true, output: data };
  const run = startRun(data);
  const output: MappingOutput = {};
  runAll(elements, run, output);
  return run.problems.length === 0 ? { ok: true, output } : { ok: false, errors: run.problems };
}

/** Fills the output as far as it comes. */
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
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i]!;
    spend(run, 1);
    try {
      runElement(element, run, output);
    } catch (error) {
      if (!(error instanceof MappingFault) || error.isFinal) throw error;
      settle(element, run, output, error);
    }
  }
}

function runElement(element: CompiledElement, run: Run, output: MappingOutput): void {
  if (element.when !== undefined && !element.when(run)) {
    run.observe?.({ element, status: "skipped", from: undefined, to: undefined, isMissing: false });
    return;
  }
  const from = element.read(run);
  let value = from;
  const { transforms } = element;
  for (let i = 0; i < transforms.length; i++) {
    const transform = transforms[i]!;
    if (transform.takesMissing || !isMissing(value)) {
      spend(run, 1);
      value = transform.apply(value, run);
    }
  }
  let status: MappingStatus = "mapped";
  if (isMissing(value)) {
    if (element.default !== undefined) {
      value = element.default();
      status = "defaulted";
    } else if (element.isRequired) {
      throw new MappingFault("required", "The value is needed and missing.", {
        suggestion: "correct the source, or give a default",
      });
    } else if (value === undefined) {
      run.observe?.({ element, status: "skipped", from, to: undefined, isMissing: from === undefined });
      return;
    }
  } else if (element.inner) value = mapEach(element.inner, value, run);
  else if (element.convert) value = element.convert(value);
  // What an `each` makes was counted while it was made.
  if (!element.inner || status === "defaulted") takeRoomFor(run, value);
  element.write(run, output, element.isCopied ? copyOf(value) : value);
  run.observe?.({ element, status, from, to: value, isMissing: from === undefined });
}

function mapEach(inner: CompiledElement[], value: unknown, run: Run): MappingOutput[] {
  const elements = elementsOf(value);
  const { item } = run;
  const made: MappingOutput[] = [];
  run.positions.push(0);
  for (let i = 0; i < elements.length; i++) {
    spend(run, 1);
    takeRoom(run, 3);
    run.item = elements[i];
    run.positions[run.positions.length - 1] = i;
    const output: MappingOutput = {};
    runElements(inner, run, output);
    made.push(output);
  }
  run.positions.pop();
  run.item = item;
  return made;
}

/** What `onError` says about a fault; when nothing helps it becomes an error of the run. */
function settle(element: CompiledElement, run: Run, output: MappingOutput, fault: MappingFault): void {
  // Making a fault costs more than a step.
  spend(run, 30);
  const { onError } = element;
  if (onError !== "fail") {
    const status = onError === "skip" ? "skipped" : "defaulted";
    const to = onError === "skip" ? undefined : onError === "null" ? null : element.default!();
    try {
      if (onError !== "skip") {
        takeRoomFor(run, to);
        element.write(run, output, to);
      }
      run.observe?.({ element, status, from: undefined, to, isMissing: false, settled: fault });
      return;
    } catch (error) {
      if (!(error instanceof MappingFault) || error.isFinal) throw error;
    }
  }
  run.observe?.({ element, status: "error", from: undefined, to: undefined, isMissing: false });
  if (run.problems.length < mappingLimits.errors) run.problems.push(problemOf(element, run, fault));
}

function problemOf({ index, target, pointer }: CompiledElement, run: Run, fault: MappingFault): Problem {
  const { code, message, suggestion } = fault;
  const item = run.positions.at(-1);
  return {
    index,
    target,
    path: pointer,
    code,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(item === undefined ? {} : { item }),
  };
}
