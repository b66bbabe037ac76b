import type { ParcelToTrack, TrackingEvent, TrackingStatus } from "./tracking.ts";

const dayMs = 86_400_000;

/** Shorter than the time after which carriers reuse numbers; longer than it takes until a parcel is recorded that was shipped before. */
export const ownEventsMs = 60 * dayMs;

/** Carriers reuse tracking numbers: events from long before the parcel was shipped belong to another one. */
export function eventsOf(parcel: Pick<ParcelToTrack, "shippedAt">, events: TrackingEvent[]): TrackingEvent[] {
  const first = Date.parse(parcel.shippedAt) - ownEventsMs;
  if (Number.isNaN(first)) return events;
  // A local time is at most 14 hours away from what it is here.
  return events.filter(({ at }) => !(Date.parse(hasZone(at) ? at : `${at}Z`) < first - dayMs / 2));
}

/** A local time that was passed off as UTC or given an offset that is not its own. */
export function withoutZone(at: string): string {
  return at.replace(zone, "");
}

/**
 * The events, and the status of the parcel as one more where none of them has it: many carriers report events without a status. It
 * happened at the newest event, or at `at` if that is later.
 */
export function withSummary(
  events: TrackingEvent[],
  { status, at, description }: { status: TrackingStatus; at: string | undefined; description: string },
): TrackingEvent[] {
  if (status === "unknown" || events.some((event) => event.status === status)) return events;
  const times = [at, ...events.map((event) => event.at)].filter((time) => time !== undefined);
  const [newest] = times.toSorted((a, b) => b.localeCompare(a));
  return newest === undefined ? events : [...events, { at: newest, status, description }];
}

const zone = /(Z|[+-]\d{2}:?\d{2})$/i;

function hasZone(at: string): boolean {
  return /T/.test(at) && zone.test(at);
}
