import type { Cron, DayRule } from "./cron.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** The rarest day, a leap day on a given weekday, is at most 40 years away; 100 leaves a margin. */
const longestSearchMonths = 1_200;

/**
 * The first wall clock time, at or after `from`, that the expression names. Wall clock times are milliseconds as if the clock showed UTC;
 * cron-occurrences.ts applies daylight saving.
 */
export function localTimeFrom(cron: Cron, from: number): number {
  const startOfDay = Math.floor(from / dayMs) * dayMs;
  const minute = Math.ceil((from - startOfDay) / minuteMs);
  const today = dayFrom(cron, startOfDay);
  if (today > startOfDay) return today + cron.timesOfDay[0]! * minuteMs;
  const later = cron.timesOfDay.find((time) => time >= minute);
  if (later !== undefined) return startOfDay + later * minuteMs;
  return dayFrom(cron, startOfDay + dayMs) + cron.timesOfDay[0]! * minuteMs;
}

/** The first day, at or after this one, on which the expression runs. */
function dayFrom(cron: Cron, startOfDay: number): number {
  const date = new Date(startOfDay);
  let year = date.getUTCFullYear();
  let month = date.getUTCMonth() + 1;
  let firstDay = date.getUTCDate();
  for (let searched = 0; searched < longestSearchMonths; searched++) {
    if (cron.months.includes(month)) {
      const startOfMonth = utcDay(year, month, 1);
      const length = new Date(utcDay(year, month + 1, 0)).getUTCDate();
      const firstWeekday = new Date(startOfMonth).getUTCDay();
      for (let day = firstDay; day <= length; day++) {
        if (isDay(cron.days, day, length, (firstWeekday + day - 1) % 7)) return startOfMonth + (day - 1) * dayMs;
      }
    }
    firstDay = 1;
    month = month === 12 ? 1 : month + 1;
    if (month === 1) year++;
  }
  throw new Error(`The cron expression ${cron.expression} has no run in 100 years.`);
}

/** `Date.UTC` maps years up to 99 to the 20th century. */
function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function isDay(rule: DayRule, day: number, monthLength: number, weekday: number): boolean {
  switch (rule.by) {
    case "every_day":
      return true;
    case "day_of_month":
      return isMonthDay(rule, day, monthLength);
    case "day_of_week":
      return isWeekday(rule, day, monthLength, weekday);
    default:
      return isMonthDay(rule, day, monthLength) || isWeekday(rule, day, monthLength, weekday);
  }
}

function isMonthDay(rule: DayRule, day: number, monthLength: number): boolean {
  return rule.daysOfMonth.has(day) || (rule.hasLastDay && day === monthLength);
}

function isWeekday(rule: DayRule, day: number, monthLength: number, weekday: number): boolean {
  if (rule.weekdays.has(weekday)) return true;
  if (rule.lastWeekdays.includes(weekday) && day > monthLength - 7) return true;
  const nth = Math.ceil(day / 7);
  return rule.nthWeekdays.some((wanted) => wanted.weekday === weekday && wanted.nth === nth);
}
