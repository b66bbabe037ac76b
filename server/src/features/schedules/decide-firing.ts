import type { Cron } from "./cron/cron.ts";
import { nextOccurrence, occurrencesAfter } from "./cron/cron-occurrences.ts";
import type { Schedule } from "./schedules.schemas.ts";
import { maxCaughtUp } from "./schedules.schemas.ts";

const dayMs = 86_400_000;
/** An occurrence that is later than this was missed, because no hub was running. */
const onTimeMs = 60_000;
/** Counting a year of minutes would block the process for seconds, so the count stops here. */
const mostCounted = 10_000;

type Due = {
  /** The last ones, in ascending order. */
  latest: number[];
  count: number;
  next: number;
};

/** Occurrences from `first` up to now. */
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

/** Searches back from now in growing steps. Only for frequent schedules, which have enough occurrences. */
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
  /** Undefined: paused. */
  nextRunAt: number | undefined;
  deferredRunAt: number | undefined;
  deferredUntil: number | undefined;
  openCount: number;
  now: number;
};

export type Firing = {
  run: number[];
  /** The occurrence that waits for the previous run to end, and the last one of those queued behind it. */
  deferredRunAt: number | undefined;
  deferredUntil: number | undefined;
  cancelsOpen: boolean;
  missedCount: number;
  /** Due, and skipped because the previous run has not ended. */
  overlapped: number[];
  next: number | undefined;
};

/** Decides which occurrences of a schedule run now, which are deferred and which are skipped. */
export function decideFiring(input: FiringInput): Firing {
  const { cron, timezone, now, nextRunAt } = input;
  const isReleased = input.deferredRunAt !== undefined && input.openCount === 0;
  const firing: Firing = {
    run: isReleased ? [input.deferredRunAt!] : [],
    ...(isReleased ? remainingDeferred(input) : deferredFrom(input.deferredRunAt, input.deferredUntil)),
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

type Deferred = Pick<Firing, "deferredRunAt" | "deferredUntil">;

function deferredFrom(first: number | undefined, last: number | undefined): Deferred {
  return first === undefined || last === undefined || last <= first
    ? { deferredRunAt: first, deferredUntil: undefined }
    : { deferredRunAt: first, deferredUntil: last };
}

/** The deferred occurrences after the first one, which runs now. */
function remainingDeferred({ cron, timezone, deferredRunAt, deferredUntil }: FiringInput): Deferred {
  if (deferredRunAt === undefined || deferredUntil === undefined) return deferredFrom(undefined, undefined);
  return deferredFrom(nextOccurrence(cron, timezone, deferredRunAt), deferredUntil);
}

/** `wanted` is in ascending order. Missed runs all run, one after the other unless `overlap` is `allow`. */
function applyOverlap(input: FiringInput, firing: Firing, wanted: number[]): Firing {
  if (input.overlap === "allow") return { ...firing, run: [...firing.run, ...wanted] };
  const isBusy = input.openCount > 0 || firing.run.length > 0;
  if (input.overlap === "cancel_running")
    return { ...firing, run: wanted.slice(-1), overlapped: wanted.slice(0, -1), cancelsOpen: isBusy };
  if (!isBusy) return { ...firing, run: wanted.slice(0, 1), ...deferredFrom(wanted[1], wanted.at(-1)) };
  if (input.overlap === "skip" || firing.deferredRunAt !== undefined) return { ...firing, overlapped: wanted };
  const isMissed = firing.missedCount > 0;
  return {
    ...firing,
    ...deferredFrom(wanted[0], isMissed ? wanted.at(-1) : undefined),
    overlapped: isMissed ? [] : wanted.slice(1),
  };
}
