import type { ParcelToTrack, TrackingEvent } from "./tracking.ts";

const dayMs = 86_400_000;

/** Carriers reuse tracking numbers: events from long before the parcel was shipped belong to another one. */
export function eventsOf(parcel: Pick<ParcelToTrack, "shippedAt">, events: TrackingEvent[]): TrackingEvent[] {
  const first = Date.parse(parcel.shippedAt) - 7 * dayMs;
  if (Number.isNaN(first)) return events;
  // A local time is at most 14 hours away from what it is here.
  return events.filter(({ at }) => !(Date.parse(hasZone(at) ? at : `${at}Z`) < first - dayMs / 2));
}

/** A local time that was passed off as UTC or given an offset that is not its own. */
export function withoutZone(at: string): string {
  return at.replace(zone, "");
}

const zone = /(Z|[+-]\d{2}:?\d{2})$/i;

function hasZone(at: string): boolean {
  return /T/.test(at) && zone.test(at);
}
