import { readMoment } from "./moment-text.ts";
import { localTime, momentIn } from "./zoned-moment.ts";

/** What a field accepts: a day, a moment, or either. */
export type InstantKind = "date" | "date-time" | "either";

export const instantForms: Record<InstantKind, string> = {
  date: "YYYY-MM-DD",
  "date-time": "YYYY-MM-DD HH:MM",
  either: "YYYY-MM-DD or YYYY-MM-DD HH:MM",
};

const hasOffset = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** "2026-11-20 17:00" for a stored moment; days and words stay as they are. */
export function shownInstant(value: string, zone: string): string {
  return hasOffset.test(value) && !Number.isNaN(Date.parse(value)) ? localTime(value, zone) : value;
}

/**
 * The value of the typed text: a day, or a moment of the zone; "" for no text, undefined for text that is neither.
 * `timeOfDay`: of a day, where the field needs a moment.
 */
export function readInstant(kind: InstantKind, typed: string, zone: string, timeOfDay = "00:00"): string | undefined {
  const text = typed.trim();
  if (text === "") return "";
  const day = readMoment("date", text);
  if (day) return kind === "date-time" ? momentIn(zone, day, timeOfDay) : day;
  if (kind === "date") return undefined;
  if (hasOffset.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
  const local = readMoment("datetime-local", text);
  return local && momentIn(zone, local.slice(0, 10), local.slice(11, 16));
}
