import type { Carrier, CarrierCall, CarrierData } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { orMissing } from "../seam/json-api.ts";
import { centsOf } from "../seam/money.ts";
import type { PickupConfirmation, PickupRequest, PickupState } from "../seam/pickups.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { openState } from "../seam/pickups.ts";
import { lookUp } from "../seam/repeats.ts";
import { get, messagesOf, post, segment } from "./easypost-api.ts";
import { referenceOf } from "./easypost-labels.ts";
import { addressBody } from "./easypost-shipment.ts";
import { shipmentIds } from "./easypost-voids.ts";

/** A pickup is created for one label, or for a batch of labels, and then bought from their carrier. Each ID is noted. */
export async function schedulePickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  const { ids, carrier } = labelsOf(request);
  const pickup = (await findEarlier(call)) ?? (await create(call, request, ids));
  if (asText(pickup.confirmation) !== undefined) return confirmationIn(pickup, carrier);
  const rate = chooseRate(pickup, carrier);
  const choice = { carrier: rate.carrier, service: rate.service };
  return confirmationIn(await post(call, `/v2/pickups/${segment(pickup.id)}/buy`, choice), carrier);
}

function labelsOf({ parcels }: PickupRequest): { ids: string[]; carrier: string } {
  const ids = [...new Set(parcels.flatMap((parcel) => shipmentIds(parcel)))];
  const carriers = [...new Set(parcels.map((parcel) => asText(parcel.carrierData?.carrier)).filter((name) => name))];
  if (ids.length === 0)
    throw new RemoteError("labels_required", "EasyPost books a pickup for labels that were bought through it.");
  if (carriers.length > 1) {
    const message = `The labels are of ${carriers.join(" and ")}. Book one pickup for each carrier.`;
    throw new RemoteError("one_carrier_required", message);
  }
  return { ids, carrier: carriers[0] ?? "" };
}

async function findEarlier(call: CarrierCall): Promise<Json | undefined> {
  const id = asText(call.noted?.pickupId);
  if (id !== undefined)
    return await lookUp("EasyPost", "pickup", async () => await get(call, `/v2/pickups/${segment(id)}`));
  if (call.attempt === 1) return undefined;
  const found = await lookUp(
    "EasyPost",
    "pickup",
    async () => await orMissing(get(call, `/v2/pickups/${segment(referenceOf(call))}`)),
  );
  return found && asText(found.id) !== undefined ? found : undefined;
}

async function create(call: CarrierCall, request: PickupRequest, ids: string[]): Promise<Json> {
  const batchId = ids.length > 1 ? await readyBatch(call, ids) : undefined;
  const pickup = {
    address: addressBody(request.address),
    min_datetime: request.readyTime,
    max_datetime: request.closeTime,
    instructions: request.instructions,
    is_account_address: false,
    reference: referenceOf(call),
    ...(batchId === undefined ? { shipment: { id: ids[0] } } : { batch: { id: batchId } }),
  };
  const created = await post(call, "/v2/pickups", { pickup });
  if (asText(created.id) === undefined)
    throw new RemoteError("unexpected_response", "EasyPost created a pickup without an ID.");
  await call.note({ ...(batchId === undefined ? {} : { batchId }), pickupId: created.id });
  return created;
}

/** Batches are created in the background: until one is ready, the next attempt goes on with it. */
async function readyBatch(call: CarrierCall, ids: string[]): Promise<string> {
  const earlier = asText(call.noted?.batchId);
  const shipments = ids.map((id) => ({ id }));
  const created = earlier === undefined ? await post(call, "/v2/batches", { batch: { shipments } }) : { id: earlier };
  const id = asText(created.id);
  if (id === undefined) throw new RemoteError("unexpected_response", "EasyPost created a batch without an ID.");
  if (earlier === undefined) await call.note({ batchId: id });
  const { state } = await get(call, `/v2/batches/${segment(id)}`);
  if (state !== "creating") return id;
  const message = "EasyPost is still putting the labels of the pickup together.";
  throw new RemoteError("in_progress", message, { retryable: true });
}

function chooseRate(pickup: Json, carrier: string): { carrier: string; service: string } {
  const offered = asList(pickup.pickup_rates)
    .filter((rate) => carrier === "" || asText(rate.carrier) === carrier)
    .toSorted((a, b) => Number(a.rate) - Number(b.rate));
  const [best] = offered;
  if (best) return { carrier: asText(best.carrier) ?? carrier, service: asText(best.service) ?? "" };
  const words = messagesOf(pickup).map((one) => `${one.carrier}: ${one.message}`);
  const reason = words.length > 0 ? words.join(" ") : "The carrier offers no pickup at this address and time.";
  throw new RemoteError("pickup_refused", reason);
}

export function confirmationIn(pickup: Json, carrier: string): PickupConfirmation {
  const confirmationNumber = asText(pickup.confirmation);
  if (confirmationNumber === undefined) {
    const message = `EasyPost booked ${asText(pickup.id) ?? "a pickup"} without a confirmation number.`;
    throw new RemoteError("unexpected_response", message, { mayHaveHappened: true });
  }
  const rates = asList(pickup.pickup_rates).filter((rate) => carrier === "" || asText(rate.carrier) === carrier);
  const [best] = rates.toSorted((a, b) => Number(a.rate) - Number(b.rate));
  const currency = asText(best?.currency)?.toUpperCase() ?? "USD";
  return {
    confirmationNumber,
    ...(asText(best?.rate) === undefined ? {} : { charge: { cents: centsOf(best?.rate, currency), currency } }),
    messages: messagesOf(pickup).map((one) => `${one.carrier}: ${one.message}`),
    carrierData: { pickupId: asText(pickup.id) ?? null },
  };
}

type Booked = { confirmationNumber: string; carrierData: CarrierData | null };

function pathOf({ carrierData, confirmationNumber }: Booked): string {
  const id = asText(carrierData?.pickupId);
  if (id !== undefined) return `/v2/pickups/${segment(id)}`;
  const message = `Pickup ${confirmationNumber} was not booked through this hub. Cancel it in the EasyPost dashboard.`;
  throw new RemoteError("pickup_not_known", message);
}

export const cancelPickup: NonNullable<Carrier["cancelPickup"]> = async (call, pickup) => {
  const path = pathOf(pickup);
  try {
    await post(call, `${path}/cancel`, {}, { retry: "safe" });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== "rejected") throw error;
    if (stateIn(await get(call, path))?.status !== "cancelled") throw error;
  }
};

export const findPickup: NonNullable<Carrier["findPickup"]> = async (call, pickup) => {
  if (asText(pickup.carrierData?.pickupId) === undefined) return undefined;
  return openState(call, pickup, stateIn(await get(call, pathOf(pickup))));
};

/** EasyPost does not report whether the driver came. */
export function stateIn({ status }: Json): PickupState | undefined {
  if (status === "scheduled") return { status: "scheduled" };
  return status === "canceled" || status === "cancelled" ? { status: "cancelled" } : undefined;
}
