import type { Path, PathStep } from "../../../core/data-path.ts";
import { memberOf, plainPath, showPath, showStep } from "../../../core/data-path.ts";
import type { Scope } from "./mapping-scope.ts";
import { foldName, nearestName } from "../../../core/nearest.ts";

/** A path in the data: its names from the root, and the steps to write it. */
export type SourcePath = { names: string[]; steps: PathStep[]; isLeaf: boolean; value: unknown };

const maxPaths = 1_000;
const maxVisited = 20_000;
const maxLooked = 1_000_000;
const maxElements = 20;
const maxDepth = 24;
const maxNameLength = 100;
const maxCandidates = 300;

/** All paths in the data, each once for all elements of a list. */
export function sourcePaths(data: unknown): SourcePath[] {
  const found = new Map<string, SourcePath>();
  let visited = 0;
  const visit = (value: unknown, names: string[], steps: PathStep[]): void => {
    if (++visited > maxVisited || found.size >= maxPaths || steps.length > maxDepth) return;
    if (Array.isArray(value)) {
      const inner: PathStep[] = [...steps, { every: true }];
      const elements = value.slice(0, maxElements) as unknown[];
      if (elements.length === 0) note(value, names, steps, true);
      for (const element of elements) visit(element, names, inner);
      return;
    }
    const isObject = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (names.length > 0) note(value, names, steps, !isObject);
    if (!isObject) return;
    for (const [name, member] of Object.entries(value)) {
      if (name.length > maxNameLength) continue;
      if (Array.isArray(member)) note(member, [...names, name], [...steps, { name }], false);
      visit(member, [...names, name], [...steps, { name }]);
    }
  };
  const note = (value: unknown, names: string[], steps: PathStep[], isLeaf: boolean): void => {
    const key = steps.map(showStep).join("");
    if (!found.has(key)) found.set(key, { names, steps, isLeaf, value });
  };
  visit(data, [], []);
  return [...found.values()];
}

/** The leaves that no mapping reads; reading an object reads all of it. */
export function unusedPaths(paths: SourcePath[], reads: string[][]): string[] {
  const read = new Set(reads.map((names) => JSON.stringify(names)));
  const isRead = (names: string[]): boolean => {
    for (let length = 0; length <= names.length; length++) {
      if (read.has(JSON.stringify(names.slice(0, length)))) return true;
    }
    return false;
  };
  return paths
    .filter(({ names, isLeaf }) => isLeaf && !isRead(names))
    .map(({ steps }) => showPath(plainPath("$", steps)));
}

/** Tests whether a path exists in the data, in any element of a list. Returns true once its budget is used up. */
export function createFinderIn(data: unknown): (names: string[]) => boolean {
  const known = new Map<string, boolean>();
  let left = maxLooked;
  const look = (value: unknown, names: string[], at: number, depth: number): boolean => {
    if (--left < 0 || depth > maxDepth) return true;
    if (Array.isArray(value)) return value.some((element) => look(element, names, at, depth + 1));
    if (at === names.length) return value !== undefined;
    return look(memberOf(value, names[at]!), names, at + 1, depth);
  };
  return (names) => {
    const key = JSON.stringify(names);
    const isThere = known.get(key) ?? look(data, names, 0, 0);
    known.set(key, isThere);
    return isThere;
  };
}

/** A suggestion for a wrong path, in the same notation: from the root or from the element. */
export function nearestPath(wrong: Path, scope: Scope, wanted: string[], paths: SourcePath[]): string | undefined {
  const base = wrong.from === "@" ? (scope.bases.at(-1) ?? []) : [];
  const write = ({ steps, names }: SourcePath): string => {
    const isInside = base.length > 0 && base.every((name, i) => name === names[i]);
    if (!isInside) return showPath(plainPath("$", steps));
    let left = base.length;
    const inner = steps.slice(steps.findIndex((step) => "name" in step && --left === 0) + 1);
    return showPath(plainPath("@", inner[0] && "every" in inner[0] ? inner.slice(1) : inner));
  };
  const fold = (names: string[]): string => names.map(foldName).join(".");
  const folded = fold(wanted);
  const sameNames = paths.find(({ names }) => fold(names) === folded);
  if (sameNames) return write(sameNames);
  const candidates = paths.filter(({ names }) => names.join(".").length <= maxNameLength).slice(0, maxCandidates);
  const byText = new Map(candidates.map((path) => [path.names.join("."), path]));
  const near = nearestName(wanted.join("."), [...byText.keys()]);
  if (near !== undefined) return write(byText.get(near)!);
  const last = foldName(wanted.at(-1) ?? "");
  const sameLast = paths.find(({ names }) => foldName(names.at(-1) ?? "") === last);
  return sameLast && write(sameLast);
}
