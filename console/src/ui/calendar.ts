/** Calendar dates without a time zone: "2026-11-17". */
const dayMs = 86_400_000;

const atNoon = (date: string): Date => new Date(`${date}T12:00:00Z`);
const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

export const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(atNoon(text).getTime());

export const addDays = (date: string, days: number): string => dateOf(new Date(atNoon(date).getTime() + days * dayMs));

/** Monday of the same week. */
export const mondayOf = (date: string): string => addDays(date, -((atNoon(date).getUTCDay() + 6) % 7));

/** Calendar date in a time zone. */
export function dayIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const shortDay = format({ weekday: "short", day: "numeric", month: "short" });
const longDay = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dayOfYear = format({ day: "numeric", month: "short", year: "numeric" });
const justDay = format({ weekday: "short", day: "numeric" });

/** "Tue 17 Nov" */
export const formatDay = (date: string): string => shortDay.format(atNoon(date)).replace(",", "");
export const formatLongDay = (date: string): string => longDay.format(atNoon(date)).replace(",", "");
/** "20 Jul 2026" */
export const formatDate = (date: string | null): string => (date === null ? "–" : dayOfYear.format(atNoon(date)));
/** "Tue 17" */
export const formatWeekday = (date: string): string => justDay.format(atNoon(date)).replace(",", "");

/** Local time of day of a timestamp with an offset. */
export const clockOf = (offsetTime: string): string => offsetTime.slice(11, 16);

/** "New York" for "America/New_York". */
export const cityOfZone = (timeZone: string): string => (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
