import { findCarrier } from "../../carriers/installed-carriers.ts";
import { carrierNotContacted } from "../../carriers/rate-card/rate-card-carrier.ts";
import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { nowOf } from "../carrier-accounts/carrier-requests.ts";
import { releaseVoidedLabels } from "../labels/labels.ts";
import type { Pickup } from "./pickup.ts";
import { bookingOf, move, presentPickup, touched } from "./pickup.ts";
import { book, lock, save } from "./pickup-requests.ts";
import type { PickupAnswer, PickupPatch, PickupRequest } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";
import { planPickup, refuseViolations } from "./plan-pickup.ts";

/**
 * Most carriers cannot change pickups, so the new one is booked and then the previous one cancelled. The previous one stays
 * booked until the carrier confirms; if it rejects the change, nothing changes.
 */
export async function reschedulePickup(ctx: Ctx, id: string, patch: PickupPatch, ifMatch: IfMatch) {
  requirePatch(patch);
  if (patch.confirmationNumber !== undefined) return await recordConfirmation(ctx, id, patch, ifMatch);
  const found = orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, id));
  refuseUnlessFree(found, ifMatch, ctx);
  const planned = await planPickup(ctx, toRequest(found, patch), found);
  refuseViolations(planned);
  return await book(ctx, planned.open, { ...found, ...planned.booking }, async (tx) => {
    const current = await lock(tx, ctx, id);
    refuseUnlessFree(current, [found.version], ctx);
    const requested = move(current, "requested", nowOf(ctx), "reschedule requested");
    if (current.labelCount > 0) await releaseVoidedLabels(tx, ctx, { pickupId: id });
    const changed = { ...requested, ...planned.booking, previous: bookingOf(current), attempts: 1 };
    return await save(tx, ctx, changed, "change_requested");
  });
}

/** Records the confirmation number of a pickup that was arranged by phone. */
async function recordConfirmation(ctx: Ctx, id: string, patch: PickupPatch, ifMatch: IfMatch): Promise<PickupAnswer> {
  if (Object.keys(patch).length > 1)
    throw badField("/confirmationNumber", "alone", "`confirmationNumber` cannot be combined with other fields.");
  return await change(ctx, async (tx) => {
    const current = await lock(tx, ctx, id);
    refuseUnlessFree(current, ifMatch, ctx, "isAlwaysInTime");
    if (findCarrier(current.carrier)?.recordsOnly !== true)
      throw new HubError("invalid_state", "This carrier assigns confirmation numbers itself.");
    const { confirmationNumber } = patch;
    const messages = current.messages.filter((message) => message !== carrierNotContacted);
    const told = touched({ ...current, confirmationNumber: confirmationNumber!, messages }, nowOf(ctx));
    return presentPickup(ctx, await save(tx, ctx, told, "confirmed"));
  });
}

function refuseUnlessFree(pickup: Pickup, version: IfMatch, ctx: Ctx, isAlwaysInTime?: "isAlwaysInTime"): void {
  checkVersion(pickup, version);
  if (pickup.status !== "scheduled") {
    throw new HubError("invalid_state", `The pickup is ${pickup.status}; only scheduled pickups can be changed.`);
  }
  if (pickup.cancelRequestedAt !== null || pickup.previous !== null) {
    throw new HubError("invalid_state", "Another change of this pickup is pending.");
  }
  if (!isAlwaysInTime && nowOf(ctx) > pickup.cancelBy) {
    throw new HubError("cancel_deadline_passed", `Pickups could be changed until ${pickup.cancelBy}.`, {
      extra: { cancelBy: pickup.cancelBy },
    });
  }
  if (pickup.carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
}

/** The pickup as a create request, with the changes applied. A new day keeps the previous hours. */
function toRequest(pickup: Pickup, patch: PickupPatch): PickupRequest {
  const local = (at: string): string =>
    Temporal.Instant.from(at).toZonedDateTimeISO(pickup.timezone).toPlainTime().toString({ smallestUnit: "minute" });
  // Count and weight of labels are measured again: some may have been voided.
  const isMeasured = pickup.labelCount > 0;
  const { packageCount = isMeasured ? undefined : pickup.packageCount, instructions = pickup.instructions } = patch;
  const { totalWeight = isMeasured ? null : pickup.totalWeight } = patch;
  // Another address may be in another time zone; the same address keeps its zone.
  const timezone = patch.timezone ?? (patch.pickupAddress ? undefined : pickup.timezone);
  return {
    carrierAccountId: pickup.carrierAccountId!,
    pickupDate: patch.pickupDate ?? pickup.pickupDate,
    readyTime: patch.readyTime ?? local(pickup.readyAt),
    closeTime: patch.closeTime ?? local(pickup.closeAt),
    pickupAddress: patch.pickupAddress ?? pickup.address,
    allowDuplicate: patch.allowDuplicate ?? pickup.isDuplicateAllowed,
    ...(timezone === undefined ? {} : { timezone }),
    ...(pickup.locationId === null || patch.pickupAddress ? {} : { locationId: pickup.locationId }),
    ...(packageCount === undefined ? {} : { packageCount }),
    ...(totalWeight === null ? {} : { totalWeight }),
    ...(instructions === null ? {} : { instructions }),
  };
}
