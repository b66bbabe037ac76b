import type { CarrierCall } from "../seam/carrier.ts";
import { dayOf } from "../seam/local-time.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { ownEventsMs } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { accountOf, askFedex } from "./fedex-request.ts";

const perRequest = 30;
const dayMs = 86_400_000;

export async function trackFedex(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  const reports: TrackingReport[] = [];
  for (let start = 0; start < parcels.length; start += perRequest) {
    const some = parcels.slice(start, start + perRequest);
    const { output } = await askFedex(call, {
      method: "POST",
      path: "/track/v1/trackingnumbers",
      project: "track",
      retry: "safe",
      json: {
        includeDetailedScans: true,
        trackingInfo: some.map(({ trackingNumber }) => ({ trackingNumberInfo: { trackingNumber } })),
      },
    });
    reports.push(...some.flatMap((parcel) => readFedexTracking(output, parcel) ?? []));
  }
  return reports;
}

/** Undefined if FedEx does not know the number: errors are reported per number, inside of a success. */
export function readFedexTracking(output: Json, parcel: ParcelToTrack): TrackingReport | undefined {
  const { trackingNumber, shippedAt } = parcel;
  const complete = asList(output.completeTrackResults).find(
    (result) => asText(result.trackingNumber) === trackingNumber,
  );
  const results = asList(complete?.trackResults).filter((result) => !("error" in result) || "scanEvents" in result);
  const result = fittingResult(results, Date.parse(shippedAt));
  if (!result) return undefined;
  const events = asList(result.scanEvents)
    .map(eventOf)
    .filter((event) => event !== undefined);
  const estimatedDelivery = estimateOf(result);
  return { trackingNumber, ...(estimatedDelivery === undefined ? {} : { estimatedDelivery }), events };
}

/**
 * FedEx reuses numbers: of several results the newest counts that was shipped around the time of this parcel. A result of another year
 * is left out, a result without dates is taken.
 */
function fittingResult(results: Json[], shippedAt: number): Json | undefined {
  const fitting = results
    .map((result) => ({ result, at: shipTimeOf(result) }))
    .filter(
      ({ at }) =>
        at === undefined || Number.isNaN(shippedAt) || (at > shippedAt - ownEventsMs && at < shippedAt + 45 * dayMs),
    );
  return fitting.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0]?.result;
}

function shipTimeOf(result: Json): number | undefined {
  const dates = asList(result.dateAndTimes);
  const ofType = (type: string): string | undefined =>
    asText(dates.find((date) => asText(date.type) === type)?.dateTime);
  const scans = asList(result.scanEvents).flatMap((scan) => asText(scan.date) ?? []);
  const time = Date.parse(ofType("ACTUAL_PICKUP") ?? ofType("SHIP") ?? scans.at(-1) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function estimateOf(result: Json): string | undefined {
  const dates = asList(result.dateAndTimes);
  const estimated = dates.find((date) => asText(date.type) === "ESTIMATED_DELIVERY");
  const window = asObject(asObject(result.estimatedDeliveryTimeWindow).window);
  const usual = asObject(asObject(result.standardTransitTimeWindow).window);
  return dayOf(asText(estimated?.dateTime) ?? asText(window.ends) ?? asText(usual.ends));
}

function eventOf(scan: Json): TrackingEvent | undefined {
  const at = asText(scan.date);
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  const place = asObject(scan.scanLocation);
  const city = asText(place.city);
  const state = asText(place.stateOrProvinceCode);
  const zip = asText(place.postalCode);
  const countryCode = asText(place.countryCode);
  const words = [asText(scan.eventDescription), asText(scan.exceptionDescription)];
  return {
    at,
    status: fedexStatus(asText(scan.eventType), asText(scan.derivedStatusCode)),
    description: words.filter((text) => text !== undefined).join(": ") || "No description",
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state }),
    ...(zip === undefined ? {} : { zip }),
    ...(countryCode === undefined ? {} : { countryCode }),
  };
}

const statuses = new Map<string | undefined, TrackingStatus>(
  Object.entries<TrackingStatus>({
    OC: "pre_transit",
    IN: "pre_transit",
    OF: "in_transit",
    PU: "picked_up",
    PX: "picked_up",
    PL: "in_transit",
    IT: "in_transit",
    IX: "in_transit",
    AR: "in_transit",
    AF: "in_transit",
    AE: "in_transit",
    AX: "in_transit",
    DP: "in_transit",
    DR: "in_transit",
    FD: "in_transit",
    LO: "in_transit",
    TR: "in_transit",
    CC: "in_transit",
    OD: "out_for_delivery",
    DL: "delivered",
    DE: "delivery_failed",
    SE: "exception",
    CH: "exception",
    CD: "on_hold",
    HL: "ready_for_pickup",
    HP: "ready_for_pickup",
    DY: "delayed",
    RL: "delayed",
    RS: "returned",
    RP: "returned",
    CA: "cancelled",
  }),
);

/** The kind of scan says more than the status derived from it. */
export function fedexStatus(eventType: string | undefined, derived: string | undefined): TrackingStatus {
  return statuses.get(eventType) ?? statuses.get(derived) ?? "unknown";
}

const referenceMissing = /NOTFOUND|NOT\.FOUND/;

/** Tracking numbers of shipments with this purchase order number that are not cancelled. */
export async function findByReference(call: CarrierCall, value: string, shipDate: string): Promise<string[]> {
  const shift = (days: number): string => new Date(Date.parse(shipDate) + days * dayMs).toISOString().slice(0, 10);
  const request = {
    method: "POST",
    path: "/track/v1/referencenumbers",
    project: "track",
    retry: "safe",
    json: {
      includeDetailedScans: false,
      referencesInformation: {
        type: "PURCHASE_ORDER",
        value,
        accountNumber: accountOf(call).value,
        shipDateBegin: shift(-2),
        shipDateEndDate: shift(2),
      },
    },
  } as const;
  const { output, faults } = await askFedex(call, request, ({ code }) => referenceMissing.test(code));
  if (faults.length > 0) return [];
  return asList(output.completeTrackResults).flatMap((complete) =>
    asList(complete.trackResults)
      .filter((result) => !("error" in result) && asText(asObject(result.latestStatusDetail).code) !== "CA")
      .flatMap((result) => asText(asObject(result.trackingNumberInfo).trackingNumber) ?? []),
  );
}
