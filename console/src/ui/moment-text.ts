/** Dates and times as people type them. The values are those of native fields: "2026-11-18", "14:30", "2026-11-18T14:30". */
export type MomentKind = "date" | "time" | "datetime-local";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const two = (value: number): string => String(value).padStart(2, "0");

function dateOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1900 && year < 2200;
  return isReal ? `${year}-${two(month)}-${two(day)}` : undefined;
}

/** "2026-11-18", "18.11.2026", "18 Nov 2026". Not "11/18/2026": half of the world reads it in the other order. */
function readDate(text: string): string | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (dotted) return dateOf(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]));
  const named = /^(\d{1,2})\.? ([a-z]{3})[a-z]*\.? (\d{4})$/i.exec(text);
  const month = named ? months.indexOf(named[2]!.toLowerCase()) + 1 : 0;
  return named && month > 0 ? dateOf(Number(named[3]), month, Number(named[1])) : undefined;
}

/** "14:30", "1430", "9", "2:30 pm". */
function readTime(text: string): string | undefined {
  const found = /^(\d{1,2})(?:[:.]?(\d{2}))?(?::\d{2}(?:\.\d+)?)? ?([ap]\.?m\.?)?$/i.exec(text);
  if (!found) return undefined;
  const half = found[3]?.charAt(0).toLowerCase();
  const given = Number(found[1]);
  if (half && (given < 1 || given > 12)) return undefined;
  const hours = half ? (given % 12) + (half === "p" ? 12 : 0) : given;
  const minutes = Number(found[2] ?? 0);
  return hours < 24 && minutes < 60 ? `${two(hours)}:${two(minutes)}` : undefined;
}

/** The value of the typed text; "" for no text, undefined for text that is no date or time. */
export function readMoment(kind: MomentKind, typed: string): string | undefined {
  const text = typed.trim().replaceAll(/\s+/g, " ");
  if (text === "") return "";
  if (kind === "date") return readDate(text);
  if (kind === "time") return readTime(text);
  const split = /^(.+?)(?:T|,? )(\d{1,2}(?:[:.]?\d{2})?(?::\d{2}(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?)$/i.exec(text);
  const [date, time] = split ? [readDate(split[1]!), readTime(split[2]!)] : [undefined, undefined];
  return date && time ? `${date}T${time}` : undefined;
}

/** The value as it is shown. */
export const shownMoment = (kind: MomentKind, value: string): string =>
  kind === "datetime-local" ? value.slice(0, 16).replace("T", " ") : value;

export const momentForms: Record<MomentKind, string> = {
  date: "YYYY-MM-DD",
  time: "HH:MM",
  "datetime-local": "YYYY-MM-DD HH:MM",
};
