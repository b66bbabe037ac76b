import type { Carrier, CarrierCall, CarrierData, Manifest, ManifestRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { orMissing } from "../seam/json-api.ts";
import { fetchLabelFile } from "../seam/label-file.ts";
import { centsOf } from "../seam/money.ts";
import type { PickupConfirmation, PickupRequest, PickupState } from "../seam/pickups.ts";
import { openState } from "../seam/pickups.ts";
import { asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { apiUrl, fileHeaders, get, keyOf, ownEntries, post, segment } from "./karrio-api.ts";
import { addressBody } from "./karrio-shipment.ts";

/** The carrier of all these labels. karrio books and closes carrier by carrier. */
function carrierOf(parcels: { carrierData: CarrierData | null }[]): string {
  const names = [...new Set(parcels.flatMap(({ carrierData }) => asText(carrierData?.carrierName) ?? []))];
  if (names.length === 1) return names[0]!;
  const message =
    names.length === 0
      ? "karrio needs labels that were bought through it."
      : `The labels are of ${names.join(" and ")}. Do this for each carrier on its own.`;
  throw new RemoteError(names.length === 0 ? "labels_required" : "one_carrier_required", message);
}

/** A repeat looks for a pickup with our key that was created since the first attempt. */
export async function schedulePickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  const carrier_code = carrierOf(request.parcels);
  const earlier = await findEarlier(call, "/v1/pickups");
  if (earlier) return confirmationIn(earlier);
  if (!call.noted) await call.note({ sentAt: call.now().toISOString() });
  const pickup = {
    carrier_code,
    pickup_date: request.readyTime.slice(0, 10),
    ready_time: request.readyTime.slice(11, 16),
    closing_time: request.closeTime.slice(11, 16),
    address: addressBody(request.address),
    instruction: request.instructions,
    parcels_count: request.packageCount,
    tracking_numbers: request.parcels.map(({ trackingNumber }) => trackingNumber),
    metadata: { hub_key: keyOf(call) },
  };
  const booked =
    (await orMissing(post(call, "/v1/pickups", pickup))) ??
    // Versions before 2026 have the carrier in the path.
    (await post(call, `/v1/pickups/${segment(carrier_code)}/schedule`, pickup));
  return confirmationIn(booked);
}

async function findEarlier(call: CarrierCall, path: string): Promise<Json | undefined> {
  const created_after = asText(call.noted?.sentAt);
  if (call.attempt === 1 || created_after === undefined) return undefined;
  return ownEntries(
    call,
    await lookUp("karrio", "pickup", async () => await get(call, path, { query: { created_after } })),
  )[0];
}

export function confirmationIn(pickup: Json): PickupConfirmation {
  const [id, number] = [asText(pickup.id), asText(pickup.confirmation_number)];
  if (number === undefined)
    throw new RemoteError("unexpected_response", `karrio booked ${id ?? "a pickup"} without a confirmation number.`, {
      mayHaveHappened: true,
    });
  const { amount, currency } = asObject(pickup.pickup_charge);
  const own = asText(currency)?.toUpperCase() ?? "USD";
  return {
    confirmationNumber: number,
    ...(asText(amount) === undefined ? {} : { charge: { cents: centsOf(amount, own), currency: own } }),
    messages: [],
    carrierData: { pickupId: id ?? null },
  };
}

type Booked = { confirmationNumber: string; carrierData: CarrierData | null };

function pathOf({ carrierData, confirmationNumber }: Booked): string {
  const id = asText(carrierData?.pickupId);
  if (id !== undefined) return `/v1/pickups/${segment(id)}`;
  throw new RemoteError(
    "pickup_not_known",
    `Pickup ${confirmationNumber} was not booked through this hub. Cancel it in karrio.`,
  );
}

export const cancelPickup: NonNullable<Carrier["cancelPickup"]> = async (call, pickup) => {
  const path = pathOf(pickup);
  try {
    await post(call, `${path}/cancel`, { reason: pickup.reason }, { retry: "safe" });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== "conflict") throw error;
    if (stateIn(await get(call, path))?.status !== "cancelled") throw error;
  }
};

export const findPickup: NonNullable<Carrier["findPickup"]> = async (call, pickup) => {
  if (asText(pickup.carrierData?.pickupId) === undefined) return undefined;
  return openState(call, pickup, stateIn(await get(call, pathOf(pickup))));
};

const states: Record<string, PickupState["status"]> = {
  scheduled: "scheduled",
  picked_up: "completed",
  closed: "completed",
  cancelled: "cancelled",
};

function stateIn({ status }: Json): PickupState | undefined {
  const text = asText(status) ?? "";
  return Object.hasOwn(states, text) ? { status: states[text]! } : undefined;
}

export async function createManifest(call: CarrierCall, { from, parcels }: ManifestRequest): Promise<Manifest> {
  const carrier_name = carrierOf(parcels);
  const shipment_ids = [...new Set(parcels.flatMap(({ carrierData }) => asText(carrierData?.shipmentId) ?? []))];
  const earlier = await findEarlier(call, "/v1/manifests");
  if (!earlier && !call.noted) await call.note({ sentAt: call.now().toISOString() });
  const body = { carrier_name, address: addressBody(from), shipment_ids, reference: keyOf(call) };
  const { id, number, url } = manifestIn(earlier ?? (await post(call, "/v1/manifests", body)));
  const base = apiUrl(call.settings);
  const whole = url !== undefined && URL.canParse(url, base) ? new URL(url, base) : undefined;
  const headers = whole?.origin === new URL(base).origin ? fileHeaders(call) : undefined;
  return { number, file: await fetchLabelFile(call, whole?.href, headers), carrierData: { manifestId: id } };
}

export function manifestIn(manifest: Json): { id: string; number: string | null; url: string | undefined } {
  const id = asText(manifest.id);
  if (id === undefined)
    throw new RemoteError("unexpected_response", "karrio made a manifest without an ID.", { mayHaveHappened: true });
  const number = asText(asObject(manifest.meta).manifest_number) ?? null;
  return { id, number, url: asText(manifest.manifest_url) };
}
