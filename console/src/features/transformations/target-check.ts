import type { Answer } from "@order-operations-hub/sdk/client";
import { words } from "../../ui/format.ts";
import type { Row } from "./mapping.ts";

type TaskFields = Answer<"GET /api/v1/bridges/{id}/fields">;
export type TargetField = TaskFields["data"][number];

/** The fields that rows can fill. Without any, the hub does not know the format and checks nothing. */
export type Targets = { fields: readonly TargetField[]; recordType: string | null };

/** A row with an unknown target; `nearest` is the suggestion. */
export type WrongTarget = { message: string; nearest: string | undefined };

export type TargetReport = {
  /** Invalid targets by the pointer of their row. */
  wrong: ReadonlyMap<string, WrongTarget>;
  /** Why the mapping is not complete. */
  errors: readonly string[];
  /** Notes that are not errors. */
  notes: readonly string[];
};

const nouns: Record<string, string> = {
  orders: "An order",
  locations: "A location",
  tracking: "A tracking record",
  inventory: "A stock level",
};
const nounOf = (recordType: string | null): string => nouns[recordType ?? ""] ?? "The input of the task";

/** Normalizes "['a b'].c[0]" to "a b.c[]". */
const fieldPath = (target: string): string =>
  target
    .replaceAll(/\['([^']*)'\]/g, ".$1")
    .replaceAll(/\[(?:\d+|\*)?\]/g, "[]")
    .replace(/^\$?\./, "");

/** Checks the targets against the known fields. `isWhole`: the rows are the whole mapping. The hub applies the same rules. */
export function checkTargets(rows: readonly Row[], { fields, recordType }: Targets, isWhole: boolean): TargetReport {
  const noun = nounOf(recordType);
  const wrong = new Map<string, WrongTarget>();
  const errors: string[] = [];
  const filled = new Set<string>();
  const visit = (list: readonly Row[], pointer: string, around: string): void => {
    for (const [at, row] of list.entries()) {
      const own = `${pointer}/mappings/${at}`;
      const target = row.mapping["target"];
      if (typeof target !== "string" || target.trim() === "" || target.trim() === "$") continue;
      const path = around + fieldPath(target.trim());
      if (isKnown(path, fields)) filled.add(path);
      else wrong.set(own, wrongTarget(path, around, fields, noun));
      if (row.inner) {
        visit(row.inner, own, `${path}[].`);
        errors.push(...missingIn(`${path}[].`, row.inner, fields, `Each of ${words(path)}`));
      }
    }
  };
  visit(rows, "", "");
  if (wrong.size > 0)
    errors.push(
      wrong.size === 1 ? "A row has an unknown target field." : `${wrong.size} rows have an unknown target field.`,
    );
  if (isWhole && rows.length === 0) errors.push("There are no rows yet. Add a row for each field to fill.");
  if (isWhole && rows.length > 0) errors.push(...missingIn("", rows, fields, noun));
  const needsNumber = isWhole && rows.length > 0 && recordType === "orders" && !filled.has("number");
  return {
    wrong,
    errors,
    notes: needsNumber ? ["No row fills the order number, so the hub assigns its own numbers."] : [],
  };
}

function isKnown(path: string, fields: readonly TargetField[]): boolean {
  return fields.some(
    (field) =>
      field.path === path ||
      (field.isOpen && path.startsWith(`${field.path}.`)) ||
      (field.type === "list" && path === `${field.path}[]`) ||
      // A list element by index.
      (path.startsWith(`${field.path}[].`) && fields.some((inner) => inner.path === path)),
  );
}

function missingIn(around: string, rows: readonly Row[], fields: readonly TargetField[], noun: string): string[] {
  const targets = rows.map(({ mapping }) => (typeof mapping["target"] === "string" ? mapping["target"].trim() : ""));
  // "$" merges an object, whose fields are known only with the data.
  if (targets.includes("$")) return [];
  const filled = new Set(targets.map((target) => fieldPath(target).split(".")[0]));
  return fields
    .filter(({ path, required }) => required && path.startsWith(around) && !/[.[]/.test(path.slice(around.length)))
    .map(({ path }) => path.slice(around.length))
    .filter((name) => !filled.has(name))
    .map((name) => `${noun} needs ${words(name)}, and no row fills it.`);
}

function wrongTarget(path: string, around: string, fields: readonly TargetField[], noun: string): WrongTarget {
  const name = path.slice(around.length);
  const options = fields
    .filter((field) => field.path.startsWith(around))
    .map((field) => field.path.slice(around.length));
  const here = around === "" ? noun : `An element of ${around.slice(0, -3)}`;
  return { message: `${here} has no field ${name}.`, nearest: nearestOf(name, options) };
}

const lastOf = (path: string): string => (path.split(/[.[\]]+/).findLast(Boolean) ?? "").toLowerCase();

function nearestOf(name: string, options: readonly string[]): string | undefined {
  const wanted = lastOf(name);
  const ranked = options
    .filter((option) => !option.includes("[]"))
    .map((option) => ({ option, rank: rankOf(wanted, lastOf(option)) }))
    .filter(({ rank }) => rank <= 3)
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        sharedStart(other.option, name) - sharedStart(one.option, name) ||
        one.option.length - other.option.length,
    );
  return ranked[0]?.option;
}

function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function rankOf(wanted: string, found: string): number {
  if (wanted === found) return 0;
  if (wanted.length > 1 && (found.startsWith(wanted) || wanted.startsWith(found))) return 1;
  return 1 + distance(wanted, found);
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** Example record for suggestions when there is no sample output; only its shape matters. */
export function exampleRecord(fields: readonly TargetField[]): Record<string, unknown> {
  const example: Record<string, unknown> = {};
  const isShops = ({ path, type, values, isOpen }: TargetField): boolean =>
    values === null &&
    type !== "boolean" &&
    !isOpen &&
    !/(^|\.)(\w*[iI]d|hold)\b/.test(path) &&
    !/^(hold|packages|notes)/.test(path);
  const leaves = fields.filter((field) => isShops(field) && !fields.some(({ path }) => isInside(path, field.path)));
  for (const { path, type } of leaves)
    put(example, path.split("."), type === "number" ? 0 : type === "list" ? [""] : "");
  return example;
}

const isInside = (path: string, around: string): boolean =>
  path.startsWith(`${around}.`) || path.startsWith(`${around}[].`);

function put(into: Record<string, unknown>, [step = "", ...rest]: string[], value: unknown): void {
  const isList = step.endsWith("[]");
  const name = isList ? step.slice(0, -2) : step;
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = (into[name] ??= isList ? [{}] : {}) as Record<string, unknown> | [Record<string, unknown>];
  put(Array.isArray(inner) ? inner[0] : inner, rest, value);
}
