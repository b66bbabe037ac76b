import type { CarrierRequest, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import { uspsClasses } from "./stand-in-usps-prices.ts";
import { apiOf, refuse } from "./stand-in-usps-replies.ts";
import type { UspsSale } from "./stand-in-usps-sales.ts";
import { uspsSales } from "./stand-in-usps-sales.ts";

/** What happened to a package. `at` with the offset of its place: 2026-03-14T09:15:19-04:00. */
export type UspsScan = {
  at: string;
  eventCode: string;
  eventType: string;
  city?: string;
  state?: string;
  zip?: string;
};

const categories: Record<string, string> = {
  GX: "Pre-Shipment",
  MA: "Pre-Shipment",
  "03": "Accepted",
  OF: "Out for Delivery",
  "01": "Delivered",
  "14": "Available for Pickup",
  "02": "Delivery Attempt",
  "09": "Alert",
  "21": "Alert",
};

/** Newest first. */
function eventsOf(standIn: StandIn, sale: UspsSale): UspsScan[] {
  const created = {
    at: sale.at,
    eventCode: "GX",
    eventType: "Shipping Label Created, USPS Awaiting Item",
    city: sale.from.city.toUpperCase(),
    state: sale.from.state,
    zip: sale.from.zip,
  };
  const scans = standIn
    .journal("scan")
    .filter((entry) => entry.trackingNumber === sale.trackingNumber) as (JournalEntry & UspsScan)[];
  return [created, ...scans].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** Local time to the minute without a zone, the moment in GMT to the second, and the offset. */
function eventReply({ at, eventCode, eventType, city, state, zip }: UspsScan, withoutZone: boolean) {
  const offset = /[+-]\d\d:\d\d$/.exec(at)?.[0] ?? "-05:00";
  const minutes = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * (offset.startsWith("-") ? -1 : 1);
  const local = new Date(Date.parse(at) + minutes * 60_000).toISOString();
  return {
    eventType,
    eventTimestamp: `${local.slice(0, 16)}:00`,
    ...(!withoutZone && { GMTTimestamp: `${new Date(at).toISOString().slice(0, 19)}Z`, GMTOffset: offset }),
    eventCountry: null,
    eventCity: city ?? null,
    eventState: state ?? null,
    eventZIP: zip ?? null,
    firm: null,
    name: null,
    authorizedAgent: "false",
    eventCode,
    additionalProp: null,
  };
}

function detail(standIn: StandIn, sale: UspsSale) {
  const events = eventsOf(standIn, sale);
  const latest = events[0]!;
  const isUnknown = standIn.takeFault("unknown_status", "track");
  const withoutZone = standIn.takeFault("events_without_zone", "track");
  const own = events.map((event) => eventReply(event, withoutZone));
  const year = String(Number(sale.mailingDate.slice(0, 4)) - 1);
  const before = `${year}${sale.mailingDate.slice(4)}T13:58:40-05:00`;
  const earlier = eventReply(
    { at: before, eventCode: "01", eventType: "Delivered, In/At Mailbox", city: "DALLAS", state: "TX" },
    false,
  );
  const reported = standIn.takeFault("tracking_number_reused", "track") ? [...own, earlier] : own;
  const repeated = standIn.takeFault("duplicate_events", "track") ? [...reported, ...reported] : reported;
  const trackingEvents = standIn.takeFault("one_object", "track") ? repeated[0] : repeated;
  const name = uspsClasses.find(({ code }) => code === sale.mailClass)?.name ?? sale.mailClass;
  return {
    destinationCity: sale.to.city.toUpperCase(),
    destinationState: sale.to.state,
    destinationZIP: sale.to.zip,
    emailEnabled: "true",
    kahalaIndicator: "false",
    mailClass: `${name}<SUP>&#153;</SUP>`,
    mailType: "DM",
    originCity: sale.from.city.toUpperCase(),
    originState: sale.from.state,
    originZIP: sale.from.zip,
    proofOfDeliveryEnabled: "false",
    restoreEnabled: "false",
    RRAMEnabled: "false",
    RREEnabled: "false",
    services: ["USPS Tracking<SUP>&#174;</SUP>", "Up to $100 insurance included"],
    serviceTypeCode: "346",
    status: latest.eventType,
    statusCategory: isUnknown ? "Levitating" : (categories[latest.eventCode] ?? "In Transit"),
    statusSummary: `${latest.eventType} in ${latest.city ?? "transit"}.`,
    tableCode: "T",
    uniqueMailPieceID: sale.trackingNumber.slice(-9),
    mailPieceIntakeDate: sale.at.replace("T", " ").replace("Z", "000"),
    trackingEvents,
    trackingNumber: sale.trackingNumber,
  };
}

export function uspsTracking(): Operation[] {
  return [
    {
      name: "track",
      method: "GET",
      path: /^\/tracking\/v3\/tracking\/(\w+)$/,
      answer(request, match, standIn) {
        const expand = request.url.searchParams.get("expand") ?? "SUMMARY";
        if (!["SUMMARY", "DETAIL"].includes(expand))
          return refuse(400, apiOf(request), "One of SUMMARY and DETAIL is allowed.", "expand");
        if (!/^\d{20,34}$/.test(match[1]!))
          return refuse(400, apiOf(request), "The tracking number is invalid.", "trackingNumber");
        const sale = uspsSales(standIn).find(({ trackingNumber }) => trackingNumber === match[1]);
        if (!sale || standIn.takeFault("track_late", "track")) {
          const message =
            "A status update is not yet available on your package. It will be available when the shipper provides an update.";
          return refuse(404, apiOf(request), message, "trackingNumber");
        }
        if (expand === "DETAIL") return { status: 200, body: detail(standIn, sale) };
        const eventSummaries = eventsOf(standIn, sale).map((event) => {
          const { eventTimestamp } = eventReply(event, true);
          return `${event.eventType}, ${eventTimestamp}, ${event.city ?? ""} ${event.state ?? ""} ${event.zip ?? ""}`.trim();
        });
        return { status: 200, body: { trackingNumber: sale.trackingNumber, eventSummaries } };
      },
    },
  ];
}

/** ZIP codes that begin with 000 do not exist; a line with AMBIGUOUS matches several addresses, one with APT is residential. */
export function uspsAddresses(): Operation[] {
  const plain = (request: CarrierRequest, status: number, message: string) => ({
    status,
    body: { apiVersion: apiOf(request), error: { code: String(status), message, errors: [] } },
  });
  return [
    {
      name: "address",
      method: "GET",
      path: /^\/addresses\/v3\/address$/,
      answer(request) {
        const query = Object.fromEntries(request.url.searchParams);
        const { streetAddress, secondaryAddress = "", city, state, ZIPCode } = query;
        if (!streetAddress) return plain(request, 400, "The street address in the request is missing or invalid.");
        if (!/^[A-Z]{2}$/.test(state ?? ""))
          return plain(request, 400, "The state code in the request is missing or invalid.");
        if (!city && !ZIPCode) return plain(request, 400, "The city and state are missing or together unverifiable.");
        if (ZIPCode !== undefined && !/^\d{5}$/.test(ZIPCode))
          return plain(request, 400, "The ZIP Code in the request is invalid.");
        if (/ambiguous/i.test(streetAddress)) {
          return plain(request, 404, "More than one address was found matching the requested address.");
        }
        if (ZIPCode?.startsWith("000")) return plain(request, 404, "There is no match for the address requested.");
        const isHome = /apt/i.test(`${streetAddress} ${secondaryAddress}`);
        return {
          status: 200,
          body: {
            ...(query.firm && { firm: query.firm.toUpperCase() }),
            address: {
              streetAddress: streetAddress.toUpperCase(),
              streetAddressAbbreviation: null,
              secondaryAddress: secondaryAddress.toUpperCase(),
              cityAbbreviation: null,
              city: (city ?? "NEWARK").toUpperCase(),
              state,
              ZIPCode: ZIPCode ?? "07102",
              ZIPPlus4: "0001",
              urbanization: null,
            },
            additionalInfo: {
              deliveryPoint: "01",
              carrierRoute: "C001",
              DPVConfirmation: "Y",
              DPVCMRA: "N",
              business: isHome ? "N" : "Y",
              centralDeliveryPoint: "N",
              vacant: "N",
            },
            corrections: [],
            matches: [{ code: "31", text: "Single Response - exact match" }],
            warnings: [],
          },
        };
      },
    },
  ];
}
