import type { Static } from "typebox";
import { isPlain } from "../../core/strict-json.ts";
import type { SourcePath } from "./language/source-paths.ts";
import { sourcePaths } from "./language/source-paths.ts";
import { plainPath, showPath } from "../../core/data-path.ts";
import type { MappingElement } from "./language/normalise-mapping.ts";
import type { ValueType } from "./language/mapping-values.ts";
import { meaningOf } from "./name-meanings.ts";
import type { SuggestAnswer } from "./transformations.schemas.ts";

type Suggestion = Static<typeof SuggestAnswer>;

const maxTargets = 200;
const maxSources = 400;
const minScore = 0.45;

type Words = { last: string; all: Set<string> };
type Match = { path: SourcePath; score: number };
type Candidate = { path: SourcePath; words: Words };
/** Several targets may be drafted from the same element, which is looked through once. */
type Budget = { targets: number; candidates: Map<unknown, Candidate[]> };

/** Drafts mappings from one example of what comes in and one of what should come out; a person checks them. */
export function suggestMappings(sample: unknown, targetExample: Record<string, unknown>): Suggestion {
  const suggestion: Suggestion = { mappings: [], matches: [], unmatched: [] };
  const budget: Budget = { targets: maxTargets, candidates: new Map() };
  suggestion.mappings = suggestFor(targetExample, sample, "", "$", suggestion, budget, 1);
  return suggestion;
}

function suggestFor(
  example: Record<string, unknown>,
  data: unknown,
  around: string,
  from: "$" | "@",
  suggestion: Suggestion,
  budget: Budget,
  depth: number,
): MappingElement[] {
  const sources = budget.candidates.get(data) ?? candidatesIn(data);
  budget.candidates.set(data, sources);
  const found: Array<{ target: string; value: unknown; isObjectList: boolean; best: Match | undefined }> = [];
  const visit = (value: unknown, names: string[]): void => {
    if (budget.targets-- <= 0 || names.length > 10) return;
    if (isPlain(value) && Object.keys(value).length > 0) {
      for (const [name, member] of Object.entries(value)) if (name !== "__proto__") visit(member, [...names, name]);
      return;
    }
    const path = plainPath(
      "$",
      names.map((name) => ({ name })),
    );
    const isObjectList = Array.isArray(value) && isPlain(value[0]);
    const best = bestMatch(value, names, sources, isObjectList);
    found.push({ target: showPath(path).slice(2), value, isObjectList, best });
  };
  for (const [name, member] of Object.entries(example)) if (name !== "__proto__") visit(member, [name]);
  const bestScores = new Map<SourcePath, number>();
  for (const { best } of found) {
    if (best) bestScores.set(best.path, Math.max(best.score, bestScores.get(best.path) ?? 0));
  }
  const mappings: MappingElement[] = [];
  for (const { target, value, isObjectList, best } of found) {
    // A source that fits another target better is not suggested twice.
    if (!best || best.score < bestScores.get(best.path)!) {
      suggestion.unmatched.push(around + target);
      continue;
    }
    const source = showPath(plainPath(from, best.path.steps));
    suggestion.matches.push({ target: around + target, source, confidence: Math.round(best.score * 100) / 100 });
    if (isObjectList && depth < 5) {
      const [inside] = value as Record<string, unknown>[];
      const element = (best.path.value as unknown[])[0];
      const inner = suggestFor(inside!, element, `${around}${target}[].`, "@", suggestion, budget, depth + 1);
      if (inner.length > 0) mappings.push({ target, each: source, mappings: inner });
    } else mappings.push({ target, source, ...conversion(best.path.value, value) });
  }
  return mappings;
}

function candidatesIn(data: unknown): Candidate[] {
  const paths = sourcePaths(data).slice(0, maxSources);
  return paths.map((path) => ({ path, words: wordsOf(path.names) }));
}

function bestMatch(value: unknown, names: string[], sources: Candidate[], isObjectList: boolean): Match | undefined {
  const wanted = wordsOf(names);
  let best: Match | undefined;
  for (const { path, words } of sources) {
    const fits = isObjectList ? Array.isArray(path.value) && isPlain(path.value[0]) : isLikely(path, value);
    if (!fits || isOtherAddress(wanted, words)) continue;
    const score = scoreOf(wanted, words) + (isSameValue(path.value, value) ? 0.46 : 0);
    if (score >= minScore && score > (best?.score ?? 0)) best = { path, score: Math.min(1, score) };
  }
  return best;
}

function isLikely({ isLeaf, value: found, steps }: SourcePath, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(found) && !isPlain(found[0]);
  const isInsideList = steps.some((step) => "every" in step);
  return isLeaf && !isInsideList && !Array.isArray(found);
}

/** The billing address is not suggested for the shipping address, nor the other way round. */
function isOtherAddress(wanted: Words, found: Words): boolean {
  const sides = ["ship", "bill"].map((word) => [wanted.all.has(word), found.all.has(word)] as const);
  return (
    sides.some(([isWanted]) => isWanted) && sides.some(([, isFound]) => isFound) && !sides.some(([a, b]) => a && b)
  );
}

/** Equal values are strong evidence, unless they are the kind that is everywhere. */
function isSameValue(a: unknown, b: unknown): boolean {
  return a === b && ((typeof a === "string" && a.length > 2) || (typeof a === "number" && Math.abs(a) > 10));
}

function scoreOf(wanted: Words, found: Words): number {
  const common = [...wanted.all].filter((word) => found.all.has(word)).length;
  const all = wanted.all.size + found.all.size - common;
  const isSameLast = wanted.last === found.last;
  return (isSameLast ? 0.5 : 0) + (all === 0 ? 0 : 0.5 * (common / all));
}

/** shippingAddress.zip_code is about shipping, address, zip and code; its last name counts most. */
function wordsOf(names: string[]): Words {
  const perName = names.map((name) => {
    const whole = meaningOf(name);
    return whole === undefined ? splitName(name) : [whole];
  });
  const all = new Set([...perName.flat(), ...names.flatMap(splitName)]);
  return { last: (perName.at(-1) ?? []).join(" "), all };
}

function splitName(name: string): string[] {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== "").map((word) => meaningOf(word) ?? word);
}

function conversion(found: unknown, wanted: unknown): { type?: ValueType } {
  const [from, to] = [typeof found, typeof wanted];
  if (from === to || wanted === null || found === null) return {};
  return to === "string" || to === "number" || to === "boolean" ? { type: to } : {};
}
