import { cutText } from "../../../core/cut-text.ts";
import { isDeepStrictEqual } from "node:util";
import { isPlain } from "../../../core/strict-json.ts";
import type { CompiledElement, CompiledMapping } from "./compile-mapping.ts";
import { namesOf } from "./compile-mapping.ts";
import type { Seen } from "./mapping-run.ts";
import { startRun } from "./mapping-run.ts";
import { parseTarget } from "./mapping-target.ts";
import { quote } from "./mapping-values.ts";
import type { MappingOutput } from "./run-mapping.ts";
import { passThrough, runAll } from "./run-mapping.ts";
import type { SourcePath } from "./source-paths.ts";
import { nearestPath, sourcePaths, unusedPaths } from "./source-paths.ts";
import type { TestResult } from "../transformations.schemas.ts";

type MappingWarning = TestResult["warnings"][number];
type TraceEntry = TestResult["trace"][number];

const maxTrace = 1_000;
const maxWarnings = 200;
/** Looking for the nearest of many names costs far more than the mapping itself. */
const maxNearest = 20;
const maxItemsTraced = 3;
const maxUnused = 200;

/** The same run as `runMapping`, watched: what every mapping did, what it missed, what nobody looked at. */
export function traceMapping(compiled: CompiledMapping, data: unknown): TestResult {
  const byPointer = new Map<string, CompiledElement>();
  const list = (elements: CompiledElement[]): void => {
    for (const element of elements) {
      byPointer.set(element.pointer, element);
      list(element.inner ?? []);
    }
  };
  list(compiled.elements);
  const trace: TraceEntry[] = [];
  const missing = new Set<string>();
  const settled: MappingWarning[] = [];
  const written: CompiledElement[] = [];
  const started = performance.now();
  const run = startRun(data, (seen) => {
    const { element } = seen;
    if (seen.isMissing && byPointer.get(element.pointer)?.source) missing.add(element.pointer);
    const isWritten = seen.status === "mapped" || seen.status === "defaulted";
    if (isWritten && run.positions.length === 0) written.push(byPointer.get(element.pointer)!);
    if (seen.settled && settled.length < maxWarnings) settled.push(warningOf(seen, seen.settled));
    if (trace.length < maxTrace && run.positions.every((position) => position < maxItemsTraced)) {
      trace.push(entryOf(seen, placeOf(element.pointer, run.positions, byPointer)));
    }
  });
  const isPassed = compiled.elements.length === 0 && isPlain(data);
  const output: MappingOutput = isPassed ? passThrough(run, data) : {};
  runAll(compiled.elements, run, output);
  const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
  const paths = sourcePaths(data);
  const warnings = [...missing].slice(0, maxWarnings).map((pointer, i) => {
    return missingWarning(byPointer.get(pointer)!, i < maxNearest ? paths : []);
  });
  return {
    ok: run.problems.length === 0,
    output,
    errors: run.problems,
    warnings: [...warnings, ...settled, ...overwrittenWarnings(written)],
    trace: trace.toSorted((a, b) => a.index - b.index || depthOf(a.path) - depthOf(b.path)),
    unusedSource: unusedPaths(paths, compiled.elements.length === 0 ? [[]] : compiled.reads).slice(0, maxUnused),
    durationMs,
  };
}

function missingWarning(
  { index, target, pointer, source, sourceText, base }: CompiledElement,
  paths: SourcePath[],
): MappingWarning {
  const names = namesOf(source!, base);
  const isSomewhere = paths.some((path) => isDeepStrictEqual(path.names, names));
  const nearest = isSomewhere ? undefined : nearestPath(source!, base, names, paths);
  return {
    index,
    target,
    path: pointer,
    code: "source_missing",
    message: isSomewhere ? "Some of the data has nothing there." : "The data has nothing there.",
    source: sourceText,
    ...(nearest === undefined ? {} : { nearest }),
  };
}

/** A value that is put where another mapping has written into before takes the place of all of it. */
function overwrittenWarnings(written: CompiledElement[]): MappingWarning[] {
  const filled = new Map<string, string>();
  return written.flatMap(({ index, target, pointer }) => {
    const steps = parseTarget(target);
    if (!Array.isArray(steps)) return [];
    const lost = filled.get(JSON.stringify(steps));
    for (let length = 1; length < steps.length; length++) {
      const around = JSON.stringify(steps.slice(0, length));
      if (!filled.has(around)) filled.set(around, target);
    }
    if (lost === undefined) return [];
    filled.delete(JSON.stringify(steps));
    const message = `This replaces what was written to ${lost} before. Put this mapping first.`;
    return [{ index, target, path: pointer, code: "overwritten", message }];
  });
}

function warningOf({ element, status }: Seen, { code, message }: { code: string; message: string }): MappingWarning {
  const { index, target, pointer } = element;
  return { index, target, path: pointer, code, message: `${message} onError: ${status}.` };
}

function entryOf({ element, status, from, to }: Seen, target: string): TraceEntry {
  return {
    index: element.index,
    target,
    path: element.pointer,
    status,
    ...(from === undefined ? {} : { from: preview(from) }),
    ...(to === undefined ? {} : { to: preview(to) }),
  };
}

const depthOf = (pointer: string): number => pointer.split("/mappings/").length;

/** `lines[0].sku`: the target with those of the lists around it. */
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

/** Small values as they are; of large ones only what they are, so that a trace stays readable. */
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
