import type { CarrierCall } from "../seam/carrier.ts";
import { askEach } from "../seam/each-parcel.ts";
import { dayOf } from "../seam/local-time.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { eventsOf } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { askUsps } from "./usps-request.ts";
import type { UspsFault } from "./usps-request.ts";

/** USPS answers one number per request, and few requests per hour: after a refusal the rest is left for the next poll. */
export async function trackUsps(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  return await askEach(parcels, 2, async (parcel) => {
    const path = `/tracking/v3/tracking/${encodeURIComponent(parcel.trackingNumber)}`;
    const { body, faults } = await askUsps(call, { path, query: { expand: "DETAIL" } }, isUnknownNumber);
    return faults.length > 0 ? undefined : readUspsTracking(body, parcel);
  });
}

function isUnknownNumber({ code, message }: UspsFault): boolean {
  return code.startsWith("404") || /not (be )?(found|located)|no record|invalid.*number|not trackable/i.test(message);
}

export function readUspsTracking(body: Json, parcel: ParcelToTrack): TrackingReport {
  const { trackingNumber } = parcel;
  const read = asList(body.trackingEvents).map(eventOf);
  const events = eventsOf(
    parcel,
    read.filter((event) => event !== undefined),
  );
  const expected = [
    body.expectedDeliveryTimeStamp,
    body.expectedDeliveryDate,
    body.predictedDeliveryTimeStamp,
    body.predictedDeliveryDate,
  ];
  const estimatedDelivery = expected.map((text) => dayOf(asText(text))).find((day) => day !== undefined);
  return { trackingNumber, ...(estimatedDelivery === undefined ? {} : { estimatedDelivery }), events };
}

function eventOf(event: Json): TrackingEvent | undefined {
  // Local times stay without an offset: they are read at the place of the event.
  const at = asText(event.GMTTimestamp) ?? asText(event.eventTimestamp);
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  const city = asText(event.eventCity);
  const state = asText(event.eventState);
  const zip = asText(event.eventZIP);
  const description = asText(event.eventType) ?? "No description";
  return {
    at,
    status: uspsStatus(asText(event.eventCode), description),
    description,
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state }),
    ...(zip === undefined ? {} : { zip }),
    // Countries are names here; events without one happened in the United States.
    ...(asText(event.eventCountry) === undefined ? { countryCode: "US" } : {}),
  };
}

const codes = new Map<string | undefined, TrackingStatus>(
  Object.entries<TrackingStatus>({
    "01": "delivered",
    "02": "delivery_failed",
    "03": "picked_up",
    "04": "returned",
    "05": "exception",
    "07": "in_transit",
    "08": "exception",
    "09": "returned",
    "10": "in_transit",
    "14": "ready_for_pickup",
    "16": "ready_for_pickup",
    A1: "in_transit",
    GX: "pre_transit",
    MA: "pre_transit",
    OA: "picked_up",
    OF: "out_for_delivery",
    PC: "picked_up",
    SF: "in_transit",
    T1: "in_transit",
    TL: "in_transit",
  }),
);

/** For codes that are not in the list: their words. The first that fits counts. */
const words: [RegExp, TrackingStatus][] = [
  [/out for delivery/i, "out_for_delivery"],
  [/^delivered/i, "delivered"],
  [/return|refused/i, "returned"],
  [/notice left|attempt|no access|reschedule/i, "delivery_failed"],
  [/available for pickup|ready for pickup|held at post office/i, "ready_for_pickup"],
  [/delay|late/i, "delayed"],
  [/hold/i, "on_hold"],
  [/label (created|cancel)|pre-?shipment|awaiting item/i, "pre_transit"],
  [/undeliverable|missent|damaged|alert|insufficient address|forward/i, "exception"],
  [/accept|possession|picked up/i, "picked_up"],
  [/arriv|depart|transit|process|sort|customs/i, "in_transit"],
];

export function uspsStatus(code: string | undefined, description: string): TrackingStatus {
  const number = Number(code);
  if (number >= 21 && number <= 29) return "returned";
  if (number >= 51 && number <= 57) return "delivery_failed";
  return codes.get(code) ?? words.find(([pattern]) => pattern.test(description))?.[1] ?? "unknown";
}
