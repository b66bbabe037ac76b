import type { Shipment } from "../shipment.ts";
import { isTrackingActive } from "../shipment.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A carrier is asked about a parcel so often, and first so long after it was recorded. */
export const askEveryMs = 30 * minuteMs;
/** About one that nothing was heard of for two weeks only once a day: most of them are lost. */
const quietAfterMs = 14 * dayMs;
const quietDelayMs = dayMs - askEveryMs;

/** A moment of asking, and what follows from it for parcels that are quiet since `quietSince`. */
export type Asking = { at: string; quietSince: string; quietTurnAt: string };

export function askingAt(at: Date): Asking {
  const ms = at.getTime();
  return {
    at: at.toISOString(),
    quietSince: new Date(ms - quietAfterMs).toISOString(),
    quietTurnAt: new Date(ms + quietDelayMs).toISOString(),
  };
}

type Parcel = Pick<Shipment, "trackingNumber" | "status" | "lastPolledAt" | "createdAt" | "shippedAt" | "lastEventAt">;

/** From when on the time until the next question is counted; null when nothing more is asked about it. */
export function turnOf({ trackingNumber, status, lastPolledAt, ...parcel }: Parcel): string | null {
  if (trackingNumber === null || !isTrackingActive(status)) return null;
  if (lastPolledAt === null) return parcel.createdAt;
  const { quietSince, quietTurnAt } = askingAt(new Date(lastPolledAt));
  return (parcel.lastEventAt ?? parcel.shippedAt) < quietSince ? quietTurnAt : lastPolledAt;
}
