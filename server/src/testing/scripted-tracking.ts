import type { Carrier } from "../carriers/seam/carrier.ts";
import type { ParcelToTrack, TrackingReport } from "../carriers/seam/tracking.ts";
import { findCarrier } from "../carriers/installed-carriers.ts";
import { afterFile } from "./after-file.ts";

/** The original carriers, to restore after several scripts. */
const owns = new Map<Carrier, Pick<Carrier, "track" | "isLocal">>();

type Track = NonNullable<Carrier["track"]>;

/**
 * Replaces tracking of an installed carrier by a script and records its requests by the account's key. Undefined removes tracking.
 */
export function scriptTracking(name: string, track: Track | undefined, more: Partial<Carrier> = {}) {
  const carrier = findCarrier(name)!;
  const own = owns.get(carrier) ?? { track: carrier.track, isLocal: carrier.isLocal };
  owns.set(carrier, own);
  const asked: { key: unknown; parcels: ParcelToTrack[] }[] = [];
  const scripted: Track = async (call, parcels) => {
    asked.push({ key: call.credentials.apiKey, parcels });
    return await track!(call, parcels);
  };
  const set = (parts: object): void => {
    Object.assign(carrier, parts);
    if (carrier.track === undefined) delete carrier.track;
  };
  set({ ...own, ...more, track: track && scripted });
  const undo = (): void => set(own);
  afterFile(undo);
  return { asked, undo, numbers: () => asked.flatMap(({ parcels }) => parcels.map((parcel) => parcel.trackingNumber)) };
}

/** A tracking response with one event per parcel. */
export function reportEach(
  parcels: ParcelToTrack[],
  event: Pick<TrackingReport["events"][number], "at" | "status"> & { description?: string },
): TrackingReport[] {
  return parcels.map(({ trackingNumber }) => ({
    trackingNumber,
    status: event.status,
    events: [{ description: "", ...event }],
  }));
}
