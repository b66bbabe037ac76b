import type { Operator } from "./condition-shape.ts";
import { compilePattern } from "./text-patterns.ts";
import { beginningOf } from "./time-zones.ts";

/** Membership in a condition set, by its id or name; undefined when there is no such set. */
export type SetLookup = (idOrName: string) => ((value: string) => boolean) | undefined;

/** Whether the values of a field meet an operator with a constant value. */
export type Test = (values: unknown[]) => boolean;
/** The same with values that are read from the record: one list for each side, two for `between`. */
export type TestAgainst = (values: unknown[], others: unknown[][]) => boolean;

const opposites = { ne: "eq", not_in: "in", not_in_set: "in_set", not_empty: "empty" } as const;

export function isNegation(op: Operator): op is keyof typeof opposites {
  return Object.hasOwn(opposites, op);
}

export function oppositeOf(op: keyof typeof opposites): Operator {
  return opposites[op];
}

export type Around = { sets: SetLookup; timeZone: string };

export function compileOperator(
  op: Operator,
  value: unknown,
  around: Around,
  refuse: (message: string) => unknown,
): Test {
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
      return some((found) => hasPart(op, found, part));
    }
    case "matches": {
      const matches = compilePattern(value);
      if (typeof matches === "string") return fail(matches);
      return some((found) => isScalar(found) && matches(String(found)));
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
      return some((found) => isOrderedAs(op, compare(found, wanted)));
    }
  }
}

/** Undefined: the operator needs a constant. */
export function compileAgainst(op: Operator, timeZone: string): TestAgainst | undefined {
  const onlyOne = (others: unknown[]): unknown => (others.length === 1 ? others[0] : undefined);
  switch (op) {
    case "ne":
    case "not_in": {
      const test = compileAgainst(opposites[op], timeZone)!;
      return (values, others) => !test(values, others);
    }
    case "eq":
    case "has_tag":
      // Two empty fields are equal; an empty one equals no value.
      return (values, [others = []]) => (values.length === 0 && others.length === 0) || haveCommon(values, others);
    case "in":
      return (values, [others = []]) => haveCommon(values, others);
    case "contains":
    case "starts_with":
    case "ends_with":
      return (values, [others = []]) => {
        const part = onlyOne(others);
        return isScalar(part) && values.some((found) => hasPart(op, found, String(part).toLowerCase()));
      };
    case "between":
      return (values, [low = [], high = []]) =>
        values.some(
          (found) =>
            comparePair(found, onlyOne(low), timeZone) >= 0 && comparePair(found, onlyOne(high), timeZone) <= 0,
        );
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return (values, [others = []]) =>
        values.some((found) => isOrderedAs(op, comparePair(found, onlyOne(others), timeZone)));
    default:
      return undefined;
  }
}

function haveCommon(values: unknown[], others: unknown[]): boolean {
  // A list of thousands of lines compared with another one would otherwise take millions of comparisons.
  const wanted = new Set(others.map(fold));
  return values.some((found) => wanted.has(fold(found)));
}

function hasPart(op: "contains" | "starts_with" | "ends_with", found: unknown, part: string): boolean {
  const has = ({ contains: "includes", starts_with: "startsWith", ends_with: "endsWith" } as const)[op];
  return isScalar(found) && String(found).toLowerCase()[has](part);
}

function isOrderedAs(op: Operator, order: number): boolean {
  return op === "gt" ? order > 0 : op === "gte" ? order >= 0 : op === "lt" ? order < 0 : order <= 0;
}

export function isScalar(value: unknown): value is string | number | boolean {
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

function wantedOf(value: unknown, { timeZone }: Pick<Around, "timeZone">): Wanted {
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

/** Compares two values of records, either of which may be a day where the other is an instant. */
function comparePair(value: unknown, other: unknown, timeZone: string): number {
  const isDayFirst = typeof value === "string" && typeof other === "string" && instant.test(other);
  const day = isDayFirst && !instant.test(value) ? beginningOf(value, timeZone) : undefined;
  return compare(day ?? value, wantedOf(other, { timeZone }));
}

/** The instant that a text stands for; undefined if it is neither an instant nor the beginning of one, such as a day. */
export function instantOf(value: unknown, timeZone: string): Date | undefined {
  if (typeof value !== "string") return undefined;
  const text = instant.test(value) ? value : beginningOf(value, timeZone);
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at);
}
