import { newId } from "../journaled-records.ts";
import { checkTracker, checkWebhook } from "./stand-in-karrio-bodies.ts";
import { karrioConnections } from "./stand-in-karrio-rates.ts";
import type { KarrioEvent, KarrioTracker, KarrioWebhook, KarrioWorld } from "./stand-in-karrio-world.ts";
import { missing, page, refuse } from "./stand-in-karrio-world.ts";
import { postWebhook } from "../post-webhook.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";

export type KarrioScan = {
  /** Such as in_transit. Null: the carrier's code is not mapped, so that the event has no status and the tracker stays in_transit. */
  status: string | null;
  code?: string;
  description?: string;
  location?: string;
  /** Local to the place, without a zone: "2026-11-18" and "09:30". */
  date?: string;
  time?: string;
  /** With a zone; newer connectors have it, older ones leave it out. */
  timestamp?: string;
};

const info = {
  carrier_tracking_link: null,
  customer_name: null,
  expected_delivery: null,
  note: null,
  order_date: null,
  order_id: null,
  package_weight: null,
  package_weight_unit: null,
  shipment_package_count: null,
  shipment_pickup_date: null,
  shipment_delivery_date: null,
  shipment_service: null,
  shipment_origin_country: null,
  shipment_origin_postal_code: null,
  shipment_destination_country: null,
  shipment_destination_postal_code: null,
  shipping_date: null,
  signed_by: null,
  source: "api",
};

export function makeTracker(parcel: {
  trackingNumber: string;
  carrierName: string;
  carrierId: string;
  isTest: boolean;
  at: Date;
}): KarrioTracker {
  return {
    id: newId("trk_"),
    carrier_name: parcel.carrierName,
    carrier_id: parcel.carrierId,
    tracking_number: parcel.trackingNumber,
    status: "pending",
    delivered: false,
    test_mode: parcel.isTest,
    events: [],
    more: {
      object_type: "tracker",
      estimated_delivery: new Date(parcel.at.getTime() + 4 * 86_400_000).toISOString().slice(0, 10),
      delivery_image_url: null,
      signature_image_url: null,
      info,
      messages: [],
      meta: { ext: parcel.carrierName, carrier: parcel.carrierName, request_id: newId("") },
      metadata: {},
      is_archived: false,
      archived_at: null,
    },
  };
}

export const shownTracker = ({ more, ...tracker }: KarrioTracker): Record<string, unknown> => ({ ...more, ...tracker });

/** What the status of a parcel makes of the status of its shipment. */
const shipmentStatus: Record<string, string> = {
  in_transit: "in_transit",
  picked_up: "in_transit",
  out_for_delivery: "out_for_delivery",
  delivered: "delivered",
  delivery_failed: "delivery_failed",
  on_hold: "needs_attention",
  delivery_delayed: "needs_attention",
};

export function scanTracker(
  world: KarrioWorld,
  standIn: StandIn,
  trackingNumber: string,
  scan: KarrioScan,
): KarrioTracker {
  const tracker = world.trackers.newest((one) => one.tracking_number === trackingNumber);
  if (!tracker) throw new Error(`There is no tracker for ${trackingNumber}.`);
  const at = world.now().toISOString();
  const status = standIn.takeFault("unknown_status", "scan") ? "held_at_border" : (scan.status ?? "in_transit");
  const event: KarrioEvent = {
    date: scan.date ?? at.slice(0, 10),
    time: scan.time ?? at.slice(11, 16),
    timestamp: scan.timestamp ?? null,
    status: scan.status === null ? null : status,
    code: scan.code ?? status,
    reason: null,
    description: scan.description ?? status.replaceAll("_", " "),
    location: scan.location ?? "",
    latitude: null,
    longitude: null,
  };
  const updated = { ...tracker, status, delivered: status === "delivered", events: [event, ...tracker.events] };
  const shipment = world.shipments.newest((one) => one.tracker_id === tracker.id);
  const moved = shipmentStatus[status];
  if (shipment && moved)
    world.shipments.save(standIn, "shipment_moved", { ...shipment, status: moved }, { id: shipment.id });
  return world.trackers.save(standIn, "scan", updated, { trackingNumber, status });
}

/**
 * There is no signature: the secret itself is the header X-Event-Id. A webhook whose receiver fails six times in a row is disabled.
 * Returns the statuses.
 */
export async function deliver(
  world: KarrioWorld,
  standIn: StandIn,
  event: string,
  data: object,
  isTest: boolean,
): Promise<number[]> {
  const isAsked = (hook: KarrioWebhook): boolean =>
    hook.test_mode === isTest &&
    !hook.disabled &&
    (hook.enabled_events.includes(event) || hook.enabled_events.includes("all"));
  const body = JSON.stringify({ event, data });
  const rounds = standIn.takeFault("duplicate_event", "webhook") ? 2 : 1;
  const statuses: number[] = [];
  for (const { id } of Array.from({ length: rounds }, () => world.webhooks.list(isAsked)).flat()) {
    const hook = world.webhooks.find(id)!;
    const status = await postWebhook(hook.url, { "x-event-id": hook.secret }, body);
    const isDone = status >= 200 && status < 400;
    const failures = isDone ? 0 : hook.failures + 1;
    const last_event_at = isDone ? world.now().toISOString() : hook.last_event_at;
    world.webhooks.save(
      standIn,
      "webhook_sent",
      { ...hook, failures, disabled: failures > 5, last_event_at },
      { id, status },
    );
    statuses.push(status);
  }
  return statuses;
}

const shownHook = ({ failures: _failures, ...hook }: KarrioWebhook): unknown => hook;

function createWebhook(world: KarrioWorld, standIn: StandIn, body: unknown, isTest: boolean): CarrierReply {
  const { value, problems } = checkWebhook(body);
  if (problems) return refuse(problems);
  const hook: KarrioWebhook = {
    id: newId("we_"),
    url: value.url,
    description: value.description ?? null,
    enabled_events: value.enabled_events,
    disabled: value.disabled ?? false,
    object_type: "webhook",
    last_event_at: null,
    secret: newId("whsec_"),
    test_mode: isTest,
    failures: 0,
  };
  return { status: 201, body: shownHook(world.webhooks.save(standIn, "webhook", hook, { id: hook.id })) };
}

export function trackingOperations(world: KarrioWorld, isTest: (request: CarrierRequest) => boolean): Operation[] {
  const withHook =
    (act: (hook: KarrioWebhook, request: CarrierRequest, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const hook = world.webhooks.find(match[1]!);
      return hook && hook.test_mode === isTest(request) ? act(hook, request, standIn) : missing("Webhook");
    };
  return [
    {
      name: "track",
      method: "POST",
      path: /^\/v1\/trackers$/,
      // Creates the tracker or answers the one that is there.
      answer(request, _match, standIn) {
        const { value, problems } = checkTracker(request.json());
        if (problems) return refuse(problems);
        const { tracking_number: trackingNumber, carrier_name: carrierName } = value;
        const known = world.trackers.newest(
          (one) => one.tracking_number === trackingNumber && one.test_mode === isTest(request),
        );
        if (known) return { status: 202, body: shownTracker(known) };
        const connection = karrioConnections.find(({ name }) => name === carrierName);
        if (!connection) return missing("Carrier connection");
        const tracker = makeTracker({
          trackingNumber,
          carrierName,
          carrierId: connection.id,
          isTest: isTest(request),
          at: world.now(),
        });
        world.trackers.save(standIn, "tracker", { ...tracker, status: "unknown" }, { trackingNumber });
        return { status: 202, body: shownTracker({ ...tracker, status: "unknown" }) };
      },
    },
    {
      name: "track",
      method: "GET",
      path: /^\/v1\/trackers$/,
      answer(request) {
        const number = request.url.searchParams.get("tracking_number");
        const isWanted = (one: KarrioTracker): boolean =>
          one.test_mode === isTest(request) && one.tracking_number.includes(number ?? "");
        return page(world.trackers.list(isWanted).map(shownTracker));
      },
    },
    {
      name: "track",
      method: "GET",
      path: /^\/v1\/trackers\/([^/]+)$/,
      answer(_request, match, standIn) {
        const tracker = world.trackers.newest(
          ({ id, tracking_number }) => id === match[1] || tracking_number === match[1],
        );
        if (!tracker) return missing("Tracking");
        const shown = shownTracker(tracker);
        const isSingle = standIn.takeFault("one_object", "track");
        return { status: 200, body: isSingle ? { ...shown, events: tracker.events[0] } : shown };
      },
    },
    {
      name: "create_webhook",
      method: "POST",
      path: /^\/v1\/webhooks$/,
      answer: (request, _match, standIn) => createWebhook(world, standIn, request.json(), isTest(request)),
    },
    {
      name: "list_webhooks",
      method: "GET",
      path: /^\/v1\/webhooks$/,
      answer: (request) => page(world.webhooks.list((hook) => hook.test_mode === isTest(request)).map(shownHook)),
    },
    {
      name: "update_webhook",
      method: "PATCH",
      path: /^\/v1\/webhooks\/([^/]+)$/,
      answer: withHook((hook, request, standIn) => {
        const { url, enabled_events, disabled = hook.disabled } = request.json() as Partial<KarrioWebhook>;
        const { value, problems } = checkWebhook({
          url: url ?? hook.url,
          enabled_events: enabled_events ?? hook.enabled_events,
          disabled,
        });
        if (problems) return refuse(problems);
        const changed = {
          ...hook,
          url: value.url,
          enabled_events: value.enabled_events,
          disabled: value.disabled ?? false,
          failures: 0,
        };
        return {
          status: 200,
          body: shownHook(world.webhooks.save(standIn, "webhook_changed", changed, { id: hook.id })),
        };
      }),
    },
    {
      name: "delete_webhook",
      method: "DELETE",
      path: /^\/v1\/webhooks\/([^/]+)$/,
      answer: withHook((hook, _request, standIn) => {
        world.webhooks.remove(standIn, "webhook_deleted", hook.id);
        return { status: 200, body: { operation: "Remove webhook", success: true } };
      }),
    },
  ];
}
