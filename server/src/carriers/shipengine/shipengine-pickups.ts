import type { Carrier, CarrierCall, CarrierData } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { sendJson } from "../seam/json-api.ts";
import type { PickupConfirmation, PickupRequest, PickupState } from "../seam/pickups.ts";
import { openState } from "../seam/pickups.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { withoutZone } from "../seam/tracking-events.ts";
import { api, get, post, segment } from "./shipengine-api.ts";

/** A repeat looks for a pickup of the same labels that was created since the first attempt. */
export async function schedulePickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  const label_ids = labelIds(request.parcels);
  if (label_ids.length === 0)
    throw new RemoteError("labels_required", "ShipEngine books a pickup for labels that were bought through it.");
  const contact_details = contactOf(request);
  const sentAt = asText(call.noted?.sentAt);
  if (call.attempt > 1 && sentAt !== undefined) {
    const earlier = await lookUp("ShipEngine", "pickup", async () => await findBooked(call, label_ids, sentAt));
    if (earlier) return confirmationIn(earlier);
  }
  if (sentAt === undefined) await call.note({ sentAt: call.now().toISOString() });
  // The times count as local to the pickup address, whatever zone they have.
  const pickup_window = {
    start_at: `${withoutZone(request.readyTime)}Z`,
    end_at: `${withoutZone(request.closeTime)}Z`,
  };
  const pickup = { label_ids, contact_details, pickup_notes: request.instructions, pickup_window };
  return confirmationIn(await post(call, "/pickups", pickup));
}

export function labelIds(parcels: { carrierData: CarrierData | null }[]): string[] {
  return [...new Set(parcels.flatMap(({ carrierData }) => asText(carrierData?.labelId) ?? []))];
}

function contactOf({ address }: PickupRequest): object {
  const [name, email, phone] = [address.name ?? address.company, address.email, address.phone];
  const missing = Object.entries({ name, email, phone }).flatMap(([field, value]) =>
    asText(value) === undefined ? [field] : [],
  );
  if (missing.length === 0) return { name, email, phone };
  const message = `ShipEngine needs a contact for the pickup. The pickup address has no ${missing.join(" and no ")}.`;
  throw new RemoteError("contact_required", message);
}

async function findBooked(call: CarrierCall, ids: string[], sentAt: string): Promise<Json | undefined> {
  // The clocks of both sides may differ by some minutes.
  const created_at_start = new Date(Date.parse(sentAt) - 5 * 60_000).toISOString();
  const { pickups } = await get(call, "/pickups", { query: { created_at_start, page_size: 100 } });
  const wanted = ids.toSorted().join();
  return asList(pickups).find(({ label_ids, cancelled_at }) => {
    const theirs = Array.isArray(label_ids) ? label_ids.map(String).toSorted().join() : "";
    return theirs === wanted && asText(cancelled_at) === undefined;
  });
}

export function confirmationIn(pickup: Json): PickupConfirmation {
  const [id, number] = [asText(pickup.pickup_id), asText(pickup.confirmation_number)];
  // The refusal of the carrier comes with a 200 and an ID.
  if (number === undefined) refuseErrors(pickup);
  if (id === undefined)
    throw new RemoteError("unexpected_response", "ShipEngine booked a pickup without an ID.", {
      mayHaveHappened: true,
    });
  return { confirmationNumber: number ?? id, messages: [], carrierData: { pickupId: id } };
}

function refuseErrors(answer: unknown): void {
  const reason = api.reasonIn(answer);
  if (reason !== undefined) throw new RemoteError("rejected", `ShipEngine: ${reason}`);
}

type Booked = { confirmationNumber: string; carrierData: CarrierData | null };

function pathOf({ carrierData, confirmationNumber }: Booked): string {
  return `/pickups/${segment(asText(carrierData?.pickupId) ?? confirmationNumber)}`;
}

export const cancelPickup: NonNullable<Carrier["cancelPickup"]> = async (call, pickup) => {
  try {
    refuseErrors(await sendJson(api, call, { method: "DELETE", path: pathOf(pickup), retry: "safe" }));
  } catch (error) {
    if (!(error instanceof RemoteError) || (error.code !== "rejected" && error.code !== "not_found")) throw error;
    if (stateIn(await get(call, pathOf(pickup)))?.status !== "cancelled") throw error;
  }
};

export const findPickup: NonNullable<Carrier["findPickup"]> = async (call, pickup) =>
  openState(call, pickup, stateIn(await get(call, pathOf(pickup))));

/** ShipEngine does not report whether the driver came. */
function stateIn({ pickup_id, cancelled_at }: Json): PickupState | undefined {
  if (asText(cancelled_at) !== undefined) return { status: "cancelled" };
  return asText(pickup_id) === undefined ? undefined : { status: "scheduled" };
}
