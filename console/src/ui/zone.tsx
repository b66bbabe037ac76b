import { createContext, use } from "react";
import type { Clock } from "./clock.ts";

/** In which zone times are read, and what the hub's clock says: in a preview it may stand still, or be months ahead. */
const Context = createContext<Clock>({ timeZone: "UTC", now: () => Date.now() });
export const ClockProvider = Context.Provider;
export const useClock = (): Clock => use(Context);

const day = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format)
    formats.set(key, (format = new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", ...options })));
  return format;
}

const dayOf = (ms: number, timeZone: string): string =>
  formatOf(timeZone, { year: "numeric", month: "2-digit", day: "2-digit" }).format(ms);

/** "today 17:00", "14 Mar 09:30", "14 Mar 2026 09:30": as short as it stays clear. */
export function formatTime(value: string | number, { timeZone, now }: Clock, withSeconds = false): string {
  const ms = typeof value === "number" ? value : Date.parse(value);
  const at = now();
  const clock = formatOf(timeZone, {
    hour: "2-digit",
    minute: "2-digit",
    ...(withSeconds ? { second: "2-digit" } : {}),
  }).format(ms);
  const that = dayOf(ms, timeZone);
  for (const [offset, name] of [
    [0, "today"],
    [1, "tomorrow"],
    [-1, "yesterday"],
  ] as const) {
    if (dayOf(at + offset * day, timeZone) === that) return `${name} ${clock}`;
  }
  const isNear = Math.abs(ms - at) < 180 * day;
  const date = formatOf(timeZone, { day: "numeric", month: "short", ...(isNear ? {} : { year: "numeric" }) }).format(
    ms,
  );
  return `${date} ${clock}`;
}

export function formatFull(value: string | number, { timeZone }: Clock): string {
  const ms = typeof value === "number" ? value : Date.parse(value);
  return formatOf(timeZone, {
    weekday: "short",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(ms);
}

/** "2 h", "3 d": how long something takes or is late. */
export function formatSpan(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 60 / 24)} d`;
}

export function Time({ at, withSeconds }: { at: string | null | undefined; withSeconds?: boolean }) {
  const clock = useClock();
  if (!at) return <span className="text-muted">–</span>;
  return (
    <time dateTime={at} title={formatFull(at, clock)}>
      {formatTime(at, clock, withSeconds)}
    </time>
  );
}
