import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { clockOf, formatDay } from "../../ui/calendar.ts";

export const overlapOptions = [
  { value: "skip", label: "Skip the new run" },
  { value: "queue_one", label: "Queue one run" },
  { value: "allow", label: "Run both" },
  { value: "cancel_running", label: "Cancel the running one" },
];

export const missedOptions = [
  { value: "once", label: "Run once" },
  { value: "skip", label: "Skip them" },
  { value: "all", label: "Run each, up to 100" },
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

export const nameOf = ({ name, taskName }: Pick<Schedule, "name" | "taskName">): string => name ?? taskTitle(taskName);

/** Local time of a zone: "Tue 17 Nov 02:30", with the year if it is not the current one. */
export function localText(localTime: string, now: number): string {
  const year = localTime.slice(0, 4);
  const day = formatDay(localTime.slice(0, 10));
  return `${day}${Number(year) === new Date(now).getFullYear() ? "" : ` ${year}`} ${clockOf(localTime)}`;
}
