import type { CarrierReply, CarrierRequest, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import type { UpsSale } from "./stand-in-ups-labels.ts";
import { upsSales } from "./stand-in-ups-labels.ts";
import { refuse } from "./stand-in-ups-replies.ts";

/** What happened to a package. `at` with the offset of its place: 2026-03-14T09:15:19-04:00. */
export type UpsScan = {
  at: string;
  type: string;
  code: string;
  description: string;
  city?: string;
  state?: string;
  zip?: string;
  receivedBy?: string;
};

type Activity = UpsScan & { isVoid?: true };

export const trackingNumberPattern = "^1Z[0-9A-Z]{16}$";

/** Oldest first: the label, the scans, the end of a label that was voided. */
export function activitiesOf(standIn: StandIn, sale: UpsSale, number: string): Activity[] {
  const created = {
    at: sale.at,
    type: "M",
    code: "MP",
    description: "Shipper created a label, UPS has not received the package yet. ",
  };
  const scans = standIn.journal("scan").filter((entry) => entry.trackingNumber === number) as (JournalEntry &
    UpsScan)[];
  const voided = standIn.journal("void").find((entry) => (entry.trackingNumbers as string[]).includes(number));
  return [
    created,
    ...scans,
    ...(voided
      ? [{ at: String(voided.at), type: "MV", code: "VP", description: "Void label information received. " }]
      : []),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Date and time at the place of the scan and in GMT, and the offset between them. */
export function clockTexts(at: string) {
  const offset = /[+-]\d\d:\d\d$/.exec(at)?.[0] ?? "+00:00";
  const utc = new Date(at).toISOString();
  const minutes = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * (offset.startsWith("-") ? -1 : 1);
  const local = new Date(Date.parse(at) + minutes * 60_000).toISOString();
  const day = (text: string): string => text.slice(0, 10).replaceAll("-", "");
  return {
    date: day(local),
    time: local.slice(11, 19),
    gmtDate: day(utc),
    gmtTime: utc.slice(11, 19),
    gmtOffset: offset,
  };
}

function activityReply(
  activity: Activity,
  { withoutZone, withoutColons }: { withoutZone: boolean; withoutColons: boolean },
) {
  const { date, time, gmtDate, gmtTime, gmtOffset } = clockTexts(activity.at);
  // The leading zero gets lost where the colons do.
  const spelled = withoutColons ? String(Number(gmtTime.replaceAll(":", ""))) : gmtTime;
  return {
    location: {
      address: {
        ...(activity.city && { city: activity.city }),
        ...(activity.state && { stateProvince: activity.state }),
        ...(activity.zip && { postalCode: activity.zip }),
        countryCode: "US",
        country: "US",
      },
      ...(activity.city && { slic: "8566" }),
    },
    status: { type: activity.type, description: activity.description, code: activity.code, statusCode: "005" },
    date,
    time: time.replaceAll(":", ""),
    ...(!withoutZone && { gmtDate, gmtOffset, gmtTime: spelled }),
    logicalScan: activity.type === "M" || activity.type === "MV",
  };
}

function packageReply(standIn: StandIn, sale: UpsSale, number: string) {
  const activities = activitiesOf(standIn, sale, number).toReversed();
  const forms = {
    withoutZone: standIn.takeFault("events_without_zone", "track"),
    withoutColons: standIn.takeFault("gmt_time_without_colons", "track"),
  };
  const latest = activities[0]!;
  const delivered = activities.find(({ type }) => type === "D");
  const isUnknown = standIn.takeFault("unknown_status", "track");
  const status = {
    description: latest.description,
    code: isUnknown ? "999" : latest.code,
    type: isUnknown ? "ZZ" : latest.type,
    statusCode: "005",
  };
  const replies = activities.map((activity) => activityReply(activity, forms));
  return {
    trackingNumber: number,
    deliveryDate: [
      delivered
        ? { type: "DEL", date: clockTexts(delivered.at).date }
        : { type: "SDD", date: clockTexts(sale.at).date },
    ],
    ...(delivered && {
      deliveryTime: { type: "DEL", endTime: clockTexts(delivered.at).time.replaceAll(":", "") },
      deliveryInformation: { location: "Front Door", receivedBy: delivered.receivedBy ?? "" },
    }),
    activity: isUnknown ? [{ ...replies[0]!, status }, ...replies.slice(1)] : replies,
    currentStatus: status,
    packageAddress: [
      {
        type: "DESTINATION",
        name: sale.to.name,
        address: {
          city: sale.to.city,
          stateProvince: sale.to.state,
          countryCode: sale.to.country,
          country: sale.to.country,
        },
      },
    ],
    weight: { unitOfMeasurement: "LBS", weight: (sale.pounds[sale.trackingNumbers.indexOf(number)] ?? 1).toFixed(2) },
    service: { code: sale.service.padStart(3, "0"), levelCode: "011", description: sale.serviceName },
    referenceNumber: sale.references.map((reference) => ({ type: "PACKAGE", number: reference })),
    packageCount: sale.trackingNumbers.length,
    additionalAttributes: [],
  };
}

/** A package that had the same number five months before, delivered long ago. */
function earlierPackage(reply: ReturnType<typeof packageReply>, sale: UpsSale) {
  const at = new Date(Date.parse(sale.at) - 150 * 86_400_000).toISOString();
  const activity = { at, type: "D", code: "FS", description: "DELIVERED ", city: "Dallas", state: "TX" };
  const earlier = activityReply(activity, { withoutZone: false, withoutColons: false });
  const deliveryDate = [{ type: "DEL", date: clockTexts(at).date }];
  return { ...reply, activity: [earlier], currentStatus: earlier.status, deliveryDate, referenceNumber: [] };
}

export function missingHeader(request: CarrierRequest): CarrierReply | undefined {
  if (!request.headers.transid) return refuse(400, "VSS002", "Missing transId");
  if (!request.headers.transactionsrc) return refuse(400, "VSS004", "Missing transactionSrc");
  return undefined;
}

function notFound(standIn: StandIn, number: string): CarrierReply {
  if (standIn.takeFault("not_found_404", "track")) return refuse(404, "TW0001", "Tracking Information Not Found");
  const warnings = [{ code: "TW0001", message: "Tracking Information Not Found" }];
  return { status: 200, body: { trackResponse: { shipment: [{ inquiryNumber: number, warnings }] } } };
}

export function upsTracking(now: () => Date): Operation[] {
  return [
    {
      name: "track",
      method: "GET",
      path: /^\/api\/track\/v1\/details\/([^/]+)$/,
      answer(request, match, standIn) {
        const number = decodeURIComponent(match[1]!);
        const missing = missingHeader(request);
        if (missing) return missing;
        if (!new RegExp(trackingNumberPattern).test(number)) return refuse(400, "TV1002", "Invalid inquiry number");
        const sale = upsSales(standIn).find((one) => one.trackingNumbers.includes(number));
        if (!sale) return notFound(standIn, number);
        const reply = packageReply(standIn, sale, number);
        const packages = standIn.takeFault("tracking_number_reused", "track")
          ? [earlierPackage(reply, sale), reply]
          : [reply];
        return {
          status: 200,
          body: {
            trackResponse: { shipment: [{ inquiryNumber: number, package: packages, userRelation: ["SHIPPER"] }] },
          },
        };
      },
    },
    {
      // Finds what was scanned: right after the purchase there is nothing to find yet.
      name: "track_reference",
      method: "GET",
      path: /^\/api\/track\/v1\/reference\/details\/([^/]+)$/,
      answer(request, match, standIn) {
        const reference = decodeURIComponent(match[1]!);
        const missing = missingHeader(request);
        if (missing) return missing;
        const shipper = request.url.searchParams.get("shipperNum");
        const from = request.url.searchParams.get("fromPickUpDate") ?? dayText(now().getTime() - 14 * 86_400_000);
        const to = request.url.searchParams.get("toPickUpDate") ?? dayText(now().getTime());
        if (!/^\d{8}$/.test(from) || !/^\d{8}$/.test(to)) return refuse(400, "TV1019", "Invalid pickup date");
        const scanned = new Set(standIn.journal("scan").map((entry) => entry.trackingNumber));
        const found = upsSales(standIn).filter(
          (sale) =>
            sale.references.includes(reference) &&
            (shipper === null || sale.shipperNumber === shipper) &&
            sale.trackingNumbers.some((number) => scanned.has(number)) &&
            dayText(Date.parse(sale.at)) >= from &&
            dayText(Date.parse(sale.at)) <= to,
        );
        if (found.length === 0) return notFound(standIn, reference);
        const shipment = found.map((sale) => ({
          inquiryNumber: reference,
          package: sale.trackingNumbers.map((number) => packageReply(standIn, sale, number)),
          userRelation: ["SHIPPER"],
        }));
        return { status: 200, body: { trackResponse: { shipment } } };
      },
    },
  ];
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10).replaceAll("-", "");
}
