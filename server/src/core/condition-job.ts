import type { ReadValues } from "./condition-operands.ts";
import type { SetLookup } from "./condition-operators.ts";
import type { Field, Members } from "./condition-types.ts";
import { findField } from "./condition-types.ts";
import type { FieldError } from "./errors.ts";
import { alternatives } from "./nearest.ts";
import type { WorkingCalendar } from "./working-days.ts";

/** `now` is the hub's time, for values relative to it. */
export type Predicate<Asked = unknown> = (record: Asked, now: Date) => boolean;

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
  /** Zone of days and of times without an offset, where there is no `calendar`. Default UTC. */
  timeZone?: string;
  /** Working days and time zone of the organization. Without it, working days are refused. */
  calendar?: WorkingCalendar;
  /** The condition was validated when it was stored, maybe by a version of the hub that allowed templates as plain text. */
  isChecked?: boolean;
};

/** The compilation of one condition. `errors` and `spent` are shared with that of conditions on the elements of a list. */
export type Job<Asked> = {
  sets: SetLookup;
  rules: ConditionRules<Asked>;
  errors: FieldError[];
  spent: { nodes: number };
  /** Compiles a condition on the elements of a list. */
  compileInner(condition: unknown, job: Job<unknown>, at: Spot): Predicate;
};

/** Where in the condition something is. */
export type Spot = { pointer: string; depth: number };

/** Reports a mistake and returns undefined, so that nothing is compiled. */
export function refuse<Asked>(
  { errors }: Job<Asked>,
  pointer: string,
  code: string,
  message: string,
  more: Partial<FieldError> = {},
): undefined {
  errors.push({ pointer, code, message, ...more });
}

export function refuseOthers<Asked>(job: Job<Asked>, node: object, known: readonly string[], pointer: string): void {
  for (const name of Object.keys(node)) {
    if (!known.includes(name)) refuse(job, `${pointer}/${name}`, "unknown_field", "There is no such field.");
  }
}

export function zoneOf<Asked>({ calendar, timeZone }: ConditionRules<Asked>): string {
  return calendar?.timezone ?? timeZone ?? "UTC";
}

/** The values at a path, and the field if it is known. */
export type CompiledPath<Asked> = { read: ReadValues<Asked>; field: Field | undefined };

export function compilePath<Asked>(path: unknown, at: string, job: Job<Asked>): CompiledPath<Asked> | undefined {
  const { rules } = job;
  const read = readerOf(path, rules);
  if (typeof read === "string") return refuse(job, at, "format", read);
  const mistake = pathMistake(path as string, rules);
  if (mistake) {
    const { code, message, ...more } = mistake;
    // The rest of the comparison is still checked, without knowledge of the field.
    refuse(job, at, code, message, more);
    return { read, field: undefined };
  }
  const found = rules.fields && findField(rules.fields, path as string);
  return { read, field: found && "field" in found ? found.field : undefined };
}

function readerOf<Asked>(path: unknown, { reader }: ConditionRules<Asked>): ReadValues<Asked> | string {
  if (reader) return typeof path === "string" ? reader(path) : "A path is a text.";
  if (typeof path !== "string" || !/^[\w-]+(\.[\w-]+)*$/.test(path)) {
    return "A path is names joined by dots, such as shippingAddress.countryCode.";
  }
  const steps = path.split(".");
  return (record) => valuesAt(record, steps);
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
export function valuesAt(record: unknown, steps: string[], from = 0): unknown[] {
  if (Array.isArray(record)) return record.flatMap((element) => valuesAt(element, steps, from));
  if (from === steps.length) return record === null || record === undefined || record === "" ? [] : [record];
  if (typeof record !== "object" || record === null) return [];
  return Object.hasOwn(record, steps[from]!)
    ? valuesAt((record as Record<string, unknown>)[steps[from]!], steps, from + 1)
    : [];
}
