import type { Cron } from "./cron.ts";
import { localTimeFrom } from "./cron-local-times.ts";
import type { Stretch } from "./zones.ts";
import { stretchAt } from "./zones.ts";

const weekMs = 7 * 86_400_000;

/**
 * When an expression runs, across clock changes:
 * - The clock skips: the named times inside the gap share one run at the first instant after it. An expression that runs every hour is not
 *   shifted.
 * - The clock goes back: a named time runs the first time it occurs. An interval runs in both passes.
 * Instants are milliseconds since 1970. Results are always later than `after`.
 */
export function nextOccurrence(cron: Cron, zone: string, after: number): number {
  let stretch = stretchAt(zone, after);
  let from = Math.max(after + 1 + stretch.offset, firstNewLocalTime(cron, stretch));
  let candidate = localTimeFrom(cron, from);
  for (;;) {
    const instant = candidate - stretch.offset;
    if (instant < stretch.end) return instant;
    // No named time lies before a far candidate, so clock changes on the way do not matter.
    if (instant - weekMs > stretch.end && stretch.end + stretch.offset - weekMs > from) {
      stretch = stretchAt(zone, instant - weekMs);
      continue;
    }
    const next = stretchAt(zone, stretch.end);
    const isInGap = candidate < next.start + next.offset;
    if (isInGap && !cron.runsEveryHour) return next.start;
    stretch = next;
    const nextFrom = firstNewLocalTime(cron, stretch);
    if (nextFrom < from || nextFrom > candidate) candidate = localTimeFrom(cron, nextFrom);
    from = nextFrom;
  }
}

/** Start of a stretch on the wall clock; for named times without the hour that is repeated. */
function firstNewLocalTime(cron: Cron, { start, offset, offsetBefore }: Stretch): number {
  return start + (cron.isInterval ? offset : Math.max(offset, offsetBefore));
}

/** All occurrences after an instant, without end. */
export function* occurrencesAfter(cron: Cron, zone: string, after: number): Generator<number, never> {
  let last = after;
  for (;;) yield (last = nextOccurrence(cron, zone, last));
}
