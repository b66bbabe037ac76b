import { monthNames, weekdayNames } from "../../../core/calendar-names.ts";
import { nearestName } from "../../../core/nearest.ts";

/** The values of one field. `nthWeekdays` and `lastWeekdays` come from `TUE#2` and `FRIL`. */
export type CronField = {
  values: Set<number>;
  /** Written with `*`: an interval, not named values. */
  hasStar: boolean;
  hasLastDay: boolean;
  nthWeekdays: { weekday: number; nth: number }[];
  lastWeekdays: number[];
};

type FieldSpec = {
  name: "minute" | "hour" | "day of month" | "month" | "day of week";
  min: number;
  max: number;
  names: readonly string[];
  /** Appended to every message about this field. */
  allowed: string;
  takesQuestionMark?: boolean;
};

const short = (name: string): string => name.slice(0, 3).toUpperCase();
export const shortMonths = monthNames.map(short);

export const fieldSpecs: readonly FieldSpec[] = [
  { name: "minute", min: 0, max: 59, names: [], allowed: "0 to 59, *, lists (0,30), ranges (0-10), steps (*/15)" },
  { name: "hour", min: 0, max: 23, names: [], allowed: "0 to 23, *, lists (9,17), ranges (9-17), steps (*/2)" },
  {
    name: "day of month",
    min: 1,
    max: 31,
    names: [],
    allowed: "1 to 31, * or ?, lists (1,15), ranges (1-7), steps (*/2), L for the last day",
    takesQuestionMark: true,
  },
  {
    name: "month",
    min: 1,
    max: 12,
    names: shortMonths,
    allowed: "1 to 12 or JAN to DEC, *, lists (1,7), ranges (JAN-MAR), steps (*/3)",
  },
  {
    name: "day of week",
    min: 0,
    max: 7,
    names: weekdayNames.map(short),
    allowed: "0 to 7 (0 and 7 are Sunday) or SUN to SAT, * or ?, lists, ranges (MON-FRI), TUE#2 (second), FRIL (last)",
    takesQuestionMark: true,
  },
];

/** Thrown and caught in this file only. */
class FieldProblem extends Error {}

export function parseField(spec: FieldSpec, text: string): CronField | { problem: string } {
  const found: CronField = {
    values: new Set(),
    hasStar: false,
    hasLastDay: false,
    nthWeekdays: [],
    lastWeekdays: [],
  };
  try {
    for (const item of text.toUpperCase().split(",")) parseItem(spec, item, found);
    return found;
  } catch (error) {
    if (error instanceof FieldProblem) return { problem: error.message };
    throw error;
  }
}

function parseItem(spec: FieldSpec, item: string, found: CronField): void {
  if (item === "") throw new FieldProblem("there is an empty part; write one value before and after each comma");
  if (parseSpecialDay(spec, item, found)) return;
  const [range = "", stepText, ...rest] = item.split("/");
  if (rest.length > 0) throw new FieldProblem(`"${item}" has more than one step`);
  const step = stepText === undefined ? 1 : readStep(spec, stepText);
  const [first, last] = readRange(spec, range, stepText !== undefined, found);
  for (let value = first; value <= last; value += step) found.values.add(wrap(spec, value));
}

function readRange(spec: FieldSpec, range: string, hasStep: boolean, found: CronField): [first: number, last: number] {
  const top = spec.name === "day of week" ? 6 : spec.max;
  if (range === "*" || (range === "?" && spec.takesQuestionMark === true)) {
    found.hasStar = true;
    return [spec.min, top];
  }
  if (range === "?") throw new FieldProblem("? stands only in the day fields; write *");
  const [from = "", to, ...rest] = range.split("-");
  if (rest.length > 0) throw new FieldProblem(`"${range}" is not a range; a range has two ends`);
  const first = readValue(spec, from);
  if (to === undefined) return [first, hasStep ? Math.max(top, first) : first];
  let last = readValue(spec, to);
  // In SAT-SUN and 5-0 Sunday is the end of the week.
  if (spec.name === "day of week" && last === 0 && first > 0) last = 7;
  if (last < first) {
    const split = goingRound(spec, from, to);
    throw new FieldProblem(`the range ${range} runs backwards; write ${split} if you mean it to go round`);
  }
  return [first, last];
}

/** SAT-TUE as SAT,SUN-TUE and 22-2 as 22-23,0-2, with names or numbers as given. */
function goingRound(spec: FieldSpec, from: string, to: string): string {
  const top = spec.name === "day of week" ? 6 : spec.max;
  const show = (value: number, like: string): string =>
    /^\d/.test(like) ? String(value) : spec.names[value - spec.min]!;
  const end = readValue(spec, from) >= top ? from : `${from}-${show(top, from)}`;
  const start = readValue(spec, to) === spec.min ? to : `${show(spec.min, to)}-${to}`;
  return `${end},${start}`;
}

/** L, TUE#2 and FRIL. */
function parseSpecialDay(spec: FieldSpec, item: string, found: CronField): boolean {
  if (spec.name === "day of month") {
    if (item === "L") return (found.hasLastDay = true);
    if (/^(L-\d+|LW|\d+W)$/.test(item)) throw new FieldProblem(`"${item}" is not supported; only L, the last day, is`);
    return false;
  }
  if (spec.name !== "day of week") return false;
  if (item === "L") throw new FieldProblem("L needs a day, such as 5L or FRIL for the last Friday of the month");
  const nth = /^(.+)#(.*)$/.exec(item);
  if (nth) {
    if (!/^[1-5]$/.test(nth[2]!)) throw new FieldProblem(`in "${item}" a number from 1 to 5 must follow the #`);
    found.nthWeekdays.push({ weekday: wrap(spec, readValue(spec, nth[1]!)), nth: Number(nth[2]) });
    return true;
  }
  const last = /^(.+)L$/.exec(item);
  if (!last) return false;
  found.lastWeekdays.push(wrap(spec, readValue(spec, last[1]!)));
  return true;
}

function readValue(spec: FieldSpec, text: string): number {
  if (/^\d{1,4}$/.test(text)) {
    const value = Number(text);
    if (value < spec.min || value > spec.max) throw new FieldProblem(`${value} is out of range`);
    return value;
  }
  const index = spec.names.indexOf(text);
  if (index >= 0) return index + spec.min;
  if (text === "") throw new FieldProblem("a number is missing");
  const nearest = nearestName(text.slice(0, 3), spec.names);
  throw new FieldProblem(`"${text}" is not understood${nearest === undefined ? "" : ` (the nearest is ${nearest})`}`);
}

function readStep(spec: FieldSpec, text: string): number {
  const most = spec.name === "day of week" ? 6 : spec.max;
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (step >= 1 && step <= most) return step;
  throw new FieldProblem(`the step "/${text}" must be a number from 1 to ${most}`);
}

function wrap(spec: FieldSpec, value: number): number {
  return spec.name === "day of week" ? value % 7 : value;
}
