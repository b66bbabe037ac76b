import { monthNames, weekdayNames } from "../../../core/calendar-names.ts";
import type { Cron, DayRule } from "./cron.ts";
import { zonePhrase } from "./zones.ts";

const ordinals = ["", "first", "second", "third", "fourth", "fifth"];
const mostTimesListed = 6;

/** The expression as a sentence, such as "At 02:30 every day, New York time". */
export function describeCron(cron: Cron, zone: string): string {
  const days = describeDays(cron.days);
  const inMonths = cron.months.length === 12 ? "" : ` in ${runs(cron.months, (month) => monthNames[month - 1]!)}`;
  // "Every 5 minutes every day" says no more than "Every 5 minutes".
  const goesWithoutSaying = cron.runsEveryHour && days === "every day" && inMonths === "";
  return `${describeTimes(cron)}${goesWithoutSaying ? "" : ` ${days}`}${inMonths}, ${zonePhrase(zone)}`;
}

function describeTimes({ minutes, hours, timesOfDay }: Cron): string {
  const everyHour = hours.length === 24;
  const minuteStep = evenStep(minutes, 60);
  if (minuteStep !== undefined) {
    const pace = minuteStep === 1 ? "Every minute" : `Every ${minuteStep} minutes`;
    if (everyHour) return pace;
    const last = minutes.at(-1)!;
    const spans = spansOf(hours).map(([from, to]) => `from ${clock(from * 60)} to ${clock(to * 60 + last)}`);
    if (spans.length <= 3) return `${pace} ${inWords(spans)}`;
  }
  if (timesOfDay.length <= mostTimesListed) return `At ${inWords(timesOfDay.map(clock))}`;
  const hourStep = evenStep(hours, 24);
  if (minutes.length === 1 && hourStep !== undefined) {
    if (hourStep > 1) return `Every ${hourStep} hours, starting at ${clock(minutes[0]!)}`;
    return minutes[0] === 0 ? "Every hour on the hour" : `Every hour at minute ${minutes[0]}`;
  }
  const at = minutes.length === 1 ? `minute ${minutes[0]}` : `minutes ${runs(minutes, String)}`;
  if (everyHour) return `Every hour at ${at}`;
  return `At ${at} of ${hours.length === 1 ? "hour" : "the hours"} ${runs(hours, String)}`;
}

function describeDays(rule: DayRule): string {
  switch (rule.by) {
    case "every_day":
      return "every day";
    case "day_of_month":
      return monthDays(rule);
    case "day_of_week":
      return weekDays(rule);
    default:
      return `${monthDays(rule)} and also ${weekDays(rule)}`;
  }
}

function monthDays({ daysOfMonth, hasLastDay }: DayRule): string {
  const days = [...daysOfMonth].toSorted((a, b) => a - b);
  const parts = days.length === 0 ? [] : [`${days.length === 1 ? "day" : "days"} ${runs(days, String)}`];
  if (hasLastDay) parts.push("the last day");
  return `on ${inWords(parts)} of the month`;
}

function weekDays(rule: DayRule): string {
  const parts: string[] = [];
  // Weeks are listed from Monday.
  const days = [...rule.weekdays].map((day) => (day === 0 ? 7 : day)).toSorted((a, b) => a - b);
  if (days.length > 0) parts.push(`every ${runs(days, (day) => weekdayNames[day % 7]!)}`);
  const special = [
    ...rule.nthWeekdays.map(({ weekday, nth }) => `the ${ordinals[nth]} ${weekdayNames[weekday]}`),
    ...rule.lastWeekdays.map((weekday) => `the last ${weekdayNames[weekday]}`),
  ];
  if (special.length > 0) parts.push(`on ${inWords(special)} of the month`);
  return parts.join(" and ");
}

/** 15 for 0, 15, 30, 45; undefined when the last interval differs, as for 0, 45: "every 45 minutes" would be wrong. */
function evenStep(rising: readonly number[], size: number): number | undefined {
  const step = size / rising.length;
  const isEven = rising.length > 1 && Number.isInteger(step) && rising.every((value, index) => value === index * step);
  return isEven ? step : undefined;
}

/** [9, 10, 11, 17] as [[9, 11], [17, 17]]. */
function spansOf(rising: readonly number[]): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (const value of rising) {
    const last = spans.at(-1);
    if (last && last[1] === value - 1) last[1] = value;
    else spans.push([value, value]);
  }
  return spans;
}

/** Three or more consecutive values become a range; a long list with an even step is cut. */
function runs(rising: readonly number[], name: (value: number) => string): string {
  const step = rising[1]! - rising[0]!;
  if (step > 1 && rising.length > 6 && rising.every((value, index) => value === rising[0]! + index * step)) {
    return `${rising.slice(0, 3).map(name).join(", ")} and so on to ${name(rising.at(-1)!)}`;
  }
  return inWords(
    spansOf(rising).flatMap(([from, to]) => {
      if (to === from) return [name(from)];
      return to === from + 1 ? [name(from), name(to)] : [`${name(from)} to ${name(to)}`];
    }),
  );
}

function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function clock(minuteOfDay: number): string {
  return `${String(Math.floor(minuteOfDay / 60)).padStart(2, "0")}:${String(minuteOfDay % 60).padStart(2, "0")}`;
}
