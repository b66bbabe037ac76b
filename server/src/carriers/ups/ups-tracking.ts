import type { CarrierCall } from "../seam/carrier.ts";
import { askEach } from "../seam/each-parcel.ts";
import { clockTime, dayOf } from "../seam/local-time.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { eventsOf } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { askUps } from "./ups-request.ts";

/** Unknown numbers: no information yet, not found, or no number of UPS. */
const unknownNumber = ["TW0001", "TV1002", "151018", "151044"];

/** UPS answers one number per request. */
export async function trackUps(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  return await askEach(parcels, 4, async (parcel) => {
    const path = `/track/v1/details/${encodeURIComponent(parcel.trackingNumber)}`;
    const { body, faults } = await askUps(call, { path, query: { locale: "en_US" } }, ({ code }) =>
      unknownNumber.includes(code),
    );
    return faults.length > 0 ? undefined : readUpsTracking(body, parcel);
  });
}

/** Undefined if UPS does not know the number: it says so in a warning of a successful response. */
export function readUpsTracking(body: unknown, parcel: ParcelToTrack): TrackingReport | undefined {
  const { trackingNumber } = parcel;
  const shipments = asList(asObject(asObject(body).trackResponse).shipment);
  const packages = shipments.flatMap((shipment) => asList(shipment.package));
  const own = packages.filter((item) => asText(item.trackingNumber) === trackingNumber);
  const reports = (own.length > 0 ? own : packages.slice(0, 1)).map((item) => {
    const events = asList(item.activity).map(eventOf);
    const estimatedDelivery = deliveryDay(asList(item.deliveryDate));
    return {
      trackingNumber,
      ...(estimatedDelivery === undefined ? {} : { estimatedDelivery }),
      events: eventsOf(
        parcel,
        events.filter((event) => event !== undefined),
      ),
    };
  });
  // UPS uses numbers again: of several packages the one with the newest event counts.
  return reports.toSorted((a, b) => lastTimeOf(b.events) - lastTimeOf(a.events))[0];
}

function lastTimeOf(events: TrackingEvent[]): number {
  return Math.max(0, ...events.map(({ at }) => Date.parse(at)));
}

/** The rescheduled day counts before the scheduled one; the day of delivery is no estimate. */
function deliveryDay(dates: Json[]): string | undefined {
  const ofType = (type: string): string | undefined =>
    dayOf(asText(dates.find((date) => asText(date.type) === type)?.date));
  return ofType("RDD") ?? ofType("SDD");
}

function eventOf(activity: Json): TrackingEvent | undefined {
  const address = asObject(asObject(activity.location).address);
  const at = timeOf({
    gmtDate: activity.gmtDate,
    gmtTime: activity.gmtTime,
    localDate: activity.date,
    localTime: activity.time,
  });
  if (at === undefined) return undefined;
  const status = asObject(activity.status);
  return {
    at,
    status: upsStatus(asText(status.type), asText(status.code)),
    description: asText(status.description) ?? "No description",
    ...placeOf({
      city: address.city,
      state: address.stateProvince,
      zip: address.postalCode,
      countryCode: address.countryCode ?? address.country,
    }),
  };
}

/** The GMT time, where UPS has it; else the local time at the place, without an offset. */
export function timeOf(times: Record<"gmtDate" | "gmtTime" | "localDate" | "localTime", unknown>): string | undefined {
  const gmtDay = dayOf(asText(times.gmtDate));
  // Sometimes it comes as a number, without the zero in front: 74700.
  const gmtTime = asText(times.gmtTime)?.padStart(6, "0");
  if (gmtDay !== undefined && gmtTime !== undefined) return `${gmtDay}T${clockTime(gmtTime)}Z`;
  const day = dayOf(asText(times.localDate));
  return day === undefined ? undefined : `${day}T${clockTime(asText(times.localTime))}`;
}

export function placeOf(place: Record<"city" | "state" | "zip" | "countryCode", unknown>): Partial<TrackingEvent> {
  const texts = Object.entries(place).map(([name, value]) => [name, asText(value)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

const byType = new Map<string | undefined, TrackingStatus>(
  Object.entries<TrackingStatus>({
    D: "delivered",
    DO: "delivered",
    DD: "delivered",
    I: "in_transit",
    O: "out_for_delivery",
    P: "picked_up",
    M: "pre_transit",
    MP: "pre_transit",
    MV: "cancelled",
    RS: "returned",
    X: "exception",
    W: "in_transit",
  }),
);

/** Codes that say more than their type. */
const byCode = new Map<string | undefined, TrackingStatus>(
  Object.entries<TrackingStatus>({
    "I OR": "picked_up",
    "I OT": "out_for_delivery",
    "I OF": "out_for_delivery",
    "I PU": "picked_up",
    "D RS": "returned",
  }),
);

export function upsStatus(type: string | undefined, code: string | undefined): TrackingStatus {
  return byCode.get(`${type} ${code}`) ?? byType.get(type) ?? "unknown";
}
