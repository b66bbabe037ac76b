import type { FieldError } from "./errors.ts";
import type { Field, Members } from "./condition-types.ts";
import { findField, typeMistake } from "./condition-types.ts";
import type { Operator } from "./condition-shape.ts";
import { conditionLimits, operators } from "./condition-shape.ts";
import { alternatives } from "./nearest.ts";
import { beginningOf } from "./time-zones.ts";

/** Membership in a condition set, by its id or name; undefined when there is no such set. */
export type SetLookup = (idOrName: string) => ((value: string) => boolean) | undefined;

export type Predicate<Asked = unknown> = (record: Asked) => boolean;

/** The condition sets that a condition refers to, so that they can be loaded once before it is compiled. */
export function referredSets(condition: unknown): string[] {
  if (typeof condition !== "object" || condition === null) return [];
  const node = condition as Record<string, unknown>;
  const inner = [node.all, node.any].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const own =
    typeof node.op === "string" && node.op.endsWith("in_set") && typeof node.value === "string" ? [node.value] : [];
  return [...own, ...[...inner, node.not].flatMap(referredSets)];
}

/** Which paths a condition may use, and how values are read. */
export type ConditionRules<Asked = unknown> = {
  /**
   * The fields of the records. Another path is rejected: with a misspelt name `ne` and `not` would be true for every record. So is
   * a value that the field can never have.
   */
  fields?: Members;
  /** Why this caller may not query a path: the result of a condition reveals the value. */
  refusal?(path: string): { code: string; message: string } | undefined;
  /** Reads a path in another notation than names joined by dots. Returns a text if the path is invalid. */
  reader?(path: string): ((record: Asked) => unknown[]) | string;
  /** Zone of days and of times without an offset. Default UTC. */
  timeZone?: string;
  /** The condition was validated when it was stored, maybe by a version of the hub that allowed templates as plain text. */
  isChecked?: boolean;
};

/** Compiled once, run for every record. All mistakes are reported, with pointers below `pointer`. */
export function compileCondition<Asked = unknown>(
  condition: unknown,
  sets: SetLookup,
  pointer: string,
  rules: ConditionRules<Asked> = {},
): Predicate<Asked> | FieldError[] {
  const job: Job<Asked> = { sets, rules, errors: [], nodes: 0 };
  const predicate = compileNode(condition, job, pointer, 0);
  return job.errors.length > 0 ? job.errors : predicate;
}

type Job<Asked> = { sets: SetLookup; rules: ConditionRules<Asked>; errors: FieldError[]; nodes: number };
const never = (): boolean => false;

function compileNode<Asked>(condition: unknown, job: Job<Asked>, pointer: string, depth: number): Predicate<Asked> {
  const refuse: Refuse = (at, code, message, more = {}) => {
    job.errors.push({ pointer: at, code, message, ...more });
    return never;
  };
  const { parts: maxNodes, depth: maxDepth } = conditionLimits;
  if (++job.nodes > maxNodes || depth > maxDepth) {
    return refuse(pointer, "too_complex", `A condition has at most ${maxNodes} parts, ${maxDepth} deep.`);
  }
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) {
    return refuse(pointer, "type", "A condition is an object with path, op, value, or all, any, not.");
  }
  const node = condition as Record<string, unknown>;
  const kinds = ["path", "all", "any", "not"].filter((kind) => kind in node);
  if (kinds.length !== 1) return refuse(pointer, "one_of", "Exactly one of path, all, any, not is needed.");
  const inside = (child: unknown, at: string): Predicate<Asked> => compileNode(child, job, at, depth + 1);
  if ("path" in node) return compileComparison(node, job, pointer, refuse);
  for (const name of Object.keys(node)) {
    if (!kinds.includes(name)) refuse(`${pointer}/${name}`, "unknown_field", "There is no such field.");
  }
  if ("not" in node) {
    const inner = inside(node.not, `${pointer}/not`);
    return (record) => !inner(record);
  }
  const join = "all" in node ? "all" : "any";
  const list = node[join];
  if (!Array.isArray(list) || list.length === 0) {
    return refuse(`${pointer}/${join}`, "type", "A list of conditions is needed.");
  }
  const parts = list.map((child, index) => inside(child, `${pointer}/${join}/${index}`));
  return join === "all"
    ? (record) => parts.every((part) => part(record))
    : (record) => parts.some((part) => part(record));
}

type Refuse = (at: string, code: string, message: string, more?: Partial<FieldError>) => () => boolean;

function compileComparison<Asked>(
  node: Record<string, unknown>,
  { sets, rules }: Job<Asked>,
  pointer: string,
  refuse: Refuse,
): Predicate<Asked> {
  const { path, op, value, ...unknown } = node;
  for (const name of Object.keys(unknown)) refuse(`${pointer}/${name}`, "unknown_field", "There is no such field.");
  const read = readerOf(path, rules);
  if (typeof read === "string") return refuse(`${pointer}/path`, "format", read);
  const field = checkPath(path as string, rules, (code, message, more) =>
    refuse(`${pointer}/path`, code, message, more),
  );
  if (typeof op !== "string" || !(operators as readonly string[]).includes(op)) {
    return refuse(`${pointer}/op`, "enum", "There is no such operator.", alternatives(op, operators));
  }
  const template = rules.isChecked ? undefined : templateIn(value);
  if (template) {
    const message = `${template.text} is not filled in here: a condition compares with fixed values, not with another field.`;
    return refuse(`${pointer}/value${template.at}`, "template", message);
  }
  const said = { isWrong: false };
  const test = compileOperator(op as Operator, value, { sets, timeZone: rules.timeZone ?? "UTC" }, (message) => {
    said.isWrong = true;
    return refuse(`${pointer}/value`, "value", message);
  });
  const mistake = field && !said.isWrong ? typeMistake(field, path as string, op as Operator, value) : undefined;
  if (mistake) refuse(pointer + mistake.at, mistake.code, mistake.message, mistake.more);
  return (record) => test(read(record));
}

/** The first `{{...}}` in a value. Compared as plain text, `ne` would be true for every record. */
function templateIn(value: unknown): { at: string; text: string } | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [i, one] of values.entries()) {
    const text = typeof one === "string" ? /\{\{.*?\}\}/s.exec(one)?.[0] : undefined;
    if (text !== undefined) return { at: Array.isArray(value) ? `/${i}` : "", text: text.slice(0, 100) };
  }
  return undefined;
}

function readerOf<Asked>(path: unknown, { reader }: ConditionRules<Asked>): ((record: Asked) => unknown[]) | string {
  if (reader) return typeof path === "string" ? reader(path) : "A path is a text.";
  if (typeof path !== "string" || !/^[\w-]+(\.[\w-]+)*$/.test(path)) {
    return "A path is names joined by dots, such as shippingAddress.countryCode.";
  }
  const steps = path.split(".");
  return (record) => valuesAt(record, steps);
}

function checkPath<Asked>(
  path: string,
  rules: ConditionRules<Asked>,
  refuse: (code: string, message: string, more?: Partial<FieldError>) => void,
): Field | undefined {
  const mistake = pathMistake(path, rules);
  if (mistake) {
    const { code, message, ...more } = mistake;
    refuse(code, message, more);
    return undefined;
  }
  const found = rules.fields && findField(rules.fields, path);
  return found && "field" in found ? found.field : undefined;
}

/** Why a path cannot be used: it does not exist, or the caller may not query that field. */
export function pathMistake(
  path: string,
  { fields, refusal }: Pick<ConditionRules, "fields" | "refusal">,
): Omit<FieldError, "pointer"> | undefined {
  const refused = refusal?.(path);
  if (refused) return refused;
  const found = fields && findField(fields, path);
  if (!found || "field" in found) return undefined;
  const message = `There is no field ${found.unknown}.`;
  return { code: "unknown_field", message, ...alternatives(found.unknown, found.allowed) };
}

/** Reads into lists: `lines.sku` is the SKU of any line. */
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

type Around = { sets: SetLookup; timeZone: string };

function compileOperator(op: Operator, value: unknown, around: Around, refuse: (message: string) => unknown): Test {
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
      const test = compileOperator(opposites[op], value, around, refuse);
      return (values) => !test(values);
    }
    case "empty":
      return (values) => values.length === 0;
    case "eq":
    case "has_tag": {
      if (!isScalar(value)) return fail("A text, number or boolean is needed.");
      const { plain, moment } = wantedOf(value, around);
      return some((found) => {
        const folded = fold(found);
        return folded === plain || (moment !== undefined && folded === moment);
      });
    }
    case "in": {
      if (!Array.isArray(value) || !value.every(isScalar))
        return fail("A list of texts, numbers or booleans is needed.");
      const all = value.map((one) => wantedOf(one, around));
      const wanted = new Set(all.flatMap(({ plain, moment }) => (moment === undefined ? [plain] : [plain, moment])));
      return some((found) => wanted.has(fold(found)));
    }
    case "in_set": {
      const has = typeof value === "string" ? around.sets(value) : undefined;
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
      const [low, high] = value.map((one) => wantedOf(one, around)) as [Wanted, Wanted];
      return some((found) => compare(found, low) >= 0 && compare(found, high) <= 0);
    }
    default: {
      if (!isOrdered(value)) return fail("A number or a text (such as a date) is needed.");
      const wanted = wantedOf(value, around);
      return some((found) => {
        const order = compare(found, wanted);
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

/** Texts are compared ignoring case, times as instants in any notation. */
function fold(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const at = instant.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? value.toLowerCase() : new Date(at).toISOString().toLowerCase();
}

/** The value of the condition. `moment` is the instant of a day or an incomplete time, for comparisons with an instant. */
type Wanted = { plain: unknown; moment: string | undefined };

function wantedOf(value: unknown, { timeZone }: Around): Wanted {
  const moment = typeof value === "string" ? beginningOf(value, timeZone)?.toLowerCase() : undefined;
  return { plain: fold(value), moment };
}

/** NaN for values without an order between them, so that every comparison is false. */
function compare(value: unknown, { plain, moment }: Wanted): number {
  const found = fold(value);
  const wanted = moment !== undefined && typeof value === "string" && instant.test(value) ? moment : plain;
  if (typeof wanted === "number") return (typeof found === "number" ? found : Number.NaN) - wanted;
  if (typeof found !== "string" || typeof wanted !== "string") return Number.NaN;
  return found < wanted ? -1 : found > wanted ? 1 : 0;
}
