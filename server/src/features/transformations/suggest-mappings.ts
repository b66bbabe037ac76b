import type { Static } from "typebox";
import { foldName } from "../../core/nearest.ts";
import { isPlain } from "../../core/strict-json.ts";
import type { SourcePath } from "./language/source-paths.ts";
import { sourcePaths } from "./language/source-paths.ts";
import { plainPath, showPath } from "../../core/data-path.ts";
import type { MappingElement } from "./language/normalise-mapping.ts";
import type { ValueType } from "./language/mapping-values.ts";
import type { SuggestAnswer } from "./transformations.schemas.ts";

type Suggestion = Static<typeof SuggestAnswer>;

const maxTargets = 200;
const maxSources = 400;
const minScore = 0.45;

/** Words that shops and carriers use for the same thing. */
const synonyms = [
  ["zip", "postal", "postcode", "zipcode", "postalcode"],
  ["qty", "quantity", "count", "units"],
  ["sku", "item", "itemnumber", "productcode"],
  ["phone", "telephone", "tel", "mobile"],
  ["state", "province", "region", "provincecode", "statecode"],
  ["country", "countrycode"],
  ["email", "mail"],
  ["street", "address1", "line1", "addressline1", "street1"],
  ["address2", "line2", "addressline2", "street2"],
  ["name", "title", "fullname"],
  ["number", "no", "num", "reference", "ref"],
  ["price", "amount", "unitprice", "cost"],
  ["ship", "shipping", "delivery", "recipient", "shipto"],
  ["bill", "billing", "billto"],
  ["lines", "items", "lineitems", "orderlines", "products"],
  ["created", "createdat", "orderdate", "placedat", "date"],
  ["note", "comment", "message", "remark"],
  ["weight", "mass"],
  ["currency", "currencycode"],
  ["customer", "buyer", "client"],
];
const meaning = new Map(synonyms.flatMap((words) => words.map((word) => [word, words[0]!] as const)));

type Words = { last: string; all: Set<string> };
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
  const mappings: MappingElement[] = [];
  const visit = (value: unknown, names: string[]): void => {
    if (budget.targets-- <= 0 || names.length > 10) return;
    const target = showPath(
      plainPath(
        "$",
        names.map((name) => ({ name })),
      ),
    ).slice(2);
    const isObjectList = Array.isArray(value) && isPlain(value[0]);
    if (isPlain(value) && Object.keys(value).length > 0) {
      for (const [name, member] of Object.entries(value)) if (name !== "__proto__") visit(member, [...names, name]);
      return;
    }
    const best = bestMatch(value, names, sources, isObjectList);
    if (!best) {
      suggestion.unmatched.push(around + target);
      return;
    }
    const source = showPath(plainPath(from, best.path.steps));
    suggestion.matches.push({ target: around + target, source, confidence: Math.round(best.score * 100) / 100 });
    if (isObjectList && depth < 5) {
      const element = (best.path.value as unknown[])[0];
      const inner = suggestFor(value[0] as never, element, `${around}${target}[].`, "@", suggestion, budget, depth + 1);
      if (inner.length > 0) mappings.push({ target, each: source, mappings: inner });
    } else mappings.push({ target, source, ...conversion(best.path.value, value) });
  };
  for (const [name, member] of Object.entries(example)) if (name !== "__proto__") visit(member, [name]);
  return mappings;
}

function candidatesIn(data: unknown): Candidate[] {
  const paths = sourcePaths(data).slice(0, maxSources);
  return paths.map((path) => ({ path, words: wordsOf(path.names) }));
}

function bestMatch(
  value: unknown,
  names: string[],
  sources: Candidate[],
  isObjectList: boolean,
): { path: SourcePath; score: number } | undefined {
  const wanted = wordsOf(names);
  let best: { path: SourcePath; score: number } | undefined;
  for (const { path, words } of sources) {
    const fits = isObjectList ? Array.isArray(path.value) && isPlain(path.value[0]) : isLikely(path, value);
    if (!fits) continue;
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
    const whole = meaning.get(foldName(name));
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
  return words.filter((word) => word !== "").map((word) => meaning.get(word) ?? word);
}

function conversion(found: unknown, wanted: unknown): { type?: ValueType } {
  const [from, to] = [typeof found, typeof wanted];
  if (from === to || wanted === null || found === null) return {};
  return to === "string" || to === "number" || to === "boolean" ? { type: to } : {};
}
