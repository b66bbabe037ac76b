import type { CarrierCall, CarrierNews, InboundWebhook, WebhookSubscription } from "../seam/carrier.ts";
import { askEach } from "../seam/each-parcel.ts";
import { RemoteError } from "../seam/http.ts";
import { orMissing, sendJson } from "../seam/json-api.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { isSameText } from "../seam/signatures.ts";
import { eventsOf, withSummary } from "../seam/tracking-events.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport, TrackingStatus } from "../seam/tracking.ts";
import { api, get, post, segment } from "./karrio-api.ts";

const statuses: Record<string, TrackingStatus> = {
  pending: "pre_transit",
  picked_up: "picked_up",
  in_transit: "in_transit",
  out_for_delivery: "out_for_delivery",
  ready_for_pickup: "ready_for_pickup",
  delivered: "delivered",
  delivery_failed: "delivery_failed",
  delivery_delayed: "delayed",
  on_hold: "on_hold",
  incident: "exception",
  return_to_sender: "returned",
  cancelled: "cancelled",
  unknown: "unknown",
};

export function statusOf(status: unknown): TrackingStatus {
  const text = asText(status) ?? "";
  return Object.hasOwn(statuses, text) ? statuses[text]! : "unknown";
}

/** Requests at the same time. */
const atOnce = 5;

/** Labels bought in karrio have trackers. For other numbers one is created if the carrier is known. */
export async function track(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]> {
  return (await askEach(parcels, atOnce, async (parcel) => await trackOne(call, parcel))).flat();
}

async function trackOne(call: CarrierCall, parcel: ParcelToTrack): Promise<TrackingReport[]> {
  const { trackingNumber } = parcel;
  const tracker =
    (await orMissing(get(call, `/v1/trackers/${segment(trackingNumber)}`))) ?? (await createTracker(call, parcel));
  if (!tracker) return [];
  return [{ ...reportOf(tracker), trackingNumber, events: eventsOf(parcel, reportOf(tracker).events) }];
}

async function createTracker(call: CarrierCall, parcel: ParcelToTrack): Promise<Json | undefined> {
  const carrier_name = asText(parcel.carrierData?.carrierName);
  if (carrier_name === undefined) return undefined;
  const body = { tracking_number: parcel.trackingNumber, carrier_name };
  try {
    return await post(call, "/v1/trackers", body, { retry: "safe" });
  } catch (error) {
    // A number that the carrier does not know must not hide the others.
    if (error instanceof RemoteError && (error.code === "rejected" || error.code === "not_found")) return undefined;
    throw error;
  }
}

export function reportOf(tracker: Json): TrackingReport {
  const estimated = asText(tracker.estimated_delivery);
  const status = statusOf(tracker.status);
  const events = asList(tracker.events).flatMap(eventOf);
  return {
    trackingNumber: asText(tracker.tracking_number) ?? "",
    ...(estimated === undefined ? {} : { estimatedDelivery: estimated }),
    events: withSummary(events, {
      status,
      at: asText(tracker.updated_at),
      description: asText(tracker.status) ?? status,
    }),
  };
}

/** Date and time are those of the place. `timestamp` is made of them, without knowing the zone. */
function eventOf(event: Json): TrackingEvent[] {
  const date = asText(event.date);
  const at = date === undefined ? asText(event.timestamp) : `${date}T${timeOf(asText(event.time))}`;
  if (at === undefined) return [];
  const place = placeOf(asText(event.location));
  return [{ at, status: statusOf(event.status), description: asText(event.description) ?? "Scan", ...place }];
}

/** "07:20 PM" and "19:20:05" as 19:20. */
function timeOf(text = ""): string {
  const [, hours = "0", minutes = "00", half = ""] =
    /^(\d{1,2}):(\d{2})(?::\d{2})?(?:\.\d+)?\s*([AP]M)?/i.exec(text) ?? [];
  const hour = half === "" ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}:00`;
}

/** "CHICAGO, IL, US" in its parts; anything else as the name of the place. */
function placeOf(location: string | undefined): Pick<TrackingEvent, "city" | "state" | "countryCode"> {
  if (location === undefined) return {};
  const [, city, state, countryCode] = /^([^,]+), ?([A-Z]{2}), ?([A-Z]{2})$/.exec(location) ?? [];
  return city === undefined || state === undefined || countryCode === undefined
    ? { city: location }
    : { city, state, countryCode };
}

/** karrio makes the secret of a webhook itself and sends it along, so the one of the hub is not used. */
export async function subscribe(call: CarrierCall, { url }: { url: string }): Promise<WebhookSubscription> {
  const known = asList((await get(call, "/v1/webhooks")).results).find((webhook) => webhook.url === url);
  const id = asText(known?.id);
  if (known && id !== undefined) {
    // karrio disables a webhook after five failures.
    const path = `/v1/webhooks/${segment(id)}`;
    if (known.disabled === true)
      await sendJson(api, call, { method: "PATCH", path, json: { disabled: false }, retry: "safe" });
    return subscriptionOf(known);
  }
  return subscriptionOf(
    await post(call, "/v1/webhooks", { url, enabled_events: ["tracker_created", "tracker_updated"] }),
  );
}

function subscriptionOf({ id, secret }: Json): WebhookSubscription {
  const own = asText(secret);
  return { carrierData: { webhookId: asText(id) ?? null }, ...(own === undefined ? {} : { secret: own }) };
}

/** The secret itself is in the header, and the body is not signed. */
export async function readWebhook(_call: CarrierCall, webhook: InboundWebhook): Promise<CarrierNews> {
  const { headers, body, secret } = webhook;
  if (secret === "" || !isSameText(secret, headers["x-event-id"]))
    throw new RemoteError("unauthorized", "The secret of the karrio webhook is wrong or missing.");
  return newsIn(eventIn(body));
}

function eventIn(body: Buffer): Json {
  try {
    return asObject(JSON.parse(body.toString()));
  } catch (cause) {
    throw new RemoteError("invalid_json", "The body of the karrio webhook is not JSON.", { cause });
  }
}

function newsIn({ event, data }: Json): CarrierNews {
  const report = (asText(event) ?? "").startsWith("tracker_") ? reportOf(asObject(data)) : undefined;
  return { trackings: report && report.trackingNumber !== "" ? [report] : [], voids: [], adjustments: [] };
}
