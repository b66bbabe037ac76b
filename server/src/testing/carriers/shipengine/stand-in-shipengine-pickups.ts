import { newDigits, newId } from "../journaled-records.ts";
import { checkManifest, checkPickup } from "./stand-in-shipengine-bodies.ts";
import type { SeLabel, SeManifest, SePickup, ShipengineWorld } from "./stand-in-shipengine-world.ts";
import { errorBody, fail, missing, refuse, seId } from "./stand-in-shipengine-world.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";

/** The labels, or the answer for one that does not exist. */
function labelsOf(world: ShipengineWorld, ids: string[]): { rows: SeLabel[] } | { reply: CarrierReply } {
  const unknown = ids.find((id) => !world.labels.find(id));
  if (unknown) return { reply: missing(`Label ID ${unknown} was not found.`) };
  return { rows: ids.map((id) => world.labels.find(id)!) };
}

/** Any offset is ignored: the digits count as the time at the pickup place. */
const asLocal = (text: string): string => text.replace(/(\.\d+)?(Z|[-+]\d{2}:\d{2})$/, "Z");

function schedulePickup(world: ShipengineWorld, standIn: StandIn, body: unknown): CarrierReply {
  const { value, problems } = checkPickup(body);
  if (problems) return refuse(problems);
  const found = labelsOf(world, value.label_ids);
  if ("reply" in found) return found.reply;
  const { rows } = found;
  const conflict = (code: string, message: string): CarrierReply =>
    fail(400, { type: "business_rules", code, field: "label_ids", message });
  if (rows.some(({ isVoided }) => isVoided)) return conflict("invalid_status", "A label has been voided.");
  if (new Set(rows.map(({ label }) => label.carrier_id)).size > 1)
    return conflict("carrier_conflict", "All labels must be of one carrier.");
  const placeOf = ({ shipment: { warehouse_id, ship_from } }: SeLabel): string =>
    warehouse_id ?? `${ship_from.address_line1}/${ship_from.postal_code}`;
  if (new Set(rows.map(placeOf)).size > 1)
    return conflict("warehouse_conflict", "All labels must be of one warehouse.");
  const { start_at, end_at } = value.pickup_window;
  const window = { start_at: asLocal(start_at), end_at: asLocal(end_at) };
  if (window.end_at <= window.start_at)
    return fail(400, {
      code: "invalid_field_value",
      field: "pickup_window.end_at",
      message: "end_at must be after start_at.",
    });
  const [first] = rows;
  const pickup = {
    pickup_id: newId("pik_").slice(0, 24),
    label_ids: value.label_ids,
    created_at: world.now().toISOString(),
    cancelled_at: null,
    carrier_id: first!.label.carrier_id,
    warehouse_id: first!.shipment.warehouse_id,
    pickup_address: first!.shipment.ship_from,
    contact_details: value.contact_details,
    pickup_notes: value.pickup_notes ?? null,
    pickup_window: window,
    pickup_windows: [window],
  };
  if (standIn.takeFault("pickup_refused", "book_pickup")) {
    const refusal = {
      source: "carrier",
      type: "business_rules",
      code: "unspecified",
      message: "The carrier has no driver for this window.",
    };
    return { status: 200, body: { ...pickup, confirmation_number: null, ...errorBody([refusal]) } };
  }
  const confirmation_number = `PKP${newDigits(8)}`;
  const row: SePickup = { id: pickup.pickup_id, pickup: { ...pickup, confirmation_number }, isCancelled: false };
  world.pickups.save(standIn, "book_pickup", row, {
    id: row.id,
    confirmation: confirmation_number,
    labelIds: value.label_ids,
  });
  return { status: 200, body: { ...row.pickup, ...errorBody([]) } };
}

function cancelPickup(world: ShipengineWorld, standIn: StandIn, row: SePickup): CarrierReply {
  if (row.isCancelled)
    return fail(400, {
      type: "business_rules",
      code: "invalid_status",
      message: "The pickup has been cancelled already.",
    });
  const { id: pickup_id } = row;
  if (standIn.takeFault("pickup_dispatched", "cancel_pickup")) {
    const refusal = {
      source: "carrier",
      type: "business_rules",
      code: "unspecified",
      message: "The driver is on the way.",
    };
    return { status: 200, body: { ...errorBody([refusal]), pickup_id } };
  }
  const cancelled = { ...row, isCancelled: true, pickup: { ...row.pickup, cancelled_at: world.now().toISOString() } };
  world.pickups.save(standIn, "cancel_pickup", cancelled, { id: pickup_id });
  return { status: 200, body: { ...errorBody([]), pickup_id } };
}

function createManifest(world: ShipengineWorld, standIn: StandIn, body: unknown): CarrierReply {
  const { value, problems } = checkManifest(body);
  if (problems) return refuse(problems);
  const open = world.labels.list((row) => !row.isVoided && !row.manifestId);
  const isOfDay = ({ label, shipment }: SeLabel): boolean =>
    "carrier_id" in value &&
    label.carrier_id === value.carrier_id &&
    shipment.warehouse_id === value.warehouse_id &&
    shipment.ship_date.slice(0, 10) === value.ship_date.slice(0, 10) &&
    !(value.excluded_label_ids ?? []).includes(label.label_id);
  const found = "label_ids" in value ? labelsOf(world, value.label_ids) : { rows: open.filter(isOfDay) };
  if ("reply" in found) return found.reply;
  const { rows } = found;
  const conflict = (code: string, message: string): CarrierReply =>
    fail(400, { type: "business_rules", code, field: "label_ids", message });
  if (rows.length === 0) return conflict("invalid_field_value", "There are no labels for a manifest.");
  if (rows.some(({ label }) => label.carrier_code !== "stamps_com"))
    return conflict("carrier_not_supported", "The carrier has no manifests.");
  if (rows.some(({ isVoided, manifestId }) => isVoided || manifestId))
    return conflict("invalid_status", "A label is void or on a manifest already.");
  if (standIn.takeFault("manifest_refused", "manifest")) {
    const refusal = {
      source: "carrier",
      type: "business_rules",
      code: "unspecified",
      message: "The carrier refused the manifest.",
    };
    return { status: 200, body: { manifests: [], manifest_requests: [], ...errorBody([refusal]) } };
  }
  const id = seId();
  const manifestId = seId();
  const manifest = {
    manifest_id: manifestId,
    form_id: seId(),
    created_at: world.now().toISOString(),
    ship_date: rows[0]!.shipment.ship_date,
    shipments: rows.length,
    label_ids: rows.map((row) => row.id),
    warehouse_id: rows[0]!.shipment.warehouse_id,
    submission_id: newDigits(16),
    carrier_id: rows[0]!.label.carrier_id,
    manifest_download: { href: `${standIn.url}/v1/downloads/14/${manifestId}/manifest-${manifestId}.pdf` },
  };
  world.manifests.save(
    standIn,
    "manifest",
    { id, manifest, polls: 0 },
    { id, trackingNumbers: rows.map(({ label }) => label.tracking_number) },
  );
  for (const row of rows) world.labels.save(standIn, "on_manifest", { ...row, manifestId }, { id: row.id });
  return {
    status: 200,
    body: { manifests: [], manifest_requests: [{ manifest_request_id: id, status: "in_progress" }], ...errorBody([]) },
  };
}

/** Ready when it is asked for the second time. */
function pollManifest(world: ShipengineWorld, standIn: StandIn, row: SeManifest): CarrierReply {
  const { id, manifest } = row;
  const { polls } = world.manifests.save(standIn, "manifest_polled", { ...row, polls: row.polls + 1 }, { id });
  const isReady = polls > 1;
  const manifest_requests = [{ manifest_request_id: id, status: isReady ? "completed" : "in_progress" }];
  return { status: 200, body: { manifests: isReady ? [manifest] : [], manifest_requests, ...errorBody([]) } };
}

export function pickupOperations(world: ShipengineWorld): Operation[] {
  const withPickup =
    (act: (row: SePickup, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (_request, match, standIn) => {
      const row = world.pickups.find(match[1]!);
      return row ? act(row, standIn) : missing(`Pickup ID ${match[1]} was not found.`);
    };
  return [
    {
      name: "book_pickup",
      method: "POST",
      path: /^\/v1\/pickups$/,
      answer: (request, _match, standIn) => schedulePickup(world, standIn, request.json()),
    },
    {
      name: "list_pickups",
      method: "GET",
      path: /^\/v1\/pickups$/,
      answer({ url }) {
        const since = url.searchParams.get("created_at_start") ?? "";
        const pickups = world.pickups
          .list(({ pickup }) => String(pickup.created_at) >= since)
          .map(({ pickup }) => pickup);
        return { status: 200, body: { pickups, total: pickups.length, page: 1, pages: 1 } };
      },
    },
    {
      name: "find_pickup",
      method: "GET",
      path: /^\/v1\/pickups\/([^/]+)$/,
      answer: withPickup((row) => ({ status: 200, body: row.pickup })),
    },
    {
      name: "cancel_pickup",
      method: "DELETE",
      path: /^\/v1\/pickups\/([^/]+)$/,
      answer: withPickup((row, standIn) => cancelPickup(world, standIn, row)),
    },
    {
      name: "manifest",
      method: "POST",
      path: /^\/v1\/manifests$/,
      answer: (request, _match, standIn) => createManifest(world, standIn, request.json()),
    },
    {
      name: "list_manifests",
      method: "GET",
      path: /^\/v1\/manifests$/,
      answer({ url }) {
        const wanted = (url.searchParams.get("label_ids") ?? "").split(",").filter(Boolean);
        const isWanted = ({ manifest }: SeManifest): boolean =>
          wanted.length === 0 || (manifest.label_ids as string[]).some((id) => wanted.includes(id));
        const manifests = world.manifests.list(isWanted).map(({ manifest }) => manifest);
        return { status: 200, body: { manifests, total: manifests.length, page: 1, pages: 1 } };
      },
    },
    {
      name: "find_manifest",
      method: "GET",
      path: /^\/v1\/manifests\/requests\/([^/]+)$/,
      answer(_request, match, standIn) {
        const row = world.manifests.find(match[1]!);
        return row ? pollManifest(world, standIn, row) : missing(`Manifest request ID ${match[1]} was not found.`);
      },
    },
    {
      name: "find_manifest",
      method: "GET",
      path: /^\/v1\/manifests\/([^/]+)$/,
      answer(_request, match) {
        const row = world.manifests.newest(({ manifest, polls }) => manifest.manifest_id === match[1] && polls > 1);
        return row ? { status: 200, body: row.manifest } : missing(`Manifest ID ${match[1]} was not found.`);
      },
    },
  ];
}
