import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { clockOf, formatDay } from "../../ui/calendar.ts";

export const overlapOptions = [
  { value: "skip", label: "Leave the new one out" },
  { value: "queue_one", label: "Let one wait" },
  { value: "allow", label: "Run both" },
  { value: "cancel_running", label: "Cancel the one that runs" },
];

export const missedOptions = [
  { value: "once", label: "Run once for all of them" },
  { value: "skip", label: "Leave them out" },
  { value: "all", label: "Run each of them, up to 100" },
];

export const labelOf = (options: ReadonlyArray<{ value: string; label: string }>, value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

/** Common cron expressions. */
export const cronPresets: Array<[label: string, cron: string]> = [
  ["Every 15 minutes", "*/15 * * * *"],
  ["Every hour", "0 * * * *"],
  ["Every night", "30 2 * * *"],
  ["Weekday mornings", "0 6 * * 1-5"],
  ["Mondays", "0 6 * * 1"],
  ["First of the month", "0 3 1 * *"],
];

export const triggerNames: Record<string, string> = {
  schedule: "by the clock",
  manual: "by hand",
  backfill: "backfill",
  retry: "retry",
};

export const nameOf = ({ name, taskName }: Pick<Schedule, "name" | "taskName">): string => name ?? taskName;

/** Local time of a zone: "Tue 17 Nov 02:30", with the year if it is not the current one. */
export function localText(localTime: string, now: number): string {
  const year = localTime.slice(0, 4);
  const day = formatDay(localTime.slice(0, 10));
  return `${day}${Number(year) === new Date(now).getFullYear() ? "" : ` ${year}`} ${clockOf(localTime)}`;
}
