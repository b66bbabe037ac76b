import type { CarrierCall } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { eventsOf, withoutZone, withSummary } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { post } from "./easypost-api.ts";

const statuses: Record<string, TrackingStatus> = {
  pre_transit: "pre_transit",
  in_transit: "in_transit",
  out_for_delivery: "out_for_delivery",
  available_for_pickup: "ready_for_pickup",
  return_to_sender: "returned",
  failure: "delivery_failed",
  cancelled: "cancelled",
  delivered: "delivered",
  error: "exception",
  unknown: "unknown",
};

/** Details that say more than the status they come with. A delivery or return is not taken back by its detail. */
const details: Record<string, TrackingStatus> = {
  picked_up: "picked_up",
  delayed: "delayed",
  held: "on_hold",
  address_correction: "exception",
};

export function statusOf(status: unknown, detail: unknown): TrackingStatus {
  const [coarse, fine] = [asText(status) ?? "", asText(detail) ?? ""];
  const known = Object.hasOwn(statuses, coarse) ? statuses[coarse]! : "unknown";
  const canBeRefined = known === "in_transit" || known === "unknown" || known === "exception";
  return canBeRefined && Object.hasOwn(details, fine) ? details[fine]! : known;
}

/** Labels bought through EasyPost have trackers. For other numbers one is created, which EasyPost charges for once. */
export async function track(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  const tracking_codes = [...new Set(parcels.map(({ trackingNumber }) => trackingNumber))];
  const { trackers } = await post(call, "/v2/trackers/batch", { tracking_codes }, { retry: "safe" });
  const known = newestByNumber(asList(trackers));
  const reports: TrackingReport[] = [];
  for (const parcel of parcels) {
    const tracker = known.get(parcel.trackingNumber) ?? (await createTracker(call, parcel));
    if (!tracker) continue;
    const report = reportOf(tracker, parcel.trackingNumber);
    reports.push({ ...report, events: eventsOf(parcel, report.events) });
  }
  return reports;
}

/** Carriers reuse numbers: the tracker that was created last is that of the parcel. */
function newestByNumber(trackers: Json[]): Map<string, Json> {
  const ordered = trackers.toSorted((a, b) => createdAt(a).localeCompare(createdAt(b)));
  return new Map(ordered.map((tracker) => [asText(tracker.tracking_code) ?? "", tracker]));
}

function createdAt({ created_at }: Json): string {
  return asText(created_at) ?? "";
}

async function createTracker(call: CarrierCall, parcel: ParcelToTrack): Promise<Json | undefined> {
  const carrier = asText(parcel.carrierData?.carrier);
  const tracker = { tracking_code: parcel.trackingNumber, carrier };
  try {
    // A second request for the same number answers the same tracker.
    return await post(call, "/v2/trackers", { tracker }, { retry: "safe" });
  } catch (error) {
    // A number that the carrier does not know must not hide the others.
    if (error instanceof RemoteError && (error.code === "rejected" || error.code === "not_found")) return undefined;
    throw error;
  }
}

export function reportOf(tracker: Json, trackingNumber: string): TrackingReport {
  const events = asList(tracker.tracking_details).flatMap(eventOf);
  const { est_delivery_date_local } = asObject(tracker.carrier_detail);
  // A status without scans: the carrier knows the parcel, but reports no events.
  const [status, at] = [statusOf(tracker.status, tracker.status_detail), asText(tracker.updated_at)];
  const estimated = asText(est_delivery_date_local) ?? asText(tracker.est_delivery_date);
  return {
    trackingNumber,
    ...(estimated === undefined ? {} : { estimatedDelivery: estimated }),
    events: events.length > 0 ? events : withSummary([], { status, at, description: asText(tracker.status) ?? status }),
  };
}

function eventOf(detail: Json): TrackingEvent[] {
  const at = asText(detail.datetime);
  if (at === undefined) return [];
  const place = placeOf(asObject(detail.tracking_location));
  // Without a place EasyPost passes the local time off as UTC.
  const isLocal = place.zip === undefined && (place.city === undefined || place.state === undefined);
  return [
    {
      at: isLocal ? withoutZone(at) : at,
      status: statusOf(detail.status, detail.status_detail),
      description: asText(detail.message) ?? asText(detail.description) ?? asText(detail.status) ?? "Scan",
      ...place,
    },
  ];
}

function placeOf(location: Json): Pick<TrackingEvent, "city" | "state" | "zip" | "countryCode"> {
  const [city, state, zip, country] = [location.city, location.state, location.zip, location.country].map(asText);
  return {
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state }),
    ...(zip === undefined ? {} : { zip }),
    ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { countryCode: country } : {}),
  };
}
