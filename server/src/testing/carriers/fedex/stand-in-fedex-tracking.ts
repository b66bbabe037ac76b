import type { JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import { readBody, refuse, reply } from "./stand-in-fedex-replies.ts";
import { ReferenceBody, TrackBody } from "./stand-in-fedex-requests.ts";
import type { FedexSale } from "./stand-in-fedex-sales.ts";
import { fedexSales, isCancelled } from "./stand-in-fedex-sales.ts";

/** What happened to a package. `at` with the offset of its place: 2026-03-14T09:15:19-04:00. */
export type FedexScan = {
  at: string;
  eventType: string;
  description: string;
  city?: string;
  state?: string;
  zip?: string;
  exceptionCode?: string;
  exceptionDescription?: string;
  receivedBy?: string;
};

const derivedCodes: Record<string, [string, string]> = {
  OC: ["IN", "Initiated"],
  PU: ["PU", "Picked up"],
  DL: ["DL", "Delivered"],
  CA: ["CA", "Cancelled"],
  DE: ["SE", "Delivery exception"],
  SE: ["SE", "Shipment exception"],
};

/** Newest first. */
function eventsOf(standIn: StandIn, sale: FedexSale, number: string): FedexScan[] {
  const created = { at: inMemphis(sale.at), eventType: "OC", description: "Shipment information sent to FedEx" };
  const scans = standIn.journal("scan").filter((entry) => entry.trackingNumber === number) as (JournalEntry &
    FedexScan)[];
  const cancelled = standIn.journal("void").find((entry) => entry.masterNumber === sale.masterNumber);
  const end = { at: inMemphis(String(cancelled?.at)), eventType: "CA", description: "Shipment cancelled by sender" };
  return [created, ...scans, ...(cancelled ? [end] : [])].toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at),
  );
}

/** FedEx writes the time of its head office where there is no place. */
function inMemphis(at: string): string {
  const time = Date.parse(at) - 6 * 3_600_000;
  return Number.isNaN(time) ? at : new Date(time).toISOString().replace(/\.\d+Z$/, "-06:00");
}

function scanEvent(scan: FedexScan, withoutZone: boolean) {
  const [derivedStatusCode, derivedStatus] = derivedCodes[scan.eventType] ?? ["IT", "In transit"];
  return {
    date: withoutZone ? scan.at.replace(/([+-]\d\d:\d\d|Z)$/, "") : scan.at,
    eventType: scan.eventType,
    eventDescription: scan.description,
    exceptionCode: scan.exceptionCode ?? "",
    exceptionDescription: scan.exceptionDescription ?? "",
    scanLocation: placeOf(scan),
    locationType: scan.eventType === "DL" ? "DELIVERY_LOCATION" : "FEDEX_FACILITY",
    derivedStatusCode,
    derivedStatus,
  };
}

function placeOf({ city, state, zip }: { city?: string; state?: string; zip?: string }) {
  return {
    streetLines: [""],
    ...(city && { city }),
    ...(state && { stateOrProvinceCode: state }),
    ...(zip && { postalCode: zip }),
    countryCode: "US",
    residential: false,
    countryName: "United States",
  };
}

function trackResult(standIn: StandIn, sale: FedexSale, number: string, isDetailed: boolean) {
  const events = eventsOf(standIn, sale, number);
  const withoutZone = standIn.takeFault("events_without_zone", "track");
  const scanEvents = events.map((scan) => scanEvent(scan, withoutZone));
  const latest = scanEvents[0]!;
  const isUnknown = standIn.takeFault("unknown_status", "track");
  const delivered = events.find(({ eventType }) => eventType === "DL");
  const picked = events.find(({ eventType }) => eventType === "PU");
  return {
    trackingNumberInfo: {
      trackingNumber: number,
      trackingNumberUniqueId: `${sale.shipDay.replaceAll("-", "")}~${number}~FX`,
      carrierCode: sale.carrierCode,
    },
    additionalTrackingInfo: {
      nickname: "",
      packageIdentifiers: sale.references.map((value) => ({
        type: "CUSTOMER_REFERENCE",
        values: [value],
        trackingNumberUniqueId: "",
        carrierCode: "",
      })),
      hasAssociatedShipments: sale.trackingNumbers.length > 1,
    },
    shipperInformation: { contact: {}, address: placeOf(sale.from) },
    recipientInformation: { contact: {}, address: placeOf(sale.to) },
    latestStatusDetail: {
      code: isUnknown ? "QQ" : latest.eventType,
      derivedCode: isUnknown ? "QQ" : latest.derivedStatusCode,
      statusByLocale: latest.derivedStatus,
      description: latest.eventDescription,
      scanLocation: latest.scanLocation,
    },
    dateAndTimes: [
      ...(delivered ? [{ type: "ACTUAL_DELIVERY", dateTime: delivered.at }] : []),
      ...(picked ? [{ type: "ACTUAL_PICKUP", dateTime: picked.at }] : []),
      { type: "SHIP", dateTime: `${sale.shipDay}T00:00:00-06:00` },
    ],
    packageDetails: {
      packagingDescription: { type: "YOUR_PACKAGING", description: "Package" },
      physicalPackagingType: "PACKAGE",
      sequenceNumber: String(sale.trackingNumbers.indexOf(number) + 1),
      count: String(sale.trackingNumbers.length),
      weightAndDimensions: { weight: [{ value: sale.pounds.toFixed(1), unit: "LB" }] },
    },
    shipmentDetails: { possessionStatus: picked !== undefined },
    scanEvents: isDetailed ? scanEvents : scanEvents.slice(0, 1),
    deliveryDetails: {
      deliveryAttempts: String(events.filter(({ eventType }) => eventType === "DE").length),
      ...(delivered?.receivedBy && { receivedByName: delivered.receivedBy }),
    },
    serviceDetail: { type: sale.service, description: sale.serviceName, shortDescription: "XX" },
  };
}

/** Another shipment that had the same number a year before: delivered, with another ship date and another unique id. */
function earlierResult(result: ReturnType<typeof trackResult>, sale: FedexSale) {
  const year = String(Number(sale.shipDay.slice(0, 4)) - 1);
  const day = `${year}${sale.shipDay.slice(4)}`;
  const at = `${day}T11:00:00-05:00`;
  const event = scanEvent({ at, eventType: "DL", description: "Delivered", city: "DALLAS", state: "TX" }, false);
  return {
    ...result,
    trackingNumberInfo: {
      ...result.trackingNumberInfo,
      trackingNumberUniqueId: `${day.replaceAll("-", "")}~${result.trackingNumberInfo.trackingNumber}~FX`,
    },
    latestStatusDetail: {
      ...result.latestStatusDetail,
      code: "DL",
      derivedCode: "DL",
      description: "Delivered",
      statusByLocale: "Delivered",
    },
    dateAndTimes: [
      { type: "ACTUAL_DELIVERY", dateTime: at },
      { type: "SHIP", dateTime: `${day}T00:00:00-06:00` },
    ],
    scanEvents: [event],
  };
}

export function fedexTracking(account: string): Operation[] {
  return [
    {
      name: "track",
      method: "POST",
      path: /^\/track\/v1\/trackingnumbers$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, TrackBody);
        if (!body) return refused;
        if (body.trackingInfo.some(({ trackingNumberInfo }) => trackingNumberInfo.trackingNumber === "")) {
          return refuse(400, "TRACKING.TRACKINGNUMBER.EMPTY", "Please provide tracking number.", request);
        }
        const completeTrackResults = body.trackingInfo.map(
          ({ trackingNumberInfo: { trackingNumber }, shipDateBegin, shipDateEnd }) => {
            const sale = fedexSales(standIn).find((one) => one.trackingNumbers.includes(trackingNumber));
            const isInRange = sale && (shipDateBegin ?? "") <= sale.shipDay && sale.shipDay <= (shipDateEnd ?? "9999");
            if (!sale || !isInRange || standIn.takeFault("track_late", "track")) {
              return { trackingNumber, trackResults: [missingResult(trackingNumber)] };
            }
            const result = trackResult(standIn, sale, trackingNumber, body.includeDetailedScans);
            const isReused = standIn.takeFault("tracking_number_reused", "track");
            const results = isReused ? [earlierResult(result, sale), result] : [result];
            return {
              trackingNumber,
              trackResults: standIn.takeFault("duplicate_answer", "track") ? [...results, ...results] : results,
            };
          },
        );
        return reply(request, { completeTrackResults });
      },
    },
    {
      name: "track_reference",
      method: "POST",
      path: /^\/track\/v1\/referencenumbers$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, ReferenceBody);
        if (!body) return refused;
        const asked = body.referencesInformation;
        if (!asked.accountNumber && !(asked.destinationCountryCode && asked.destinationPostalCode)) {
          const message = "Please provide an account number, or the destination country and postal code.";
          return refuse(400, "TRACKING.ACCOUNTNUMBER.EMPTY", message, request);
        }
        const found = fedexSales(standIn).filter(
          (sale) =>
            sale.references.includes(asked.value) &&
            !isCancelled(standIn, sale) &&
            (!asked.accountNumber || asked.accountNumber === account) &&
            (!asked.destinationPostalCode || asked.destinationPostalCode === sale.to.zip) &&
            asked.shipDateBegin <= sale.shipDay &&
            sale.shipDay <= asked.shipDateEndDate,
        );
        if (found.length === 0 || standIn.takeFault("reference_late", "track_reference")) {
          const error = { code: "TRACKING.REFERENCENUMBER.NOTFOUND", message: "Reference number cannot be found." };
          return reply(request, { completeTrackResults: [{ trackingNumber: "", trackResults: [{ error }] }] });
        }
        const completeTrackResults = found.map((sale) => ({
          trackingNumber: sale.masterNumber,
          trackResults: sale.trackingNumbers.map((number) =>
            trackResult(standIn, sale, number, body.includeDetailedScans ?? false),
          ),
        }));
        return reply(request, { completeTrackResults });
      },
    },
  ];
}

/** The error of one number, inside a 200. */
function missingResult(trackingNumber: string) {
  return {
    trackingNumberInfo: { trackingNumber, trackingNumberUniqueId: "", carrierCode: "" },
    error: {
      code: "TRACKING.TRACKINGNUMBER.NOTFOUND",
      message: "Tracking number cannot be found. Please correct the tracking number and try again.",
    },
  };
}
