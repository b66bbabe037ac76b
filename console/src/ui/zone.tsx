import { createContext, use } from "react";
import type { Clock } from "./clock.ts";

/** Time zone and clock of the hub. The preview clock can be frozen or months ahead. */
const Context = createContext<Clock>({ timeZone: "UTC", now: () => Date.now() });
export const ClockProvider = Context.Provider;
export const useClock = (): Clock => use(Context);

const day = 86_400_000;
const styles = {
  minutes: { hour: "2-digit", minute: "2-digit" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  wholeDay: { year: "numeric", month: "2-digit", day: "2-digit" },
  nearDay: { day: "numeric", month: "short" },
  farDay: { day: "numeric", month: "short", year: "numeric" },
  all: {
    weekday: "short",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string, style: keyof typeof styles, ms: number): string {
  const key = style + timeZone;
  let format = formats.get(key);
  if (!format)
    formats.set(key, (format = new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", ...styles[style] })));
  return format.format(ms);
}

const nearDays = [
  [0, "today"],
  [1, "tomorrow"],
  [-1, "yesterday"],
] as const;

function nearName(ms: number, now: number, timeZone: string): string | undefined {
  const that = formatIn(timeZone, "wholeDay", ms);
  return nearDays.find(([offset]) => formatIn(timeZone, "wholeDay", now + offset * day) === that)?.[1];
}

/** Shortest unambiguous form: "today 17:00", "14 Mar 09:30", "14 Mar 2026 09:30". */
export function formatTime(value: string | number, { timeZone, now }: Clock, withSeconds = false): string {
  const ms = typeof value === "number" ? value : Date.parse(value);
  const at = now();
  const away = Math.abs(ms - at);
  const clock = formatIn(timeZone, withSeconds ? "seconds" : "minutes", ms);
  const name = away < 3 * day ? nearName(ms, at, timeZone) : undefined;
  return `${name ?? formatIn(timeZone, away < 180 * day ? "nearDay" : "farDay", ms)} ${clock}`;
}

export function formatFull(value: string | number, { timeZone }: Clock): string {
  const ms = typeof value === "number" ? value : Date.parse(value);
  return formatIn(timeZone, "all", ms);
}

/** Duration: "2 h", "3 d". */
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
