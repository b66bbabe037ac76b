import type { FieldError } from "./errors.ts";
import { alternatives } from "./nearest.ts";

/** What a `when` looks like: one comparison, or several joined by all, any, not. */
export type Condition =
  | { path: string; op: Operator; value?: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

export const operators = [
  "eq",
  "ne",
  "in",
  "not_in",
  "in_set",
  "not_in_set",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "contains",
  "starts_with",
  "ends_with",
  "empty",
  "not_empty",
  "has_tag",
] as const;
type Operator = (typeof operators)[number];

/** Membership in a condition set, by its id or name; undefined when there is no such set. */
export type SetLookup = (idOrName: string) => ((value: string) => boolean) | undefined;

export type Predicate = (record: unknown) => boolean;

const maxDepth = 10;
const maxNodes = 200;

/** The condition sets that a condition refers to, so that they can be loaded once before it is compiled. */
export function referredSets(condition: unknown): string[] {
  if (typeof condition !== "object" || condition === null) return [];
  const node = condition as Record<string, unknown>;
  const inner = [node.all, node.any].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const own =
    typeof node.op === "string" && node.op.endsWith("in_set") && typeof node.value === "string" ? [node.value] : [];
  return [...own, ...[...inner, node.not].flatMap(referredSets)];
}

/** What paths a condition may name. */
export type PathRules = {
  /** A path that begins with none of them is a mistake: with a misspelt name `ne` and `not` would hold for every record. */
  fields?: readonly string[];
  /** Why this caller may not ask for what lies there, if so: whether a condition holds tells what it asks about. */
  refusal?(path: string): { code: string; message: string } | undefined;
};

/** Compiled once, run for every record. All mistakes are reported, with pointers below `pointer`. */
export function compileCondition(
  condition: unknown,
  sets: SetLookup,
  pointer: string,
  paths: PathRules = {},
): Predicate | FieldError[] {
  const errors: FieldError[] = [];
  const budget = { nodes: 0, paths };
  const predicate = compileNode(condition, sets, pointer, errors, budget, 0);
  return errors.length > 0 ? errors : predicate;
}

type Budget = { nodes: number; paths: PathRules };
const never: Predicate = () => false;

function compileNode(
  condition: unknown,
  sets: SetLookup,
  pointer: string,
  errors: FieldError[],
  budget: Budget,
  depth: number,
): Predicate {
  const refuse = (at: string, code: string, message: string, more: Partial<FieldError> = {}): Predicate => {
    errors.push({ pointer: at, code, message, ...more });
    return never;
  };
  if (++budget.nodes > maxNodes || depth > maxDepth) {
    return refuse(pointer, "too_complex", `A condition has at most ${maxNodes} parts, ${maxDepth} deep.`);
  }
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) {
    return refuse(pointer, "type", "A condition is an object with path, op, value, or all, any, not.");
  }
  const node = condition as Record<string, unknown>;
  const kinds = ["path", "all", "any", "not"].filter((kind) => kind in node);
  if (kinds.length !== 1) return refuse(pointer, "one_of", "Exactly one of path, all, any, not is needed.");
  const inside = (child: unknown, at: string): Predicate => compileNode(child, sets, at, errors, budget, depth + 1);

  if ("not" in node) {
    const inner = inside(node.not, `${pointer}/not`);
    return (record) => !inner(record);
  }
  for (const join of ["all", "any"] as const) {
    if (!(join in node)) continue;
    const list = node[join];
    if (!Array.isArray(list) || list.length === 0)
      return refuse(`${pointer}/${join}`, "type", "A list of conditions is needed.");
    const parts = list.map((child, index) => inside(child, `${pointer}/${join}/${index}`));
    return join === "all"
      ? (record) => parts.every((part) => part(record))
      : (record) => parts.some((part) => part(record));
  }
  return compileComparison(node, sets, pointer, refuse, budget.paths);
}

type Refuse = (at: string, code: string, message: string, more?: Partial<FieldError>) => Predicate;

function compileComparison(
  node: Record<string, unknown>,
  sets: SetLookup,
  pointer: string,
  refuse: Refuse,
  { fields, refusal }: PathRules,
): Predicate {
  const { path, op, value, ...unknown } = node;
  for (const name of Object.keys(unknown)) refuse(`${pointer}/${name}`, "unknown_field", "There is no such field.");
  if (typeof path !== "string" || !/^[\w-]+(\.[\w-]+)*$/.test(path)) {
    return refuse(`${pointer}/path`, "format", "A path is names joined by dots, such as shippingAddress.countryCode.");
  }
  const steps = path.split(".");
  if (fields && !fields.includes(steps[0]!)) {
    const message = `There is no field ${steps[0]}.`;
    refuse(`${pointer}/path`, "unknown_field", message, alternatives(steps[0], fields));
  }
  const refused = refusal?.(path);
  if (refused) refuse(`${pointer}/path`, refused.code, refused.message);
  if (typeof op !== "string" || !(operators as readonly string[]).includes(op)) {
    return refuse(`${pointer}/op`, "enum", "There is no such operator.", alternatives(op, operators));
  }
  const test = compileOperator(op as Operator, value, sets, (message) => refuse(`${pointer}/value`, "value", message));
  return (record) => test(valuesAt(record, steps));
}

/** Lists are looked into: `lines.sku` stands for the SKU of any line. */
function valuesAt(record: unknown, steps: string[], from = 0): unknown[] {
  if (Array.isArray(record)) return record.flatMap((element) => valuesAt(element, steps, from));
  if (from === steps.length) return record === null || record === undefined || record === "" ? [] : [record];
  if (typeof record !== "object" || record === null) return [];
  return Object.hasOwn(record, steps[from]!)
    ? valuesAt((record as Record<string, unknown>)[steps[from]!], steps, from + 1)
    : [];
}

type Test = (values: unknown[]) => boolean;

const opposites = { ne: "eq", not_in: "in", not_in_set: "in_set", not_empty: "empty" } as const;

function compileOperator(op: Operator, value: unknown, sets: SetLookup, refuse: (message: string) => unknown): Test {
  const fail = (message: string): Test => {
    refuse(message);
    return () => false;
  };
  const some =
    (test: (found: unknown) => boolean): Test =>
    (values) =>
      values.some(test);
  switch (op) {
    case "ne":
    case "not_in":
    case "not_in_set":
    case "not_empty": {
      const test = compileOperator(opposites[op], value, sets, refuse);
      return (values) => !test(values);
    }
    case "empty":
      return (values) => values.length === 0;
    case "eq":
    case "has_tag": {
      if (!isScalar(value)) return fail("A text, number or boolean is needed.");
      const wanted = fold(value);
      return some((found) => fold(found) === wanted);
    }
    case "in": {
      if (!Array.isArray(value) || !value.every(isScalar))
        return fail("A list of texts, numbers or booleans is needed.");
      const wanted = new Set(value.map(fold));
      return some((found) => wanted.has(fold(found)));
    }
    case "in_set": {
      const has = typeof value === "string" ? sets(value) : undefined;
      if (!has) return fail("There is no condition set with this id or name.");
      return some((found) => isScalar(found) && has(String(found)));
    }
    case "contains":
    case "starts_with":
    case "ends_with": {
      if (typeof value !== "string" || value === "") return fail("A text is needed.");
      const part = value.toLowerCase();
      const has = ({ contains: "includes", starts_with: "startsWith", ends_with: "endsWith" } as const)[op];
      return some((found) => isScalar(found) && String(found).toLowerCase()[has](part));
    }
    case "between": {
      if (!Array.isArray(value) || value.length !== 2 || !value.every(isOrdered))
        return fail("Two numbers or two texts are needed.");
      const [low, high] = value.map(fold);
      return some((found) => compare(fold(found), low) >= 0 && compare(fold(found), high) <= 0);
    }
    default: {
      if (!isOrdered(value)) return fail("A number or a text (such as a date) is needed.");
      const wanted = fold(value);
      return some((found) => {
        const order = compare(fold(found), wanted);
        return op === "gt" ? order > 0 : op === "gte" ? order >= 0 : op === "lt" ? order < 0 : order <= 0;
      });
    }
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isOrdered(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Texts are compared without regard to case, as people read them; moments without regard to how they are written. */
function fold(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const at = instant.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? value.toLowerCase() : new Date(at).toISOString().toLowerCase();
}

/** Both folded. NaN, so that no comparison holds, for things that have no order between them. */
function compare(found: unknown, wanted: unknown): number {
  if (typeof wanted === "number") return (typeof found === "number" ? found : Number.NaN) - wanted;
  if (typeof found !== "string" || typeof wanted !== "string") return Number.NaN;
  return found < wanted ? -1 : found > wanted ? 1 : 0;
}
