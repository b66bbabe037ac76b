/** Dates and times as carriers write them: 20260131, 153000, 15:30:00. */

/** 2026-01-31, of 20260131, 2026-01-31 or an instant. Undefined for anything else. */
export function dayOf(text: string | undefined): string | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})(?:T|$|\s)/.exec(text ?? "");
  const day = match ? `${match[1]}-${match[2]}-${match[3]}` : "";
  return Number.isNaN(Date.parse(day)) ? undefined : day;
}

/** 20260131, of 2026-01-31 or an instant with the offset of its place. */
export function compactDay(text: string): string {
  return text.slice(0, 10).replaceAll("-", "");
}

/** 15:30:00, of 1530, 153000 or 15:30:00. A missing time counts as the start of the day. */
export function clockTime(text: string | undefined): string {
  const digits = (text ?? "").replaceAll(/\D/g, "").padEnd(6, "0");
  return `${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4, 6)}`;
}

/** The local time of an instant with the offset of its place: 10:00 of 2026-01-31T10:00:00-05:00. */
export function localClock(instant: string): string {
  return instant.slice(11, 16);
}

/** The day at a place, as 2026-01-31. `example`: any instant written with the offset of the place. */
export function dayThere(instant: Date, example: string): string {
  const match = /([+-])(\d{2}):?(\d{2})$/.exec(example);
  const minutes = match ? (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
  return new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, 10);
}
