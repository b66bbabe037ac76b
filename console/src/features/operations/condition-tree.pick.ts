import { valueText } from "../../ui/change-text.ts";
import { sentence, words } from "../../ui/format.ts";

type Comparison = { op: string; value?: unknown };
/** Conditions as in the API; see docs/conditions.md. */
export type Condition =
  | ({ path: string } & Comparison)
  | ({ count: string; where?: Condition } & Comparison)
  | ({ sum: string; where?: Condition } & Comparison)
  | { any_of: string; where: Condition }
  | { all_of: string; where: Condition }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

export type Leaf = Exclude<Condition, { all: Condition[] } | { any: Condition[] } | { not: Condition }>;
export type Join = "all" | "any" | "none";
export type Group = { join: Join; parts: Condition[] };

const joinOf = (condition: Condition): Group | undefined => {
  if ("all" in condition) return { join: "all", parts: condition.all };
  if ("any" in condition) return { join: "any", parts: condition.any };
  return undefined;
};

/** The condition as a group; undefined for a leaf. `not` is a group of which none is met. */
export function groupOf(condition: Condition): Group | undefined {
  if (!("not" in condition)) return joinOf(condition);
  const inner = joinOf(condition.not);
  return { join: "none", parts: inner?.join === "any" ? inner.parts : [condition.not] };
}

/** The shortest condition for the group; undefined without parts. */
export function fromGroup({ join, parts }: Group): Condition | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  if (join === "none") return { not: parts.length === 1 ? first : { any: parts } };
  if (parts.length === 1) return first;
  return join === "all" ? { all: parts } : { any: parts };
}

export type Side = "path" | "count" | "sum" | "any_of" | "all_of";

/** What a leaf is about: a field, a count, a sum, or the elements of a list. */
export function sideOf(leaf: Leaf): { side: Side; path: string } {
  if ("path" in leaf) return { side: "path", path: leaf.path };
  if ("count" in leaf) return { side: "count", path: leaf.count };
  if ("sum" in leaf) return { side: "sum", path: leaf.sum };
  return "any_of" in leaf ? { side: "any_of", path: leaf.any_of } : { side: "all_of", path: leaf.all_of };
}

export const whereOf = (leaf: Leaf): Condition | undefined => ("where" in leaf ? leaf.where : undefined);

/** Operators in the words of the explanation. */
const opWords: Record<string, string> = {
  eq: "is",
  ne: "is not",
  in: "is one of",
  not_in: "is none of",
  in_set: "is in the value list",
  not_in_set: "is not in the value list",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  between: "is between",
  contains: "contains",
  starts_with: "starts with",
  ends_with: "ends with",
  matches: "matches the pattern",
  empty: "is empty",
  not_empty: "is not empty",
  has_tag: "include",
};
const momentWords: Record<string, string> = {
  gt: "is after",
  gte: "is not before",
  lt: "is before",
  lte: "is not after",
};

export const opText = (op: string, isMoment: boolean): string =>
  (isMoment ? momentWords[op] : undefined) ?? opWords[op] ?? words(op);

export const allOperators = Object.keys(opWords);

const listNames: Record<string, string> = { lines: "items", "lines.properties": "personalization" };
const listName = (list: string): string => listNames[list] ?? words(list.replaceAll(".", " "));

/** Readable name of a path: its last two parts, without what a reader does not need. */
function pathName(path: string): string {
  const parts = path.split(".").map((part) => part.replace(/Code$|Id$/, ""));
  return words(parts.slice(-2).join(" "));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text of a value: a constant, another field, or a moment relative to now. */
function operandText(value: unknown): string {
  if (Array.isArray(value)) return value.map(operandText).join(", ");
  if (!isRecord(value)) return value === undefined ? "" : valueText(value);
  if (typeof value["now"] === "string") return nowText(value["now"]);
  if (typeof value["path"] !== "string") return JSON.stringify(value);
  const times = value["times"] === undefined ? "" : ` times ${valueText(value["times"])}`;
  const plus = value["plus"] === undefined ? "" : ` plus ${valueText(value["plus"])}`;
  return pathName(value["path"]) + times + plus;
}

function nowText(span: string): string {
  if (/^-?0 /.test(span)) return "now";
  return span.startsWith("-") ? `${span.slice(1)} ago` : `${span} from now`;
}

export const isMomentValue = (value: unknown): boolean =>
  [value]
    .flat()
    .some((one) => (isRecord(one) ? "now" in one : typeof one === "string" && /^\d{4}-\d\d-\d\d/.test(one)));

function comparisonText(subject: string, { op, value }: Comparison): string {
  return [subject, opText(op, isMomentValue(value)), op === "between" ? betweenText(value) : operandText(value)]
    .join(" ")
    .trim();
}

const betweenText = (value: unknown): string =>
  Array.isArray(value) ? value.map(operandText).join(" and ") : operandText(value);

/** One line, such as: "total is greater than 300 and any of the items: sku starts with BULKY". */
export function conditionText(condition: Condition): string {
  const group = groupOf(condition);
  if (group) {
    const texts = group.parts.map((part) => (groupOf(part) ? `(${conditionText(part)})` : conditionText(part)));
    return group.join === "none" ? `none of: ${texts.join("; ")}` : texts.join(group.join === "all" ? " and " : " or ");
  }
  const leaf = condition as Leaf;
  const where = whereOf(leaf);
  const chosen = where ? ` (${conditionText(where)})` : "";
  if ("path" in leaf) return comparisonText(pathName(leaf.path), leaf);
  if ("count" in leaf) return comparisonText(`number of ${listName(leaf.count)}${chosen}`, leaf);
  if ("sum" in leaf) return comparisonText(`sum of ${pathName(leaf.sum)}${chosen}`, leaf);
  const how = "any_of" in leaf ? "any of the" : "all";
  return `${how} ${listName(sideOf(leaf).path)}: ${where ? conditionText(where) : ""}`;
}

export const subjectTitle = (side: Side, path: string): string =>
  side === "count"
    ? `Number of ${listName(path)}`
    : side === "sum"
      ? `Sum of ${pathName(path)}`
      : side === "any_of"
        ? `Any of the ${listName(path)}`
        : side === "all_of"
          ? `All ${listName(path)}`
          : sentence(pathName(path));

/** Whether every part has its values. An incomplete condition is not sent. */
export function isComplete(condition: Condition): boolean {
  const group = groupOf(condition);
  if (group) return group.parts.every(isComplete);
  const leaf = condition as Leaf;
  const where = whereOf(leaf);
  if (where && !isComplete(where)) return false;
  if (sideOf(leaf).path === "") return false;
  if (!("op" in leaf) || leaf.op === "empty" || leaf.op === "not_empty") return true;
  const values = [leaf.value ?? ""].flat();
  return values.length > 0 && values.every((value) => value !== "" && !(isRecord(value) && value["path"] === ""));
}
