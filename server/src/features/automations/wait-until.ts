import { beginningOf } from "../../core/time-zones.ts";
import type { Wait } from "./automation-parts.schemas.ts";

const minuteMs = 60_000;
const unitMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: 1_440 * minuteMs, w: 7 * 1_440 * minuteMs };
const defaultAtMost = "7d";
/** The longest wait that can be requested. */
export const maxWaitDays = 366;

/** Of a text such as 2h, which its schema has checked. */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * unitMs[text.slice(-1)]!;
}

/** All durations of a wait, with their pointers. */
export function durationsIn({ until, at_most }: Wait): { pointer: string; text: string }[] {
  const found = typeof until === "object" ? { "/until/minus": until.minus, "/until/plus": until.plus } : {};
  const plain = typeof until === "string" && !until.startsWith("next") ? { "/until": until } : {};
  return Object.entries({ ...found, ...plain, "/at_most": at_most }).flatMap(([pointer, text]) =>
    text === undefined ? [] : [{ pointer, text }],
  );
}

/**
 * When a wait that began at `since` is over. With a condition: when the time for it has passed. Undefined if the order does not have
 * the date.
 */
export function endOfWait(wait: Wait, since: Date, order: object, zone: string): Date | undefined {
  const { until } = wait;
  const after = (text: string): Date => new Date(since.getTime() + durationMs(text));
  if (until === undefined) return after(wait.at_most ?? defaultAtMost);
  if (typeof until === "string")
    return until.startsWith("next ") ? nextTimeOfDay(until.slice(5), since, zone) : after(until);
  const date = momentAt(order, until.path, zone);
  if (date === undefined) return undefined;
  const shift = (until.plus ? durationMs(until.plus) : 0) - (until.minus ? durationMs(until.minus) : 0);
  return new Date(date + shift);
}

/** A time that a day does not have, because clocks are set forward, is moved to the next one that it has. */
function nextTimeOfDay(time: string, since: Date, zone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(since.getTime()).toZonedDateTimeISO(zone);
  const today = now.toPlainDate();
  const plainTime = Temporal.PlainTime.from(time);
  const candidates = [today, today.add({ days: 1 })].map((day) => day.toZonedDateTime({ timeZone: zone, plainTime }));
  return new Date(candidates.find((at) => Temporal.ZonedDateTime.compare(at, now) > 0)!.epochMilliseconds);
}

function momentAt(order: object, path: string, zone: string): number | undefined {
  const found = path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], order);
  if (typeof found !== "string") return undefined;
  const at = Date.parse(beginningOf(found, zone) ?? found);
  return Number.isNaN(at) ? undefined : at;
}
