import type { CarrierCall } from "../seam/carrier.ts";
import { askEach } from "../seam/each-parcel.ts";
import { RemoteError } from "../seam/http.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { eventsOf, withoutZone, withSummary } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { get } from "./shipengine-api.ts";

const statuses: Record<string, TrackingStatus> = {
  UN: "unknown",
  AC: "pre_transit",
  IT: "in_transit",
  DE: "delivered",
  EX: "exception",
  AT: "delivery_failed",
  NY: "pre_transit",
  SP: "ready_for_pickup",
};

/** Details that say more than the status they come with; all others keep it. */
const details: Record<string, TrackingStatus> = {
  DROPPED_OFF: "picked_up",
  PICKED_UP: "picked_up",
  RECEIVED_BY_CARRIER: "picked_up",
  OUT_FOR_DELIVERY: "out_for_delivery",
  AWAITING_COLLECTION_FROM_PICKUP_POINT: "ready_for_pickup",
  COLLECT_AT_LOCAL_PO: "ready_for_pickup",
  CUSTOMER_TO_COLLECT_FROM_CARRIER: "ready_for_pickup",
  DELIVERED_TO_PICKUP_POINT: "ready_for_pickup",
  ATTEMPTED_DELIVERY: "delivery_failed",
  ATTEMPTED_DELIVERY_FINAL: "delivery_failed",
  CUSTOMER_CARDED: "delivery_failed",
  NO_ACCESS_TO_RECIPIENTS_ADDRESS: "delivery_failed",
  NOT_DELIVERED: "delivery_failed",
  REFUSED_BY_CUSTOMER: "delivery_failed",
  CARRIER_DELAYS: "delayed",
  DELAYED_NOT_CARRIER: "delayed",
  DELIVERY_RESCHEDULED: "delayed",
  MISROUTED: "delayed",
  HELD_BY_CARRIER: "on_hold",
  HELD_BY_CARRIER_FOR_CLEARANCE_PRE_PROCESSING: "on_hold",
  HELD_BY_CUSTOMS: "on_hold",
  DUTY_NOT_PAID: "on_hold",
  RETURN_TO_SENDER: "returned",
  UNDELIVERABLE_RETURNED_TO_SENDER: "returned",
  CANCELLED: "cancelled",
  TRACKING_EXPIRED: "expired",
};

export function statusOf(status: unknown, detail: unknown): TrackingStatus {
  const [coarse, fine] = [asText(status) ?? "", asText(detail) ?? ""];
  if (Object.hasOwn(details, fine)) return details[fine]!;
  return Object.hasOwn(statuses, coarse) ? statuses[coarse]! : "unknown";
}

/** Requests at the same time; ShipEngine allows 200 a minute. */
const atOnce = 5;

/** One request for each parcel. A number that the carrier does not know is left out. */
export async function track(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  return (await askEach(parcels, atOnce, async (parcel) => await trackOne(call, parcel))).flat();
}

async function trackOne(call: CarrierCall, parcel: ParcelToTrack): Promise<TrackingReport[]> {
  const { trackingNumber, carrierData } = parcel;
  const carrier_code = asText(carrierData?.carrierCode) ?? carrierOf(trackingNumber);
  if (carrier_code === undefined) return [];
  try {
    const report = reportIn(await get(call, "/tracking", { query: { carrier_code, tracking_number: trackingNumber } }));
    return [{ ...report, trackingNumber, events: eventsOf(parcel, report.events) }];
  } catch (error) {
    if (error instanceof RemoteError && (error.code === "not_found" || error.code === "rejected")) return [];
    throw error;
  }
}

/** For numbers of labels that were not bought here. */
function carrierOf(trackingNumber: string): string | undefined {
  if (/^1Z[0-9A-Z]{16}$/i.test(trackingNumber)) return "ups";
  if (/^(9[1-5]\d{18,24}|[A-Z]{2}\d{9}US)$/i.test(trackingNumber)) return "usps";
  return /^(\d{12}|\d{15})$/.test(trackingNumber) ? "fedex" : undefined;
}

export function reportIn(answer: Json): TrackingReport {
  const events = asList(answer.events).flatMap(eventOf);
  const estimated = asText(answer.estimated_delivery_date);
  const status = statusOf(answer.status_code, answer.status_detail_code);
  const delivered = status === "delivered" ? asText(answer.actual_delivery_date) : undefined;
  const words = asText(answer.carrier_status_description) ?? asText(answer.status_description);
  return {
    trackingNumber: asText(answer.tracking_number) ?? "",
    ...(estimated === undefined ? {} : { estimatedDelivery: estimated }),
    events: withSummary(events, { status, at: delivered, description: words ?? status }),
  };
}

function eventOf(event: Json): TrackingEvent[] {
  const [occurred, local] = [asText(event.occurred_at), asText(event.carrier_occurred_at)];
  // Where the zone is not known, both are the local time, one of them passed off as UTC.
  const isLocal = occurred === undefined || [occurred, local].includes(withoutZone(occurred));
  const at = isLocal ? (local ?? occurred) : occurred;
  if (at === undefined) return [];
  const [city, state, zip, country] = [
    event.city_locality,
    event.state_province,
    event.postal_code,
    event.country_code,
  ].map(asText);
  return [
    {
      at,
      status: statusOf(event.status_code, event.status_detail_code),
      description: asText(event.description) ?? asText(event.status_description) ?? "Scan",
      ...(city === undefined ? {} : { city }),
      ...(state === undefined ? {} : { state }),
      ...(zip === undefined ? {} : { zip }),
      ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { countryCode: country } : {}),
    },
  ];
}
