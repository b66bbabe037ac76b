import { checkTracker, checkTrackerBatch } from "./stand-in-easypost-bodies.ts";
import { makeTracker } from "./stand-in-easypost-buy.ts";
import type { Mode, Tracker, TrackingDetail } from "./stand-in-easypost-objects.ts";
import { fail, notFound, refuse } from "./stand-in-easypost-answers.ts";
import { stamp } from "./stand-in-easypost-objects.ts";
import type { EasypostWorld } from "./stand-in-easypost-world.ts";
import { modeOf } from "./stand-in-easypost-world.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";

export type EasypostScan = {
  status: string;
  statusDetail?: string;
  message?: string;
  place?: { city: string; state: string; zip: string };
  /** Time of the event as the API reports it; default: the clock. */
  datetime?: string;
  /** Ounces, as the carrier weighed the parcel. */
  weight?: number;
  signedBy?: string;
};

/** Codes that exist in test mode without a shipment, one for each status. */
const testCodes: Record<string, string> = {
  EZ1000000001: "pre_transit",
  EZ2000000002: "in_transit",
  EZ3000000003: "out_for_delivery",
  EZ4000000004: "delivered",
  EZ5000000005: "return_to_sender",
  EZ6000000006: "failure",
  EZ7000000007: "unknown",
};

function detailOf(standIn: StandIn, scan: EasypostScan, carrier: string, at: Date): TrackingDetail {
  const status = standIn.takeFault("unknown_status", "scan") ? "held_at_border" : scan.status;
  // Without a place of the scan, EasyPost reports local time as UTC. Here local time is six hours behind.
  const isLocal = standIn.takeFault("local_time_as_utc", "scan");
  const moment = scan.datetime ?? stamp(at);
  const datetime = isLocal ? stamp(new Date(Date.parse(moment) - 6 * 3_600_000)) : moment;
  const place = isLocal ? undefined : scan.place;
  return {
    object: "TrackingDetail",
    message: scan.message ?? `Parcel is ${status.replaceAll("_", " ")}`,
    description: "",
    status,
    status_detail: scan.statusDetail ?? "status_update",
    datetime: standIn.takeFault("events_without_zone", "scan") ? datetime.replace(/(Z|[+-]\d\d:\d\d)$/, "") : datetime,
    source: carrier,
    carrier_code: "",
    tracking_location: {
      object: "TrackingLocation",
      city: place?.city ?? null,
      state: place?.state ?? null,
      country: place ? "US" : null,
      zip: place?.zip ?? null,
    },
    est_delivery_date: null,
  };
}

function carrierDetail({ tracking_location: place }: TrackingDetail): Record<string, unknown> {
  return {
    object: "CarrierDetail",
    service: null,
    container_type: null,
    est_delivery_date_local: null,
    est_delivery_time_local: null,
    origin_location: place.city === null ? null : `${place.city} ${place.state}, ${place.zip}`,
    origin_tracking_location: place,
    destination_location: null,
    destination_tracking_location: null,
    guaranteed_delivery_date: null,
    alternate_identifier: null,
    initial_delivery_attempt: null,
  };
}

/** Trackers have some fields only where they are asked for or reported themselves, not within a shipment. */
export const shownTracker = (tracker: Tracker): object => ({
  ...tracker,
  delivery_evidence: [],
  finalized: tracker.status === "delivered",
  is_return: tracker.status === "return_to_sender",
});

/** The newest tracker of a code: carriers use codes again. */
export function scanTracker(world: EasypostWorld, standIn: StandIn, trackingCode: string, scan: EasypostScan): Tracker {
  const tracker = world.trackers.newest((one) => one.tracking_code === trackingCode);
  if (!tracker) throw new Error(`There is no tracker for ${trackingCode}.`);
  const at = world.now();
  const detail = detailOf(standIn, scan, tracker.carrier, at);
  const updated: Tracker = {
    ...tracker,
    est_delivery_date: tracker.est_delivery_date ?? stamp(new Date(at.getTime() + 3 * 86_400_000)),
    carrier_detail: tracker.carrier_detail ?? carrierDetail(detail),
    status: detail.status,
    status_detail: detail.status_detail,
    updated_at: stamp(at),
    weight: scan.weight ?? tracker.weight,
    signed_by: scan.signedBy ?? tracker.signed_by,
    tracking_details: [...tracker.tracking_details, detail],
  };
  return world.trackers.save(standIn, "scan", updated, { trackingNumber: trackingCode, status: detail.status });
}

function createTracker(
  world: EasypostWorld,
  standIn: StandIn,
  code: string,
  carrier: string | null,
  mode: Mode,
): Tracker | undefined {
  const known = world.trackers.newest((one) => one.tracking_code === code && one.mode === mode);
  if (known) return known;
  const status = testCodes[code];
  if (mode === "test" && status === undefined) return undefined;
  const tracker = makeTracker({ id: null, mode }, code, carrier ?? "USPS", world.now());
  const place = { city: "HOUSTON", state: "TX", zip: "77063" };
  const details = status ? [detailOf(standIn, { status, place }, tracker.carrier, world.now())] : [];
  const first = {
    status: status ?? "unknown",
    status_detail: "status_update",
    tracking_details: details,
    carrier_detail: details[0] ? carrierDetail(details[0]) : null,
    est_delivery_date: stamp(world.now()),
  };
  return world.trackers.save(standIn, "tracker", { ...tracker, ...first }, { trackingNumber: code });
}

const onlyTestCodes = (): CarrierReply => {
  const text =
    "In test mode, only test tracking numbers are valid. Test tracking numbers are EZ1000000001, EZ2000000002, ... , EZ7000000007";
  return fail(422, "TRACKER.CREATE.ERROR", text);
};

export function trackingOperations(world: EasypostWorld): Operation[] {
  return [
    {
      name: "track",
      method: "POST",
      path: /^\/v2\/trackers$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkTracker(request.json());
        if (problems) return refuse(problems, "TRACKER.INVALID_PARAMS");
        const { tracking_code, carrier } = value.tracker;
        const tracker = createTracker(world, standIn, tracking_code, carrier ?? null, modeOf(world, request));
        return tracker ? { status: 200, body: shownTracker(tracker) } : onlyTestCodes();
      },
    },
    {
      name: "track",
      method: "POST",
      path: /^\/v2\/trackers\/batch$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkTrackerBatch(request.json());
        if (problems) return refuse(problems, "TRACKER.INVALID_PARAMS");
        const mode = modeOf(world, request);
        const trackers = value.tracking_codes.flatMap((code) => createTracker(world, standIn, code, null, mode) ?? []);
        return { status: 200, body: { trackers: trackers.map(shownTracker), has_more: false } };
      },
    },
    {
      name: "track",
      method: "GET",
      path: /^\/v2\/trackers$/,
      answer(request) {
        const { searchParams } = request.url;
        const code = searchParams.get("tracking_code");
        const mode = modeOf(world, request);
        const size = Number(searchParams.get("page_size") ?? 20);
        const trackers = world.trackers.list(
          (one) => one.mode === mode && (code === null || one.tracking_code === code),
        );
        return {
          status: 200,
          body: { trackers: trackers.slice(0, size).map(shownTracker), has_more: trackers.length > size },
        };
      },
    },
    {
      name: "track",
      method: "GET",
      path: /^\/v2\/trackers\/([^/]+)$/,
      answer(request, match) {
        const tracker = world.trackers.find(match[1]!);
        return tracker?.mode === modeOf(world, request) ? { status: 200, body: shownTracker(tracker) } : notFound();
      },
    },
  ];
}
