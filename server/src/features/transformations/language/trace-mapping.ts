import { cutText } from "../../../core/cut-text.ts";
import { isPlain } from "../../../core/strict-json.ts";
import type { CompiledElement, CompiledMapping, Read } from "./compile-mapping.ts";
import type { Run, Seen } from "./mapping-run.ts";
import { positionsOf, startRun } from "./mapping-run.ts";
import { insideEach, namesOf } from "./mapping-scope.ts";
import { parseTarget } from "./mapping-target.ts";
import { quote } from "./mapping-values.ts";
import type { MappingOutput } from "./run-mapping.ts";
import { passThrough, runAll } from "./run-mapping.ts";
import type { SourcePath } from "./source-paths.ts";
import { createFinderIn, nearestPath, sourcePaths, unusedPaths } from "./source-paths.ts";
import type { TestResult } from "../transformations.schemas.ts";

type MappingWarning = TestResult["warnings"][number];
type TraceEntry = TestResult["trace"][number];
type IsThere = (names: string[]) => boolean;
type TraceStep = NonNullable<TraceEntry["steps"]>[number];

const maxTrace = 1_000;
const maxWarnings = 200;
/** Suggestions cost far more than the mapping itself, so only the first warnings get one. */
const maxNearest = 20;
const maxItemsTraced = 3;
const maxUnused = 200;

/** Runs a mapping as `runMapping` does, and reports what each mapping did, which sources were missing and which were not used. */
export function traceMapping(compiled: CompiledMapping, data: unknown, now = systemNow): TestResult {
  const byPointer = new Map<string, CompiledElement>();
  const steps = new Map<string, TraceStep[]>();
  const elements = watched(compiled.elements, byPointer, steps);
  const trace: TraceEntry[] = [];
  const missing = new Set<string>();
  const settled: MappingWarning[] = [];
  const kept = new Set<string>();
  const written: Written[] = [];
  const started = performance.now();
  const run = startRun(data, now, (seen) => {
    const { pointer } = seen.element;
    const element = byPointer.get(pointer)!;
    if (seen.isMissing && element.source) missing.add(pointer);
    if (seen.to === "" && element.default !== undefined) kept.add(pointer);
    const positions = positionsOf(run);
    const isTraced = positions.every((position) => position < maxItemsTraced);
    const isWritten = seen.status === "mapped" || seen.status === "defaulted";
    if (isWritten && isTraced && written.length < maxTrace) written.push({ element, list: positions.join(".") });
    if (seen.fault && seen.status !== "error" && settled.length < maxWarnings)
      settled.push(warningOf(seen, seen.fault));
    if (trace.length < maxTrace && isTraced) {
      trace.push(entryOf(seen, element, placeOf(pointer, positions, byPointer), steps.get(pointer)));
    }
    steps.delete(pointer);
  });
  const isPassed = elements.length === 0 && isPlain(data);
  const output: MappingOutput = isPassed ? passThrough(run, data) : {};
  runAll(elements, run, output);
  const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
  const paths = sourcePaths(data);
  const isThere = createFinderIn(data);
  const sources = [...missing].map((pointer) => missingSource(byPointer.get(pointer)!));
  const nowhere = [...sources, ...compiled.reads.filter((read) => !read.isSource && !isThere(read.names))];
  return {
    ok: run.problems.length === 0,
    output,
    errors: run.problems,
    warnings: [
      ...missingWarnings(nowhere, byPointer, isThere, paths),
      ...settled,
      ...overwrittenWarnings(written),
      ...[...kept].slice(0, maxWarnings).map((pointer) => emptyWarning(byPointer.get(pointer)!)),
    ],
    trace: trace.toSorted((a, b) => a.index - b.index || depthOf(a.path) - depthOf(b.path)),
    unusedSource: unusedPaths(paths, elements.length === 0 ? [[]] : compiled.reads.map(({ names }) => names)).slice(
      0,
      maxUnused,
    ),
    durationMs,
  };
}

const systemNow = (): Date => new Date();

/** The same mappings, with transforms that record their output. */
function watched(
  elements: CompiledElement[],
  byPointer: Map<string, CompiledElement>,
  steps: Map<string, TraceStep[]>,
): CompiledElement[] {
  return elements.map((element) => {
    const { pointer, transforms, inner } = element;
    const noted = (name: string, value: unknown): unknown => {
      const list = steps.get(pointer) ?? [];
      list.push({ transform: name, ...(value === undefined ? {} : { to: preview(value) }) });
      steps.set(pointer, list);
      return value;
    };
    const watchedOne = {
      ...element,
      transforms: transforms.map(({ apply, applyToText, ...more }) => ({
        ...more,
        apply: (value: unknown, run: Run) => noted(more.name, apply(value, run)),
        applyToText: applyToText && ((text: string, run: Run) => noted(more.name, applyToText(text, run))),
      })),
      inner: inner && watched(inner, byPointer, steps),
    };
    byPointer.set(pointer, watchedOne);
    return watchedOne;
  });
}

function missingSource(element: CompiledElement): Read {
  const { source, sourceText, scope } = element;
  return { names: namesOf(source!, scope) ?? [], path: source!, text: sourceText, element, isSource: true };
}

function missingWarnings(
  reads: Read[],
  byPointer: Map<string, CompiledElement>,
  isThere: IsThere,
  paths: SourcePath[],
): MappingWarning[] {
  const told = new Set<string>();
  const warnings: MappingWarning[] = [];
  for (const read of reads) {
    const key = `${read.element.pointer} ${read.text}`;
    if (told.has(key) || warnings.length >= maxWarnings) continue;
    told.add(key);
    const around = outsideWarning(read, byPointer.get(read.element.pointer)!, isThere);
    warnings.push(around ?? missingWarning(read, isThere, warnings.length < maxNearest ? paths : []));
  }
  return warnings;
}

/** `when` of an `each` is evaluated once, outside of its elements. If the elements have the field it names, `where` was meant. */
function outsideWarning(
  { path, text, element }: Read,
  each: CompiledElement,
  isThere: IsThere,
): MappingWarning | undefined {
  if (!each.inner || !each.source || element.scope !== each.scope || path.from !== "@") return undefined;
  const names = namesOf(path, insideEach(each.scope, each.source, false));
  if (!names || !isThere(names)) return undefined;
  const { index, target, pointer } = element;
  const message = `when is evaluated once, before the list is read, and there is nothing at ${cutText(text, 200)} then. Use where to filter the elements.`;
  return { index, target, path: pointer, code: "condition_outside_each", message, source: text };
}

function missingWarning(
  { names, path, text, element, isSource }: Read,
  isThere: IsThere,
  paths: SourcePath[],
): MappingWarning {
  const { index, target, pointer, scope } = element;
  const isSomewhere = isSource && isThere(names);
  const suggestion = isSomewhere || names.length === 0 ? undefined : nearestPath(path, scope, names, paths);
  return {
    index,
    target,
    path: pointer,
    code: "source_missing",
    message: isSomewhere ? "Some elements have no value there." : `The data has nothing at ${cutText(text, 200)}.`,
    source: text,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

type Written = { element: CompiledElement; list: string };

/** Mappings that replace a value, or an object with values, that an earlier mapping wrote. */
function overwrittenWarnings(written: Written[]): MappingWarning[] {
  const filled = new Map<string, string>();
  const told = new Set<string>();
  return written.flatMap(({ element: { index, target, pointer }, list }) => {
    const steps = parseTarget(target);
    if (!Array.isArray(steps) || steps.length === 0 || "append" in steps.at(-1)!) return [];
    const siblings = pointer.slice(0, pointer.lastIndexOf("/"));
    const keyOf = (length: number): string => `${siblings} ${list} ${JSON.stringify(steps.slice(0, length))}`;
    const lost = filled.get(keyOf(steps.length));
    for (let length = 1; length <= steps.length; length++) {
      if (!filled.has(keyOf(length))) filled.set(keyOf(length), target);
    }
    if (lost === undefined) return [];
    filled.set(keyOf(steps.length), target);
    if (told.has(pointer)) return [];
    told.add(pointer);
    const advice = lost === target ? "Add a when to one of the two, or remove it." : "Put this mapping first.";
    const message = `This replaces the value that an earlier mapping wrote to ${lost}. ${advice}`;
    return [{ index, target, path: pointer, code: "overwritten", message }];
  });
}

function emptyWarning({ index, target, pointer }: CompiledElement): MappingWarning {
  const message =
    'The value is an empty string, which `default` does not replace; the transform {"default": ...} does.';
  return { index, target, path: pointer, code: "empty_value_kept", message };
}

function warningOf({ element, status }: Seen, { code, message }: { code: string; message: string }): MappingWarning {
  const { index, target, pointer } = element;
  return { index, target, path: pointer, code, message: `${message} onError: ${status}.` };
}

function entryOf(seen: Seen, element: CompiledElement, target: string, steps: TraceStep[] | undefined): TraceEntry {
  const { status, from, to } = seen;
  const reason = reasonOf(seen, element);
  return {
    index: element.index,
    target,
    path: element.pointer,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(from === undefined ? {} : { from: preview(from) }),
    ...(steps === undefined ? {} : { steps }),
    ...(to === undefined ? {} : { to: preview(to) }),
  };
}

function reasonOf(
  { status, isUnmet, fault, isMissing }: Seen,
  { source, sourceText }: CompiledElement,
): string | undefined {
  if (isUnmet) return "The condition `when` is not met.";
  if (fault) return fault.message;
  if (status === "mapped") return undefined;
  if (isMissing && source) return `There is nothing at ${cutText(sourceText, 200)}.`;
  return isMissing ? "None of the placeholders has a value." : "The transforms left no value.";
}

const depthOf = (pointer: string): number => pointer.split("/mappings/").length;

/** The target with those of the lists around it, such as `lines[0].sku`. */
function placeOf(pointer: string, positions: number[], byPointer: Map<string, CompiledElement>): string {
  const indexes = pointer.split("/mappings/").slice(1);
  return indexes
    .map((_, depth) => {
      const around = indexes.slice(0, depth + 1).map((index) => `/mappings/${index}`);
      const position = depth < positions.length && depth < indexes.length - 1 ? `[${positions[depth]}]` : "";
      return (byPointer.get(around.join(""))?.target ?? "") + position;
    })
    .join(".");
}

const maxPreviewMembers = 20;
const maxPreviewLength = 200;

/** Small values as they are, large ones as a short description, so that a trace stays readable. */
function preview(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > maxPreviewLength ? `${cutText(value, maxPreviewLength)}…` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.values(value);
  const isSmall = members.length <= maxPreviewMembers && members.every(isShort);
  return isSmall ? (Array.isArray(value) ? members : { ...value }) : quote(value);
}

function isShort(member: unknown): boolean {
  if (typeof member === "string") return member.length <= maxPreviewLength;
  return typeof member !== "object" || member === null;
}
