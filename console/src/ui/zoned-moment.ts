/** The difference to UTC, in milliseconds, that a time zone has at this moment. */
function offsetAt(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(ms);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? "00";
  const local = `${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}:${of("second")}Z`;
  return Date.parse(local) - Math.floor(ms / 1000) * 1000;
}

/** The moment of a local date and time. */
export function momentIn(timeZone: string, day: string, time: string): string {
  const asUtc = Date.parse(`${day}T${time}:00Z`);
  const near = asUtc - offsetAt(asUtc, timeZone);
  return new Date(asUtc - offsetAt(near, timeZone)).toISOString();
}

/** "2026-11-20 17:00": a moment in a time zone. */
export function localTime(value: string, timeZone: string): string {
  const ms = Date.parse(value);
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16).replace("T", " ");
}
