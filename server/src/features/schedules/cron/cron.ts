import type { FieldError } from "../../../core/errors.ts";
import { alternatives } from "../../../core/nearest.ts";
import type { CronField } from "./cron-fields.ts";
import { fieldSpecs, parseField, shortMonths } from "./cron-fields.ts";

export type Cron = {
  /** As given, with single spaces. */
  expression: string;
  minutes: readonly number[];
  hours: readonly number[];
  months: readonly number[];
  days: DayRule;
  /** The minutes of the day at which it runs, ascending. */
  timesOfDay: readonly number[];
  /** The hour field is `*`. A gap of an hour never skips all of its runs, so no run is shifted out of the gap. */
  runsEveryHour: boolean;
  /** It follows elapsed time instead of naming times: when an hour is repeated, it runs in both. */
  isInterval: boolean;
};

export type DayRule = {
  /** `either`: day of month and day of week are both restricted, and one of them is enough. */
  by: "every_day" | "day_of_month" | "day_of_week" | "either";
  daysOfMonth: ReadonlySet<number>;
  hasLastDay: boolean;
  weekdays: ReadonlySet<number>;
  nthWeekdays: CronField["nthWeekdays"];
  lastWeekdays: readonly number[];
};

export type ParsedCron = { cron: Cron; errors?: undefined } | { cron?: undefined; errors: FieldError[] };

const nicknames = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const fieldList = "minute, hour, day of month, month, day of week";

/** Parses a cron expression. Reports every invalid field with what it allows. */
export function parseCron(expression: string, pointer = "/cron"): ParsedCron {
  const given = expression.trim().split(/\s+/).join(" ");
  const problem = (code: string, message: string, more: Partial<FieldError> = {}): ParsedCron => ({
    errors: [{ pointer, code, message, ...more }],
  });
  if (given === "") return problem("cron_empty", `A cron expression has five fields: ${fieldList}.`);
  if (given.startsWith("@") && !nicknames.has(given.toLowerCase())) {
    const message = `"${given.slice(0, 40)}" is not a known nickname.`;
    return problem("cron_unknown_nickname", message, alternatives(given, [...nicknames.keys()]));
  }
  const texts = (nicknames.get(given.toLowerCase()) ?? given).split(" ");
  if (texts.length !== 5) return problem("cron_field_count", countMessage(texts.length));
  const fields: CronField[] = [];
  const errors: FieldError[] = [];
  for (const [index, spec] of fieldSpecs.entries()) {
    const field = parseField(spec, texts[index]!);
    if ("problem" in field) {
      const message = `In the ${spec.name} field, ${field.problem}. Allowed: ${spec.allowed}.`;
      errors.push({ pointer, code: "cron_field_invalid", message });
    } else fields.push(field);
  }
  if (errors.length > 0) return { errors };
  const cron = assemble(given, fields as [CronField, CronField, CronField, CronField, CronField]);
  return canFire(cron) ? { cron } : problem("cron_never_fires", neverMessage(cron));
}

/** Parses an expression that was validated before it was stored. */
export function storedCron(expression: string): Cron {
  const { cron, errors } = parseCron(expression);
  if (!cron) throw new Error(`A stored cron expression is not valid: ${errors[0]?.message}`);
  return cron;
}

function assemble(expression: string, fields: [CronField, CronField, CronField, CronField, CronField]): Cron {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  const minutes = rising(minute.values);
  const hours = rising(hour.values);
  const isMonthDayRestricted = dayOfMonth.values.size < 31;
  const isWeekdayRestricted = dayOfWeek.values.size < 7;
  const runsEveryHour = hour.hasStar && hours.length === 24;
  return {
    expression,
    minutes,
    hours,
    months: rising(month.values),
    days: {
      by: isMonthDayRestricted
        ? isWeekdayRestricted
          ? "either"
          : "day_of_month"
        : isWeekdayRestricted
          ? "day_of_week"
          : "every_day",
      daysOfMonth: dayOfMonth.values,
      hasLastDay: dayOfMonth.hasLastDay,
      weekdays: dayOfWeek.values,
      nthWeekdays: dayOfWeek.nthWeekdays,
      lastWeekdays: dayOfWeek.lastWeekdays,
    },
    timesOfDay: hours.flatMap((h) => minutes.map((m) => h * 60 + m)),
    runsEveryHour,
    isInterval: runsEveryHour || minute.hasStar,
  };
}

const longestMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Only a day of the month can be impossible: every month has every weekday, and in some years February has five of one. */
function canFire({ days, months }: Cron): boolean {
  if (days.by !== "day_of_month" || days.hasLastDay) return true;
  const earliest = Math.min(...days.daysOfMonth);
  return months.some((month) => earliest <= longestMonth[month - 1]!);
}

function neverMessage({ days, months }: Cron): string {
  const named = months.map((month) => shortMonths[month - 1]).join(" or ");
  const listed = rising(days.daysOfMonth).join(" or ");
  return `This would never run: there is no day ${listed} in ${named}. Use L for the last day of a month.`;
}

function countMessage(count: number): string {
  const hint = count === 6 || count === 7 ? " Fields for seconds and years are not supported." : "";
  return `A cron expression has five fields (${fieldList}); this one has ${count}.${hint}`;
}

function rising(values: Iterable<number>): number[] {
  return [...values].toSorted((a, b) => a - b);
}
