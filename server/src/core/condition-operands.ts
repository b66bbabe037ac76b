import type { Field, OtherSide } from "./condition-types.ts";
import { typeNames } from "./condition-types.ts";
import { instantOf } from "./condition-operators.ts";
import type { TimeSpan } from "./time-spans.ts";
import { addTimeSpan, parseTimeSpan, showTimeSpan } from "./time-spans.ts";
import type { WorkingCalendar } from "./working-days.ts";

/** The values of one side of a comparison, for one record. */
export type ReadValues<Asked> = (record: Asked, now: Date) => unknown[];

/** A side of a comparison that is computed for each record. */
export type CompiledOperand<Asked> = { read: ReadValues<Asked>; side: OtherSide; shift: Shift };

/** The arithmetic on the value: `times` before `plus`. */
export type Shift = { times?: number; plus?: number | TimeSpan };

/** What operands are read with: how to read a path, and the calendar that time spans are counted in. */
export type OperandRules<Asked> = {
  read(path: unknown, pointer: string): { read: ReadValues<Asked>; field: Field | undefined } | undefined;
  calendar: WorkingCalendar;
  hasWorkingDays: boolean;
  /** Mappings have `$now()`, which makes known that their result depends on the time. */
  hasNow: boolean;
  refuse(at: string, code: string, message: string): undefined;
};

/** Whether a value is read or computed for each record instead of being a constant. */
export function isOperand(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const anything: Field = { type: undefined, oneOf: undefined, members: undefined, isList: false };
const moment: Field = { ...anything, type: "moment" };

/** `{path, times, plus}` or `{now}`. Undefined if it was refused. */
export function compileOperand<Asked>(
  given: Record<string, unknown>,
  pointer: string,
  rules: OperandRules<Asked>,
): CompiledOperand<Asked> | undefined {
  const { refuse } = rules;
  const { path, now, times, plus, ...unknown } = given;
  for (const name of Object.keys(unknown)) {
    refuse(`${pointer}/${name}`, "unknown_field", "There is no such field: allowed are path, times, plus, or now.");
  }
  if ((path === undefined) === (now === undefined)) {
    return refuse(pointer, "one_of", "A value that is not a constant has either a path or now.");
  }
  if (now !== undefined) {
    for (const name of ["times", "plus"]) {
      if (name in given)
        refuse(
          `${pointer}/${name}`,
          "unknown_field",
          "Not allowed with now: put the whole time span into now, such as -2 days.",
        );
    }
    if (!rules.hasNow) return refuse(`${pointer}/now`, "unknown_field", "Use the path $now() here, with plus.");
    const span = readSpan(now, `${pointer}/now`, rules);
    if (!span) return undefined;
    return { read: momentFromNow(span, rules.calendar), side: { label: "now", field: moment }, shift: { plus: span } };
  }
  const found = rules.read(path, `${pointer}/path`);
  if (!found) return undefined;
  const shift = readShift({ times, plus }, pointer, rules);
  if (!shift) return undefined;
  const label = String(path);
  const wrong = found.field && shiftMistake(found.field, label, shift);
  if (wrong) refuse(`${pointer}/${wrong.at}`, "type", wrong.message);
  const read = shifted(found.read, shift, rules.calendar);
  return { read, side: { label, field: found.field ?? anything }, shift };
}

function readSpan<Asked>(
  text: unknown,
  at: string,
  { hasWorkingDays, refuse }: OperandRules<Asked>,
): TimeSpan | undefined {
  const span = parseTimeSpan(text);
  if (typeof span === "string") return refuse(at, "time_span", span);
  if (span.unit !== "working day" || hasWorkingDays) return span;
  return refuse(at, "time_span", "Working days can be used in conditions on orders only.");
}

function readShift<Asked>(
  { times, plus }: { times: unknown; plus: unknown },
  pointer: string,
  rules: OperandRules<Asked>,
): Shift | undefined {
  if (times !== undefined && typeof times !== "number") {
    return rules.refuse(`${pointer}/times`, "type", "A number is needed.");
  }
  const factor = times === undefined ? {} : { times };
  if (plus === undefined) return factor;
  if (typeof plus === "number") return { ...factor, plus };
  const span = readSpan(plus, `${pointer}/plus`, rules);
  if (!span) return undefined;
  return times === undefined
    ? { plus: span }
    : rules.refuse(`${pointer}/times`, "type", "A moment cannot be multiplied.");
}

function shiftMistake(
  { type }: Field,
  path: string,
  { times, plus }: Shift,
): { at: string; message: string } | undefined {
  if (type === undefined) return undefined;
  const isSpan = typeof plus === "object";
  if (isSpan && type !== "moment") {
    return { at: "plus", message: `${path} is ${typeNames[type]}: a time span can be added to a moment only.` };
  }
  if (!isSpan && (times !== undefined || plus !== undefined) && type !== "number") {
    const at = times === undefined ? "plus" : "times";
    return { at, message: `${path} is ${typeNames[type]}: only numbers can be multiplied and added.` };
  }
  return undefined;
}

/** Computed once for the orders that are evaluated at the same moment. */
function momentFromNow(span: TimeSpan, calendar: WorkingCalendar): ReadValues<unknown> {
  let last: { now: number; values: string[] } | undefined;
  return (_record, now) => {
    const at = now.getTime();
    if (last?.now !== at) last = { now: at, values: [addTimeSpan(now, span, calendar).toISOString()] };
    return last.values;
  };
}

function shifted<Asked>(
  read: ReadValues<Asked>,
  { times = 1, plus = 0 }: Shift,
  calendar: WorkingCalendar,
): ReadValues<Asked> {
  if (typeof plus === "object") {
    return (record, now) =>
      read(record, now).flatMap((value) => {
        const at = instantOf(value, calendar.timezone);
        return at ? [addTimeSpan(at, plus, calendar).toISOString()] : [];
      });
  }
  if (times === 1 && plus === 0) return read;
  return (record, now) =>
    read(record, now).flatMap((value) => (typeof value === "number" ? [roundSum(value * times + plus)] : []));
}

/** Without the error of binary fractions: ten times 4.99 is 49.9. */
export function roundSum(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The arithmetic as words after the name of the field. */
export function showShift({ times, plus }: Shift): string {
  const factor = times === undefined ? "" : ` times ${times}`;
  if (plus === undefined || plus === 0) return factor;
  if (typeof plus === "number") return `${factor} ${plus < 0 ? "minus" : "plus"} ${Math.abs(plus)}`;
  return `${factor} ${plus.count < 0 ? "minus" : "plus"} ${showTimeSpan(plus)}`;
}
