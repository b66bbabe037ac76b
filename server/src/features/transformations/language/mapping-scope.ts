import type { Path } from "../../../core/data-path.ts";

/** The meaning of `@` and `^` at a position in a mapping. */
export type Scope = {
  /** Names from the root to the enclosing elements, outermost first; undefined: unknown. */
  bases: (string[] | undefined)[];
  /** For each enclosing list, outermost first: whether its elements are grouped. */
  lists: boolean[];
};

export const outermost: Scope = { bases: [[]], lists: [] };

/** Every list on the path is a level that `^` can go up to. */
export function insideEach(scope: Scope, path: Path, isGrouped: boolean): Scope {
  const bases: Scope["bases"] = [];
  for (const [i, step] of path.steps.entries()) {
    const isLast = i === path.steps.length - 1;
    if ("every" in step || isLast) bases.push(namesOf({ ...path, steps: path.steps.slice(0, i + 1) }, scope));
  }
  if (bases.length === 0) bases.push(namesOf(path, scope));
  return { bases: [...scope.bases, ...bases], lists: [...scope.lists, isGrouped] };
}

/** The scope inside a list that a transform gets, whose origin in the data is unknown. */
export function insideValue(scope: Scope): Scope {
  return { bases: [...scope.bases, undefined], lists: [...scope.lists, false] };
}

/** Names from the root, without positions in lists. Undefined: the path is not in the data, or unknown. */
export function namesOf({ from, up, call, steps }: Path, { bases }: Scope): string[] | undefined {
  if (call !== undefined && call !== "group") return undefined;
  const base = from === "$" ? [] : bases.at(-1 - up);
  return base && [...base, ...steps.flatMap((step) => ("name" in step ? [step.name] : []))];
}

export function scopeProblem({ up, call }: Path, { bases, lists }: Scope): string | undefined {
  if (call === undefined || call === "now") {
    return up < bases.length ? undefined : "^ goes further up than there are lists around this.";
  }
  const list = lists.at(-1 - up);
  if (list === undefined) return `${call}() is about the list of an each, and there is none around this.`;
  return call === "group" && !list ? "group() is for the mappings of an each with groupBy." : undefined;
}
