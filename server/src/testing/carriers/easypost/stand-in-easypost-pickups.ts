import { checkBatch, checkCarrierService, checkPickup, checkScanForm } from "./stand-in-easypost-bodies.ts";
import type { ShipmentRef } from "./stand-in-easypost-bodies.ts";
import type { Mode, Shipment } from "./stand-in-easypost-objects.ts";
import { fail, notFound, refuse } from "./stand-in-easypost-answers.ts";
import { stamp } from "./stand-in-easypost-objects.ts";
import type { Batch, EasypostWorld, Pickup } from "./stand-in-easypost-world.ts";
import { addressOf, findShipment, modeOf } from "./stand-in-easypost-world.ts";
import { newDigits, newId } from "../journaled-records.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";
import { decimalText } from "../stand-in-prices.ts";

/** USPS comes for free; UPS takes money for a driver. */
const pickupServices = [
  { carrier: "USPS", service: "NextDay", cents: 0 },
  { carrier: "UPS", service: "Same-day Pickup", cents: 975 },
  { carrier: "UPS", service: "Future-day Pickup", cents: 650 },
];

const idOf = (given: ShipmentRef): string => (typeof given === "string" ? given : given.id);

/** A day counts as its first second. */
function momentOf(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : stamp(at);
}

function createPickup(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkPickup(body);
  if (problems) return refuse(problems, "PICKUP.REQUEST.INVALID");
  const { pickup: given } = value;
  if (!given.shipment && !given.batch) {
    return fail(422, "PICKUP.BATCH.REQUIRED", "A pickup needs a shipment or a batch.", [
      { field: "shipment", message: "cannot be blank" },
    ]);
  }
  const batch = given.batch ? world.batches.find(given.batch.id) : undefined;
  const ids = given.shipment ? [idOf(given.shipment)] : (batch?.shipmentIds ?? []);
  const shipments = ids.flatMap((one) => findShipment(world, one, mode) ?? []);
  const [shipment] = shipments;
  if (!shipment) return notFound();
  const carriers = new Set(shipments.map(({ selected_rate }) => selected_rate?.carrier));
  if (carriers.size > 1)
    return fail(422, "PICKUP.REQUEST.INVALID", "The shipments of a pickup must be of one carrier.");
  if (!shipment.selected_rate) return fail(422, "PICKUP.REQUEST.INVALID", "The shipment has no postage.");
  const [min, max] = [momentOf(given.min_datetime), momentOf(given.max_datetime)];
  if (!min || !max || max < min) return fail(422, "DATE.PARSE.FAILURE", "The times of the pickup are not valid.");
  const address = addressOf(world, standIn, given.address, mode);
  if (!address) return notFound();
  const id = newId("pickup_");
  const time = stamp(world.now());
  const { carrier } = shipment.selected_rate;
  const pickup: Pickup = {
    id,
    object: "Pickup",
    created_at: time,
    updated_at: time,
    mode,
    status: "unknown",
    reference: given.reference ?? null,
    min_datetime: min,
    max_datetime: max,
    is_account_address: given.is_account_address ?? false,
    instructions: given.instructions ?? null,
    messages: [],
    confirmation: null,
    address,
    carrier_accounts: [],
    pickup_rates: pickupServices
      .filter((one) => one.carrier === carrier)
      .map(({ service, cents }) => ({
        mode,
        service,
        rate: decimalText(cents),
        currency: "USD",
        created_at: time,
        updated_at: time,
        carrier,
        pickup_id: id,
        id: newId("pickuprate_"),
        object: "PickupRate",
      })),
  };
  const facts = { id, reference: pickup.reference, shipmentIds: ids };
  return { status: 200, body: world.pickups.save(standIn, "pickup", pickup, facts) };
}

function buyPickup(world: EasypostWorld, standIn: StandIn, pickup: Pickup, body: unknown): CarrierReply {
  const { value, problems } = checkCarrierService(body);
  if (problems) return refuse(problems, "PICKUP.REQUEST.INVALID");
  if (pickup.status !== "unknown")
    return fail(422, "PICKUP.STATUS.INVALID", "The pickup was bought or cancelled already.");
  const isOffered = pickup.pickup_rates.some(
    ({ carrier, service }) => carrier === value.carrier && service === value.service,
  );
  if (!isOffered)
    return fail(422, "PICKUP.BUY.NO_MATCHING_RATES", "No rate of the pickup matches the carrier and service.");
  if (standIn.takeFault("pickup_refused", "buy_pickup"))
    return fail(422, "PICKUP.BUY.FAILED", "The carrier has no driver for this window.");
  const confirmation = `WTC${newDigits(8)}`;
  const bought: Pickup = { ...pickup, status: "scheduled", confirmation, updated_at: stamp(world.now()) };
  const facts = { id: pickup.id, reference: pickup.reference, confirmation, mode: pickup.mode };
  return { status: 200, body: world.pickups.save(standIn, "book_pickup", bought, facts) };
}

function cancelPickup(world: EasypostWorld, standIn: StandIn, pickup: Pickup): CarrierReply {
  if (pickup.status !== "scheduled") return fail(422, "PICKUP.CANCEL.FAILED", "The pickup is not scheduled.");
  if (standIn.takeFault("pickup_dispatched", "cancel_pickup"))
    return fail(422, "PICKUP.CANCEL.FAILED", "The driver is on the way.");
  const canceled: Pickup = { ...pickup, status: "canceled", updated_at: stamp(world.now()) };
  const facts = { id: pickup.id, confirmation: pickup.confirmation };
  return { status: 200, body: world.pickups.save(standIn, "cancel_pickup", canceled, facts) };
}

/** In the background: the answer is always `creating`, as in the recorded exchanges. */
function createBatch(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkBatch(body);
  if (problems) return refuse(problems, "BATCH.REQUEST.INVALID");
  const found = value.batch.shipments.map((given) => findShipment(world, idOf(given), mode));
  const shipmentIds = found.flatMap((one) => one?.id ?? []);
  if (shipmentIds.length < found.length) return notFound();
  const batch: Batch = { id: newId("batch_"), mode, created_at: stamp(world.now()), shipmentIds };
  world.batches.save(standIn, "batch", batch, { id: batch.id, shipmentIds });
  return { status: 200, body: { ...shownBatch(batch), state: "creating", num_shipments: 0, shipments: [] } };
}

function shownBatch({ id, mode, created_at, shipmentIds }: Batch): Record<string, unknown> {
  const shipments = shipmentIds.map((one) => ({ id: one, batch_status: "postage_purchased", batch_message: null }));
  const shown = { id, object: "Batch", mode, created_at, updated_at: created_at, state: "purchased" };
  return { ...shown, num_shipments: shipments.length, shipments, scan_form: null, label_url: null, reference: null };
}

/** Why these parcels cannot be on one form. */
function scanFormRefusal(shipments: Shipment[]): { code: string; message: string } | undefined {
  const invalid = (message: string) => ({ code: "SCAN_FORM.SHIPMENTS.INVALID", message });
  if (shipments.some((one) => !one.postage_label)) return invalid("A shipment has no postage.");
  if (shipments.some((one) => one.selected_rate?.carrier !== "USPS")) {
    return { code: "SCAN_FORM.CREATE.CARRIER_NOT_SUPPORTED", message: "Scan forms are made for USPS only." };
  }
  if (shipments.some((one) => one.refund_status !== null && one.refund_status !== "rejected"))
    return invalid("A shipment was refunded.");
  if (shipments.some((one) => one.scan_form)) return invalid("A shipment is on a scan form already.");
  const origins = new Set(shipments.map(({ from_address: from }) => `${from.street1}/${from.zip}`.toUpperCase()));
  if (origins.size > 1) return invalid("All shipments must have the same origin address.");
  const shipDateOf = ({ options: { label_date: given }, postage_label }: Shipment): string =>
    (typeof given === "string" ? given : postage_label!.label_date).slice(0, 10);
  const dates = new Set(shipments.map(shipDateOf));
  return dates.size > 1 ? invalid("All shipments must have the same ship date.") : undefined;
}

function createScanForm(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkScanForm(body);
  if (problems) return refuse(problems, "SCAN_FORM.SHIPMENTS.INVALID");
  const found = value.scan_form.shipments.map((given) => findShipment(world, idOf(given), mode));
  const shipments = found.filter((one) => one !== undefined);
  if (shipments.length < found.length) return notFound();
  const refusal = scanFormRefusal(shipments);
  if (refusal) return fail(422, refusal.code, refusal.message);
  const time = stamp(world.now());
  const id = newId("sf_");
  const form = {
    id,
    object: "ScanForm",
    created_at: time,
    updated_at: time,
    tracking_codes: shipments.map((one) => one.tracking_code),
    address: shipments[0]!.from_address,
    status: "created",
    message: null,
    form_url: `${standIn.url}/files/scan_form/${time.slice(0, 10).replaceAll("-", "")}/${newId("e8")}-${id}.pdf`,
    form_file_type: null,
    batch_id: newId("batch_"),
    confirmation: null,
  };
  for (const one of shipments)
    world.shipments.save(standIn, "on_manifest", { ...one, scan_form: form }, { id: one.id });
  standIn.record({ kind: "manifest", id, trackingNumbers: form.tracking_codes, mode });
  return { status: 200, body: form };
}

export function pickupOperations(world: EasypostWorld): Operation[] {
  const withPickup =
    (act: (pickup: Pickup, body: () => unknown, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const id = decodeURIComponent(match[1]!);
      const mode = modeOf(world, request);
      const pickup = world.pickups.newest((one) => one.mode === mode && (one.id === id || one.reference === id));
      return pickup ? act(pickup, () => request.json(), standIn) : notFound();
    };
  return [
    {
      name: "create_pickup",
      method: "POST",
      path: /^\/v2\/pickups$/,
      answer: (request, _match, standIn) => createPickup(world, standIn, request.json(), modeOf(world, request)),
    },
    {
      name: "find_pickup",
      method: "GET",
      path: /^\/v2\/pickups\/([^/]+)$/,
      answer: withPickup((pickup) => ({ status: 200, body: pickup })),
    },
    {
      name: "buy_pickup",
      method: "POST",
      path: /^\/v2\/pickups\/([^/]+)\/buy$/,
      answer: withPickup((pickup, body, standIn) => buyPickup(world, standIn, pickup, body())),
    },
    {
      name: "cancel_pickup",
      method: "POST",
      path: /^\/v2\/pickups\/([^/]+)\/cancel$/,
      answer: withPickup((pickup, _body, standIn) => cancelPickup(world, standIn, pickup)),
    },
    {
      name: "batch",
      method: "POST",
      path: /^\/v2\/batches$/,
      answer: (request, _match, standIn) => createBatch(world, standIn, request.json(), modeOf(world, request)),
    },
    {
      name: "find_batch",
      method: "GET",
      path: /^\/v2\/batches\/([^/]+)$/,
      answer(_request, match) {
        const batch = world.batches.find(match[1]!);
        return batch ? { status: 200, body: shownBatch(batch) } : notFound();
      },
    },
    {
      name: "manifest",
      method: "POST",
      path: /^\/v2\/scan_forms$/,
      answer: (request, _match, standIn) => createScanForm(world, standIn, request.json(), modeOf(world, request)),
    },
  ];
}
