import type { Answer } from "@order-operations-hub/sdk/client";
import type { Row } from "./mapping.ts";

export type TargetField = Answer<"GET /api/v1/orders/fields">["data"][number];

/** A row with an unknown target; `nearest` is the suggestion. */
export type WrongTarget = { message: string; nearest: string | undefined };

export type TargetReport = {
  /** Invalid targets by the pointer of their row. */
  wrong: ReadonlyMap<string, WrongTarget>;
  /** Why the output is not a valid order. */
  errors: readonly string[];
  /** Notes that are not errors. */
  notes: readonly string[];
};

/** Normalizes "['a b'].c[0]" to "a b.c[]". */
const fieldPath = (target: string): string =>
  target
    .replaceAll(/\['([^']*)'\]/g, ".$1")
    .replaceAll(/\[(?:\d+|\*)?\]/g, "[]")
    .replace(/^\$?\./, "");

/** Checks the targets against the fields of an order. `isWhole`: the rows are the whole mapping. */
export function checkTargets(rows: readonly Row[], fields: readonly TargetField[], isWhole: boolean): TargetReport {
  const wrong = new Map<string, WrongTarget>();
  const errors: string[] = [];
  const filled = new Set<string>();
  const visit = (list: readonly Row[], pointer: string, around: string): void => {
    for (const [at, row] of list.entries()) {
      const own = `${pointer}/mappings/${at}`;
      const target = row.mapping["target"];
      if (typeof target !== "string" || target.trim() === "") continue;
      const path = around + fieldPath(target.trim());
      if (isKnown(path, fields)) filled.add(path);
      else wrong.set(own, wrongTarget(path, around, fields));
      if (row.inner) {
        visit(row.inner, own, `${path}[].`);
        errors.push(...missingIn(path, row.inner, fields));
      }
    }
  };
  visit(rows, "", "");
  if (wrong.size > 0)
    errors.push(
      wrong.size === 1
        ? "A row fills a field that an order does not have."
        : `${wrong.size} rows fill fields that an order does not have.`,
    );
  if (isWhole && rows.length === 0) errors.push("There are no rows: nothing fills the fields of an order.");
  const hasNumber = !isWhole || rows.length === 0 || filled.has("number");
  return { wrong, errors, notes: hasNumber ? [] : ["No row fills number: the hub numbers these orders itself."] };
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

function missingIn(list: string, inner: readonly Row[], fields: readonly TargetField[]): string[] {
  const filled = new Set(inner.map(({ mapping }) => String(mapping["target"])));
  return fields
    .filter(
      ({ path, required }) => required && path.startsWith(`${list}[].`) && !path.slice(list.length + 3).includes("."),
    )
    .map(({ path }) => path.slice(list.length + 3))
    .filter((name) => !filled.has(name))
    .map((name) => `Each of ${list} needs ${name}, and no row fills it.`);
}

function wrongTarget(path: string, around: string, fields: readonly TargetField[]): WrongTarget {
  const name = path.slice(around.length);
  const options = fields
    .filter((field) => field.path.startsWith(around))
    .map((field) => field.path.slice(around.length));
  const here = around === "" ? "An order" : `An element of ${around.slice(0, -3)}`;
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

/** Example order for suggestions when there is no sample output; only its shape matters. */
export function exampleOrder(fields: readonly TargetField[]): Record<string, unknown> {
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
