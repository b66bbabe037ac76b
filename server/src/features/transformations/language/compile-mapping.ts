import type { SetLookup } from "../../../core/conditions.ts";
import type { FieldError } from "../../../core/errors.ts";
import type { Holds } from "./compile-condition-on-data.ts";
import { compileWhen } from "./compile-condition-on-data.ts";
import { compileTemplate } from "./compile-template.ts";
import { compileTransforms } from "./compile-transforms.ts";
import type { Key, Path } from "../../../core/data-path.ts";
import { parsePath, plainKeys } from "../../../core/data-path.ts";
import type { Reader } from "./mapping-path.ts";
import { compileOwners, compileReader } from "./mapping-path.ts";
import type { Scope } from "./mapping-scope.ts";
import { insideEach, namesOf, outermost, scopeProblem } from "./mapping-scope.ts";
import type { Run } from "./mapping-run.ts";
import { constantOf, mappingLimits } from "./mapping-run.ts";
import type { Place as TargetPlace, Target } from "./mapping-target.ts";
import { compilePlace, isWithin, parseTarget } from "./mapping-target.ts";
import { converters } from "./mapping-values.ts";
import type { MappingElement, OnError, Refuse } from "./normalise-mapping.ts";
import { normaliseElement } from "./normalise-mapping.ts";
import type { CompiledTransform } from "./transform.ts";

/** All members are always set: objects of one shape are read fastest, and a run reads many of these. */
export type CompiledElement = {
  index: number;
  pointer: string;
  target: string;
  source: Path | undefined;
  sourceText: string;
  scope: Scope;
  when: Holds | undefined;
  read: Reader;
  /** A plain path to the value, from the root or from the element of the enclosing `each`: its last name, and the names before it. */
  parents: Key[] | undefined;
  key: string;
  isFromRoot: boolean;
  transforms: CompiledTransform[];
  convert: ((value: unknown) => unknown) | undefined;
  default: (() => unknown) | undefined;
  isRequired: boolean;
  onError: OnError;
  /** The mappings of an `each`, the condition on its elements, their parents and their groups. */
  inner: CompiledElement[] | undefined;
  where: Holds | undefined;
  owners: ((run: Run) => ReadonlyMap<unknown, unknown>) | undefined;
  groupBy: Reader[] | undefined;
  place: TargetPlace;
  /** Another mapping writes into this value, which must then not be shared with the data. */
  isCopied: boolean;
};

export type CompiledMapping = {
  elements: CompiledElement[];
  /** The form that is stored. */
  mappings: MappingElement[];
  reads: Read[];
  /** Whether it reads the current time. */
  usesNow: boolean;
};

/** A path that a mapping reads. */
export type Read = {
  /** From the root, without list positions. */
  names: string[];
  path: Path;
  text: string;
  element: { index: number; target: string; pointer: string; scope: Scope };
  /** As `source`, or in a template, condition or parameter. */
  isSource: boolean;
};

type Job = {
  sets: SetLookup;
  timeZone: string;
  errors: FieldError[];
  count: number;
  reads: Read[];
  usesNow: boolean;
  patterns: { room: number };
  /** Returns the same list for equal paths, so that a run detects that a mapping reads the same object as the last one. */
  shareSource: Record<"$" | "@", (parents: Key[]) => Key[]>;
  shareTarget: (parents: string[]) => string[];
};
type Place = { index: number | undefined; scope: Scope; depth: number };

const maxPatternsSize = 10_000;
const maxReported = 50;

/**
 * Compiled once, run for every record. All mistakes are reported, with pointers below `/mappings`. Days and times without a zone
 * are in `timeZone`.
 */
export function compileMapping(raw: unknown, sets: SetLookup, timeZone = "UTC"): CompiledMapping | FieldError[] {
  const job: Job = {
    sets,
    timeZone,
    errors: [],
    count: 0,
    reads: [],
    usesNow: false,
    patterns: { room: maxPatternsSize },
    shareSource: { $: createSharer(), "@": createSharer() },
    shareTarget: createSharer(),
  };
  const compiled = compileList(raw, job, "/mappings", { index: undefined, scope: outermost, depth: 1 });
  if (job.errors.length > 0) return job.errors.slice(0, maxReported);
  return { ...compiled, reads: job.reads, usesNow: job.usesNow };
}

function createSharer<T>(): (list: T[]) => T[] {
  const known = new Map<string, T[]>();
  return (list) => {
    const text = JSON.stringify(list);
    const same = known.get(text) ?? list;
    known.set(text, same);
    return same;
  };
}

type CompiledList = { elements: CompiledElement[]; mappings: MappingElement[] };

function compileList(raw: unknown, job: Job, pointer: string, place: Place): CompiledList {
  const refuse = (code: string, message: string): CompiledList => {
    job.errors.push({ pointer, code, message });
    return { elements: [], mappings: [] };
  };
  if (!Array.isArray(raw)) return refuse("type", "Mappings are a list of objects.");
  if (place.depth > mappingLimits.depth) return refuse("too_deep", `each goes at most ${mappingLimits.depth} deep.`);
  if ((job.count += raw.length) > mappingLimits.mappings) {
    return refuse("too_many_mappings", `There are at most ${mappingLimits.mappings} mappings, inner ones included.`);
  }
  const compiled = raw.map((element, i) =>
    compileElement(element, job, `${pointer}/${i}`, { ...place, index: place.index ?? i }),
  );
  const found = compiled.filter((one) => one !== undefined);
  shareSafely(found, job);
  return { elements: found.map(({ element }) => element), mappings: found.map(({ mapping }) => mapping) };
}

type One = { element: CompiledElement; mapping: MappingElement; target: Target };

function compileElement(raw: unknown, job: Job, pointer: string, place: Place): One | undefined {
  const before = job.errors.length;
  const refuse: Refuse = (at, code, message, more = {}) => {
    job.errors.push({ pointer: pointer + at, code, message, ...more });
  };
  const element = normaliseElement(raw, refuse);
  if (!element || job.errors.length > before) return undefined;
  const target = parseTarget(element.target);
  if (!Array.isArray(target)) {
    refuse("/target", target.code, target.message);
    return undefined;
  }
  const { scope } = place;
  const about = { index: place.index!, target: element.target, pointer, scope };
  const reader = readerFor(job, refuse, about);
  const { read, source } = compileKind(element, reader);
  const conditionAt = (condition: unknown, at: string, inside: Scope): Holds | undefined => {
    if (condition === undefined) return undefined;
    const path = pathReader(job, about, inside);
    const holds = compileWhen(condition, job.sets, pointer + at, path, job.timeZone);
    if (!Array.isArray(holds)) return holds;
    job.errors.push(...holds);
    return undefined;
  };
  const transforms = compileTransforms(element, {
    sets: job.sets,
    timeZone: job.timeZone,
    patterns: job.patterns,
    refuse,
    scope,
    reader: (path, at, inside) => reader(path, at, inside).read,
    condition: (condition, at, inside) => conditionAt(condition, at, inside) ?? (() => false),
  });
  const keys = source && plainKeys(source);
  const key = keys?.at(-1);
  const isPlainKey = source !== undefined && source.from !== "^" && typeof key === "string";
  const compiled: CompiledElement = {
    index: place.index!,
    pointer,
    target: element.target,
    scope,
    read,
    parents: isPlainKey ? job.shareSource[source.from as "$" | "@"](keys!.slice(0, -1)) : undefined,
    key: String(key),
    isFromRoot: source?.from === "$",
    transforms,
    convert: converters[element.type ?? "any"],
    isRequired: element.required ?? false,
    onError: element.onError ?? "fail",
    place: compilePlace(target, job.shareTarget),
    isCopied: false,
    source,
    sourceText: element.source ?? element.each ?? "",
    when: conditionAt(element.when, "/when", scope),
    default: Object.hasOwn(element, "default") ? constantOf(element.default) : undefined,
    inner: undefined,
    where: undefined,
    owners: undefined,
    groupBy: undefined,
  };
  if (element.each !== undefined && source) {
    const keys = [element.groupBy ?? []].flat();
    const rows = insideEach(scope, source, false);
    compiled.where = conditionAt(element.where, "/where", rows);
    compiled.owners = compileOwners(source);
    if (keys.length > 0) compiled.groupBy = keys.map((path) => reader(path, "/groupBy", rows).read);
    const inside = { ...place, scope: insideEach(scope, source, keys.length > 0), depth: place.depth + 1 };
    const inner = compileList(element.mappings, job, `${pointer}/mappings`, inside);
    compiled.inner = inner.elements;
    element.mappings = inner.mappings;
  }
  return { element: compiled, mapping: element, target };
}

type ReaderFor = (text: string, at: string, scope?: Scope, kind?: "source" | "each") => { read: Reader; path?: Path };

function readerFor(job: Job, refuse: Refuse, about: Read["element"]): ReaderFor {
  return (text, at, scope = about.scope, kind) => {
    // The elements of an `each` are read by its inner mappings, member by member.
    const path = kind === "each" ? pathIn(job, scope, text) : pathReader(job, about, scope, kind === "source")(text);
    if (typeof path !== "string") return { read: compileReader(path), path };
    refuse(at, "path", path);
    return { read: () => undefined };
  };
}

/** Compiles a path, and records that it is read. */
function pathReader(job: Job, element: Read["element"], scope: Scope, isSource = false) {
  return (text: string): Path | string => {
    const path = pathIn(job, scope, text);
    const names = typeof path === "string" ? undefined : namesOf(path, scope);
    if (names) job.reads.push({ names, path: path as Path, text, element: { ...element, scope }, isSource });
    return path;
  };
}

function pathIn(job: Job, scope: Scope, text: string): Path | string {
  const path = parsePath(text);
  if (typeof path === "string") return path;
  job.usesNow ||= path.call === "now";
  return scopeProblem(path, scope) ?? path;
}

function compileKind(element: MappingElement, reader: ReaderFor): { read: Reader; source?: Path } {
  const { source, each, template } = element;
  if (template !== undefined) {
    return { read: compileTemplate(template, (path) => reader(path, "/template").read) };
  }
  if (source === undefined && each === undefined) return { read: constantOf(element.value) };
  const { read, path } =
    source === undefined ? reader(each!, "/each", undefined, "each") : reader(source, "/source", undefined, "source");
  return path ? { read, source: path } : { read };
}

/** Values may be shared with the data unless a later mapping writes into them. */
function shareSafely(list: One[], job: Job): void {
  for (const { element, target } of list) {
    const writesInside = list.filter((other) => isWithin(other.target, target, "maybe"));
    if (writesInside.length === 0) continue;
    element.isCopied = true;
    if (!element.inner) continue;
    for (const { element: other, target: inside } of writesInside) {
      if (!isWithin(inside, target, "surely")) continue;
      const message = `${element.target} is a list made by each; put this into its mappings.`;
      job.errors.push({ pointer: `${other.pointer}/target`, code: "target_conflict", message });
    }
  }
}
