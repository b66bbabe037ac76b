import type { Shipment } from "../shipment.ts";
import { isTrackingActive } from "../shipment.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Interval of tracking polls per parcel; also the delay of the first one. */
export const pollIntervalMs = 30 * minuteMs;
/** Parcels without an event for two weeks are polled once a day: most of them are lost. */
const quietAfterMs = 14 * dayMs;
const quietDelayMs = dayMs - pollIntervalMs;

/** The time of a poll, and the `track_at` it implies for parcels without an event since `quietSince`. */
export type PollTime = { at: string; quietSince: string; quietTrackAt: string };

export function pollTimeAt(at: Date): PollTime {
  const ms = at.getTime();
  return {
    at: at.toISOString(),
    quietSince: new Date(ms - quietAfterMs).toISOString(),
    quietTrackAt: new Date(ms + quietDelayMs).toISOString(),
  };
}

type Parcel = Pick<Shipment, "trackingNumber" | "status" | "lastPolledAt" | "createdAt" | "shippedAt" | "lastEventAt">;

/** The time from which the poll interval is counted; null if the parcel is not polled any more. */
export function trackAtOf({ trackingNumber, status, lastPolledAt, ...parcel }: Parcel): string | null {
  if (trackingNumber === null || !isTrackingActive(status)) return null;
  if (lastPolledAt === null) return parcel.createdAt;
  const { quietSince, quietTrackAt } = pollTimeAt(new Date(lastPolledAt));
  return (parcel.lastEventAt ?? parcel.shippedAt) < quietSince ? quietTrackAt : lastPolledAt;
}
