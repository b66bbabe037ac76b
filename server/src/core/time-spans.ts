import type { WorkingCalendar } from "./working-days.ts";
import { addWorkingDaysTo } from "./working-days.ts";

const units = ["minute", "hour", "day", "week", "working day"] as const;
/** An amount of time, as conditions write it: `-2 working days`, `4 hours`. */
export type TimeSpan = { count: number; unit: (typeof units)[number] };

const spanShape = /^([+-]?\d{1,5}) (minute|hour|day|week|working day)s?$/;
/** Working days are counted one by one. */
const maxWorkingDays = 366;

/** Returns what is wrong when it is not a time span. */
export function parseTimeSpan(text: unknown): TimeSpan | string {
  const found = typeof text === "string" ? spanShape.exec(text) : null;
  if (!found) {
    return "A time span is a whole number and minutes, hours, days, weeks or working days, such as -2 working days.";
  }
  const span = { count: Number(found[1]), unit: found[2] as TimeSpan["unit"] };
  if (span.unit === "working day" && Math.abs(span.count) > maxWorkingDays) {
    return `At most ${maxWorkingDays} working days can be counted.`;
  }
  return span;
}

/** The same again, as a text for people. */
export function showTimeSpan({ count, unit }: TimeSpan): string {
  return `${Math.abs(count)} ${unit}${Math.abs(count) === 1 ? "" : "s"}`;
}

const exactMs: Partial<Record<TimeSpan["unit"], number>> = { minute: 60_000, hour: 3_600_000 };

/** Days, weeks and working days keep the local time when clocks change; hours and minutes are exact. */
export function addTimeSpan(at: Date, { count, unit }: TimeSpan, calendar: WorkingCalendar): Date {
  if (unit === "working day") return addWorkingDaysTo(at, count, calendar);
  const exact = exactMs[unit];
  if (exact !== undefined) return new Date(at.getTime() + count * exact);
  const days = unit === "week" ? 7 * count : count;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(calendar.timezone);
  return new Date(local.add({ days }).epochMilliseconds);
}
