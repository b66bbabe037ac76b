import type { Static } from "typebox";
import type { FieldError } from "./errors.ts";
import { validationFailed } from "./errors.ts";
import { optional } from "./schema.ts";
import { localDateOf } from "./time-zones.ts";
import { Type } from "./type.ts";

/** Calendar days in this time zone, both inclusive. */
export type DayWindow = { from: string; to: string; timeZone: string };

const defaultDays = 30;
const maxDays = 366;
const dayMs = 86_400_000;

const DateOnly = (description: string) => Type.String({ format: "date", description });

/** Query parameters of a window of days. */
export const windowQuery = optional({
  days: Type.Integer({ minimum: 1, maximum: maxDays, description: "Days up to `to`, or up to today; default 30" }),
  from: DateOnly("First day of the window, in the time zone of the organization"),
  to: DateOnly("Last day of the window, in the time zone of the organization; default today"),
});
export type WindowQuery = Static<ReturnType<typeof Type.Object<typeof windowQuery>>>;

export function toDayWindow({ days, from, to }: WindowQuery, now: Date, timeZone: string): DayWindow {
  const errors: FieldError[] = [];
  const last = to ?? localDateOf(now.toISOString(), timeZone);
  const first = from ?? addDays(last, 1 - (days ?? defaultDays));
  if (days !== undefined && from !== undefined) {
    errors.push({ pointer: "query/days", code: "contradiction", message: "Send either `days` or `from`." });
  }
  for (const [name, date] of Object.entries({ from, to })) {
    if (date === undefined || (date >= "1970" && date < "2200")) continue;
    errors.push({ pointer: `query/${name}`, code: "format", message: "This is not a day between 1970 and 2200." });
  }
  if (first > last) {
    errors.push({ pointer: "query/from", code: "date_order", message: "`to` is before `from`." });
  } else if (countDays({ from: first, to: last }) > maxDays) {
    errors.push({ pointer: "query/from", code: "window_too_long", message: `A window has at most ${maxDays} days.` });
  }
  if (errors.length > 0) throw validationFailed(errors);
  return { from: first, to: last, timeZone };
}

export function countDays({ from, to }: Pick<DayWindow, "from" | "to">): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** The window of the same length that ends on the day before. */
export function windowBefore(window: DayWindow): DayWindow {
  return { ...window, from: addDays(window.from, -countDays(window)), to: addDays(window.from, -1) };
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}
