import type { Cron } from "./cron/cron.ts";
import { nextOccurrence, occurrencesAfter } from "./cron/cron-occurrences.ts";
import type { Schedule } from "./schedules.schemas.ts";
import { maxCaughtUp } from "./schedules.schemas.ts";

const dayMs = 86_400_000;
/** Later than this, an occurrence was missed: the hub was not at work. */
const onTimeMs = 60_000;
/** A year of minutes would block the process for seconds; nobody needs that count to the last one. */
const mostCounted = 10_000;

type Due = {
  /** The last of them, rising. */
  latest: number[];
  count: number;
  next: number;
};

/** The occurrences from `first` on that are due now. */
function dueOccurrences(cron: Cron, zone: string, first: number, now: number): Due {
  let latest: number[] = [];
  let count = 0;
  let at = first;
  while (at <= now && count < mostCounted) {
    latest.push(at);
    count++;
    at = nextOccurrence(cron, zone, at);
  }
  if (at <= now) latest = lastOccurrences(cron, zone, now);
  return { latest: latest.slice(-maxCaughtUp), count, next: at > now ? at : nextOccurrence(cron, zone, now) };
}

/** Looks back from now, further until there are enough. Only for what is frequent. */
function lastOccurrences(cron: Cron, zone: string, now: number): number[] {
  for (let back = dayMs; ; back *= 2) {
    const found = occurrencesAfter(cron, zone, now - back);
    const times: number[] = [];
    for (const at of found) {
      if (at > now) break;
      times.push(at);
    }
    if (times.length >= maxCaughtUp) return times;
  }
}

export type FiringInput = {
  cron: Cron;
  timezone: string;
  overlap: Schedule["overlap"];
  missed: Schedule["missed"];
  /** Undefined: nothing is due, it is only looked at because something waits. */
  nextRunAt: number | undefined;
  deferredRunAt: number | undefined;
  deferredUntil: number | undefined;
  openCount: number;
  now: number;
};

export type Firing = {
  run: number[];
  /** The occurrence that waits for the run before it to end, and the last of those that wait behind it. */
  deferredRunAt: number | undefined;
  deferredUntil: number | undefined;
  cancelsOpen: boolean;
  missedCount: number;
  /** Due, and left out because the run before has not ended. */
  overlapped: number[];
  next: number | undefined;
};

/** What has to be done about a schedule now. */
export function decideFiring(input: FiringInput): Firing {
  const { cron, timezone, now, nextRunAt } = input;
  const isReleased = input.deferredRunAt !== undefined && input.openCount === 0;
  const firing: Firing = {
    run: isReleased ? [input.deferredRunAt!] : [],
    ...(isReleased ? lineBehind(input) : lineOf(input.deferredRunAt, input.deferredUntil)),
    cancelsOpen: false,
    missedCount: 0,
    overlapped: [],
    next: nextRunAt,
  };
  if (nextRunAt === undefined || nextRunAt > now) return firing;
  const due = dueOccurrences(cron, timezone, nextRunAt, now);
  const onTime = due.latest.filter((at) => now - at <= onTimeMs);
  firing.next = due.next;
  firing.missedCount = due.count - onTime.length;
  const wanted = firing.missedCount === 0 ? onTime : caughtUp(input.missed, due.latest, onTime);
  return wanted.length === 0 ? firing : applyOverlap(input, firing, wanted);
}

function caughtUp(policy: Schedule["missed"], due: number[], onTime: number[]): number[] {
  if (policy === "all") return due;
  return policy === "skip" ? onTime : due.slice(-1);
}

type Line = Pick<Firing, "deferredRunAt" | "deferredUntil">;

function lineOf(first: number | undefined, last: number | undefined): Line {
  return first === undefined || last === undefined || last <= first
    ? { deferredRunAt: first, deferredUntil: undefined }
    : { deferredRunAt: first, deferredUntil: last };
}

/** Of those that wait, the first has its turn now. */
function lineBehind({ cron, timezone, deferredRunAt, deferredUntil }: FiringInput): Line {
  if (deferredRunAt === undefined || deferredUntil === undefined) return lineOf(undefined, undefined);
  return lineOf(nextOccurrence(cron, timezone, deferredRunAt), deferredUntil);
}

/** What is due, rising. Of several that were missed each runs, but none beside another unless that is allowed. */
function applyOverlap(input: FiringInput, firing: Firing, wanted: number[]): Firing {
  if (input.overlap === "allow") return { ...firing, run: [...firing.run, ...wanted] };
  const isBusy = input.openCount > 0 || firing.run.length > 0;
  if (input.overlap === "cancel_running")
    return { ...firing, run: wanted.slice(-1), overlapped: wanted.slice(0, -1), cancelsOpen: isBusy };
  if (!isBusy) return { ...firing, run: wanted.slice(0, 1), ...lineOf(wanted[1], wanted.at(-1)) };
  if (input.overlap === "skip" || firing.deferredRunAt !== undefined) return { ...firing, overlapped: wanted };
  const isMissed = firing.missedCount > 0;
  return {
    ...firing,
    ...lineOf(wanted[0], isMissed ? wanted.at(-1) : undefined),
    overlapped: isMissed ? [] : wanted.slice(1),
  };
}
