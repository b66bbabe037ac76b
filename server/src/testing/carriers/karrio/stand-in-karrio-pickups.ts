import { newDigits, newId } from "../journaled-records.ts";
import { checkManifest, checkPickup } from "./stand-in-karrio-bodies.ts";
import type { KarrioAddress } from "./stand-in-karrio-bodies.ts";
import { karrioConnections } from "./stand-in-karrio-rates.ts";
import type { KarrioManifest, KarrioPickup, KarrioShipment, KarrioWorld } from "./stand-in-karrio-world.ts";
import { carrierFailure, carrierMessage, fail, missing, page, refuse, shownAddress } from "./stand-in-karrio-world.ts";
import { labelFile } from "../label-files.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";

const shownPickup = ({ more, trackingNumbers: _numbers, ...pickup }: KarrioPickup): Record<string, unknown> => ({
  ...more,
  ...pickup,
});

/** Labels that were bought, or just a count of parcels with an address. */
function schedulePickup(
  world: KarrioWorld,
  standIn: StandIn,
  body: unknown,
  asked: { carrierName: string | null; isTest: boolean },
): CarrierReply {
  const { value, problems } = checkPickup(body);
  if (problems) return refuse(problems);
  const numbers = value.tracking_numbers ?? [];
  const shipments = numbers.flatMap((number) => world.shipments.newest((one) => one.tracking_number === number) ?? []);
  if (shipments.length < numbers.length)
    return fail(400, "validation", "tracking_numbers: Shipment with the tracking number not found");
  if (numbers.length === 0 && !value.parcels_count)
    return fail(400, "validation", "At least one of tracking_numbers or parcels_count must be provided");
  if (numbers.length === 0 && !value.address)
    return fail(400, "validation", "address: address is required for a pickup without tracking_numbers");
  if (numbers.length > 1 && !value.address)
    return fail(400, "validation", "address: address is required for several shipments");
  const name = asked.carrierName ?? value.carrier_code ?? shipments[0]?.carrier_name;
  const connection = karrioConnections.find((one) => one.name === name);
  if (!connection) return fail(404, "not_found", "No active carrier connection found to process the request");
  if (standIn.takeFault("pickup_refused", "book_pickup")) {
    return carrierFailure([carrierMessage(connection, "9500521", "The carrier has no driver for this window.")]);
  }
  const confirmation_number = newDigits(8);
  const { pickup_date, ready_time, closing_time, address } = value;
  const pickup: KarrioPickup = {
    id: newId("pck_"),
    status: "scheduled",
    confirmation_number,
    trackingNumbers: numbers,
    test_mode: asked.isTest,
    more: {
      object_type: "pickup",
      carrier_name: connection.name,
      carrier_id: connection.id,
      carrier_code: connection.name,
      pickup_date,
      ready_time,
      closing_time,
      pickup_charge: { name: "Pickup fees", amount: connection.name === "ups" ? 6.5 : 0, currency: "USD", id: null },
      address: address ? shownAddress(address) : shipments[0]!.shipper,
      parcels: shipments.flatMap(({ parcels }) => parcels),
      parcels_count: value.parcels_count ?? null,
      instruction: value.instruction ?? null,
      package_location: value.package_location ?? null,
      pickup_type: value.pickup_type ?? "one_time",
      recurrence: null,
      options: value.options ?? {},
      metadata: value.metadata ?? {},
      meta: { ext: connection.name, carrier: connection.name, request_id: newId("") },
      is_archived: false,
      archived_at: null,
    },
  };
  world.pickups.save(standIn, "book_pickup", pickup, {
    id: pickup.id,
    confirmation: confirmation_number,
    metadata: value.metadata ?? {},
  });
  return { status: 201, body: shownPickup(pickup) };
}

/** A second request is 409, with the cancelled pickup as its body. */
function cancelPickup(world: KarrioWorld, standIn: StandIn, pickup: KarrioPickup): CarrierReply {
  if (pickup.status === "cancelled") return { status: 409, body: shownPickup(pickup) };
  if (standIn.takeFault("pickup_dispatched", "cancel_pickup")) {
    const carrier = { name: String(pickup.more.carrier_name), id: String(pickup.more.carrier_id) };
    return carrierFailure([carrierMessage(carrier, "9510119", "The driver is on the way.")]);
  }
  const cancelled = world.pickups.save(standIn, "cancel_pickup", { ...pickup, status: "cancelled" }, { id: pickup.id });
  return { status: 200, body: shownPickup(cancelled) };
}

/** Without the fields that mark an address as a record of its own. */
function manifestAddress(address: KarrioAddress): Record<string, unknown> {
  const { object_type: _type, validation: _validation, ...shown } = shownAddress(address);
  return shown;
}

const shownManifest = ({ more, shipmentIds: _ids, ...manifest }: KarrioManifest): Record<string, unknown> => ({
  ...more,
  ...manifest,
});

function createManifest(world: KarrioWorld, standIn: StandIn, body: unknown, isTest: boolean): CarrierReply {
  const { value, problems } = checkManifest(body);
  if (problems) return refuse(problems);
  const connection = karrioConnections.find(({ name }) => name === value.carrier_name);
  if (!connection) return fail(404, "not_found", "No active carrier connection found to process the request");
  const taken = new Set(world.manifests.list().flatMap(({ shipmentIds }) => shipmentIds));
  const isOpen = (one: KarrioShipment): boolean =>
    value.shipment_ids.includes(one.id) &&
    !taken.has(one.id) &&
    one.carrier_name === connection.name &&
    one.status !== "cancelled";
  const shipments = world.shipments.list(isOpen);
  // As in karrio: ids that do not fit are left out silently while one of them fits.
  if (shipments.length === 0)
    return fail(400, "validation", "shipment_ids: One or more shipment ids are invalid or not found.");
  if (standIn.takeFault("manifest_refused", "manifest")) {
    return carrierFailure([carrierMessage(connection, "E1", "The carrier refused the manifest.")]);
  }
  const id = newId("manf_");
  const manifest: KarrioManifest = {
    id,
    shipmentIds: shipments.map((one) => one.id),
    test_mode: isTest,
    more: {
      object_type: "manifest",
      carrier_name: connection.name,
      carrier_id: connection.id,
      meta: { request_id: newId("") },
      address: manifestAddress(value.address),
      options: value.options ?? {},
      reference: value.reference ?? null,
      shipment_identifiers: shipments.map((one) => one.shipment_identifier),
      metadata: {},
      manifest_url: `/v1/manifests/${id}/manifest.pdf`,
      messages: [],
    },
  };
  world.manifests.save(standIn, "manifest", manifest, {
    id,
    trackingNumbers: shipments.map((one) => one.tracking_number),
  });
  return { status: 201, body: shownManifest(manifest) };
}

export function pickupOperations(world: KarrioWorld, isTest: (request: CarrierRequest) => boolean): Operation[] {
  const withPickup =
    (act: (pickup: KarrioPickup, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const pickup = world.pickups.find(match[1]!);
      return pickup && pickup.test_mode === isTest(request) ? act(pickup, standIn) : missing("Pickup");
    };
  return [
    {
      name: "book_pickup",
      method: "POST",
      path: /^\/v1\/pickups$/,
      answer: (request, _match, standIn) =>
        schedulePickup(world, standIn, request.json(), { carrierName: null, isTest: isTest(request) }),
    },
    {
      name: "book_pickup",
      method: "POST",
      path: /^\/v1\/pickups\/([^/]+)\/schedule$/,
      answer(request, match, standIn) {
        const reply = schedulePickup(world, standIn, request.json(), {
          carrierName: match[1]!,
          isTest: isTest(request),
        });
        return { ...reply, headers: { deprecation: "true", link: '</v1/pickups>; rel="successor-version"' } };
      },
    },
    {
      name: "find_pickup",
      method: "GET",
      path: /^\/v1\/pickups$/,
      answer: (request) => page(world.pickups.list((one) => one.test_mode === isTest(request)).map(shownPickup)),
    },
    {
      name: "find_pickup",
      method: "GET",
      path: /^\/v1\/pickups\/([^/]+)$/,
      answer: withPickup((pickup) => ({ status: 200, body: shownPickup(pickup) })),
    },
    {
      name: "cancel_pickup",
      method: "POST",
      path: /^\/v1\/pickups\/([^/]+)\/cancel$/,
      answer: withPickup((pickup, standIn) => cancelPickup(world, standIn, pickup)),
    },
    {
      name: "manifest",
      method: "POST",
      path: /^\/v1\/manifests$/,
      answer: (request, _match, standIn) => createManifest(world, standIn, request.json(), isTest(request)),
    },
    {
      name: "find_manifest",
      method: "GET",
      path: /^\/v1\/manifests$/,
      answer: (request) => page(world.manifests.list((one) => one.test_mode === isTest(request)).map(shownManifest)),
    },
    {
      name: "manifest_file",
      method: "GET",
      path: /^\/v1\/manifests\/([^/]+)\/manifest\.pdf$/,
      answer(_request, match) {
        const manifest = world.manifests.find(match[1]!);
        if (!manifest) return missing("Manifest");
        return { status: 200, headers: { "content-type": "application/pdf" }, body: labelFile("PDF", manifest.id) };
      },
    },
    {
      name: "find_manifest",
      method: "GET",
      path: /^\/v1\/manifests\/([^/]+)$/,
      answer(_request, match) {
        const manifest = world.manifests.find(match[1]!);
        return manifest ? { status: 200, body: shownManifest(manifest) } : missing("Manifest");
      },
    },
    {
      name: "find_manifest",
      method: "POST",
      path: /^\/v1\/manifests\/([^/]+)\/document$/,
      answer(_request, match) {
        const manifest = world.manifests.find(match[1]!);
        if (!manifest) return missing("Manifest");
        const base64 = labelFile("PDF", manifest.id).toString("base64");
        return {
          status: 200,
          body: { category: "manifest", format: "PDF", print_format: null, url: manifest.more.manifest_url, base64 },
        };
      },
    },
  ];
}
