import type { Cron } from "./cron.ts";
import { localTimeFrom } from "./cron-local-times.ts";
import { occurrencesAfter } from "./cron-occurrences.ts";
import { stretchAt } from "./zones.ts";

type DstTransition = {
  /** `shifted`: the named time does not exist that day. `repeated`: it occurs twice. */
  kind: "shifted" | "repeated";
  message: string;
};

export type UpcomingRun = { runAt: string; localTime: string; dstTransition?: DstTransition };

const minuteMs = 60_000;
const dayMs = 86_400_000;
const shownTimes = 3;
/** Years with five digits cannot be written in RFC 3339. */
const endOfTime = Date.UTC(10_000, 0, 1);

/** The next runs before a time, each with the effect of a daylight saving transition. */
export function upcomingRuns(
  cron: Cron,
  zone: string,
  after: number,
  count: number,
  before = endOfTime,
): UpcomingRun[] {
  const runs: UpcomingRun[] = [];
  for (const instant of occurrencesAfter(cron, zone, after)) {
    if (instant >= before || runs.push(presentRun(cron, zone, instant)) === count) break;
  }
  return runs;
}

function presentRun(cron: Cron, zone: string, instant: number): UpcomingRun {
  const dstTransition = transitionAt(cron, zone, instant);
  return {
    runAt: new Date(instant).toISOString(),
    localTime: localTimeOf(zone, instant),
    ...(dstTransition && { dstTransition }),
  };
}

export function localTimeOf(zone: string, instant: number): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return local.toString({ timeZoneName: "never", fractionalSecondDigits: 0 });
}

function transitionAt(cron: Cron, zone: string, instant: number): DstTransition | undefined {
  const stretch = stretchAt(zone, instant);
  const local = instant + stretch.offset;
  if (instant === stretch.start && stretch.offset > stretch.offsetBefore && !cron.runsEveryHour) {
    const gapStart = instant + stretch.offsetBefore;
    const skipped = localTimesBetween(cron, gapStart, local);
    if (skipped.length > 0) return shiftedBy(cron, skipped, gapStart, local);
  }
  const next = stretch.end === Infinity ? undefined : stretchAt(zone, stretch.end);
  const comesAgain = next !== undefined && local >= next.start + next.offset;
  if (comesAgain && !cron.isInterval) {
    return {
      kind: "repeated",
      message: `The clock goes back: ${clock(local)} comes twice that day. The run is at the first one.`,
    };
  }
  const cameBefore = local < stretch.start + stretch.offsetBefore;
  if (!comesAgain && !cameBefore) return undefined;
  const which = comesAgain ? "first" : "second";
  return {
    kind: "repeated",
    message: `The clock goes back: ${clock(local)} comes twice that day. This is the ${which} of two runs.`,
  };
}

function shiftedBy(cron: Cron, skipped: number[], gapStart: number, local: number): DstTransition {
  // A gap of a whole day, such as Samoa's in 2011, needs dates to be understood.
  const show = local - gapStart < dayMs ? clock : dateAndClock;
  const times = skipped.slice(0, shownTimes).map(show).join(", ") + (skipped.length > shownTimes ? " ..." : "");
  const exist = skipped.length === 1 ? "does not exist" : "do not exist";
  const verb = localTimeFrom(cron, local) === local ? "is covered by this run" : "moves here";
  const what = skipped.length === 1 ? verb : verb.replace("is", "are").replace("moves", "move together");
  const message = `The clock skips from ${show(gapStart)} to ${show(local)}: ${times} ${exist} that day and ${what}.`;
  return { kind: "shifted", message };
}

function localTimesBetween(cron: Cron, from: number, to: number): number[] {
  const times: number[] = [];
  let time = localTimeFrom(cron, from);
  while (time < to && times.length <= shownTimes) {
    times.push(time);
    time = localTimeFrom(cron, time + minuteMs);
  }
  return times;
}

function clock(local: number): string {
  return new Date(local).toISOString().slice(11, 16);
}

function dateAndClock(local: number): string {
  return `${new Date(local).toISOString().slice(0, 10)} ${clock(local)}`;
}
