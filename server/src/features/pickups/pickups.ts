import { HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { nowOf, requireUnknownOutcome } from "../carrier-accounts/carrier-requests.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { listLabelsOfHandover } from "../labels/labels.ts";
import type { Pickup } from "./pickup.ts";
import { bookPlanned } from "./book-planned.ts";
import { move, presentPickup } from "./pickup.ts";
import { book, lock, save } from "./pickup-requests.ts";
import type { CheckAnswer, PickupAnswer, PickupQuery, PickupRequest } from "./pickups.schemas.ts";
import { presentLoad } from "./pickup-load.ts";
import * as store from "./pickups.store.ts";
import { existsError, planPickup } from "./plan-pickup.ts";

export { cancelPickup } from "./cancel-pickup.ts";
export { reschedulePickup } from "./reschedule-pickup.ts";
export { pickupWork } from "./pickup-requests.ts";
export { deleteOldPickupsAcrossOrgs } from "./pickups.store.ts";
export { bookScheduledPickups } from "./scheduled-pickups.ts";
export { seedPickups } from "./seed-pickups.ts";

export async function getPickup(ctx: Ctx, id: string): Promise<PickupAnswer> {
  return presentPickup(ctx, orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, id)));
}

export async function listPickups(ctx: Ctx, query: PickupQuery): Promise<Page<PickupAnswer>> {
  return mapPage(await store.listPickups(ctx.db, ctx.orgId, query), (pickup) => presentPickup(ctx, pickup));
}

/** The result POST /pickups would have, or PATCH of the excluded pickup, without calling the carrier. */
export async function checkPickupRequest(ctx: Ctx, request: PickupRequest, movingId?: string): Promise<CheckAnswer> {
  const moving =
    movingId === undefined ? undefined : orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, movingId));
  const { booking, checked, load, next, existingId } = await planPickup(ctx, request, moving);
  const errors = [...checked.errors];
  if (existingId !== undefined) errors.push(existsError(existingId, next));
  const isOk = errors.length === 0;
  return {
    ok: isOk,
    timezone: booking.timezone,
    errors,
    warnings: checked.warnings,
    existingId: existingId ?? null,
    nextAvailable: next,
    cancelBy: isOk ? booking.cancelBy : null,
    labels: request.fromLabels ? presentLoad(load) : null,
  };
}

export async function schedulePickup(ctx: Ctx, request: PickupRequest) {
  return await bookPlanned(ctx, await planPickup(ctx, request), ctx.newId());
}

/** Retries with the same key, so that a pickup the carrier has already booked is not booked again. */
export async function retryPickup(ctx: Ctx, id: string) {
  const found = orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, id));
  refuseUnlessRetryable(ctx, found);
  const open = await openCarrier(ctx, found.carrierAccountId!);
  return await book(ctx, open, found, async (tx) => {
    const current = await lock(tx, ctx, id);
    refuseUnlessRetryable(ctx, current);
    await refuseIfLabelsAreTaken(tx, ctx, current);
    const requested = move(current, "requested", nowOf(ctx), "request retried");
    return await save(tx, ctx, { ...requested, failure: null, attempts: 1 }, "requested");
  });
}

function refuseUnlessRetryable(ctx: Ctx, pickup: Pickup): void {
  requireUnknownOutcome(pickup);
  if (nowOf(ctx) < pickup.closeAt) return;
  throw new HubError("invalid_state", `The window closed at ${pickup.closeAt}. Schedule another pickup.`);
}

/** A retry has to send the same labels: the carrier finds the earlier request by them. */
async function refuseIfLabelsAreTaken(tx: Tx, ctx: Ctx, { id, labelCount }: Pickup): Promise<void> {
  if (labelCount === 0) return;
  const labels = await listLabelsOfHandover(tx, ctx, { pickupId: id });
  if (labels.length === labelCount) return;
  throw new HubError(
    "invalid_state",
    "Another pickup collects labels of this one by now. Check this one at the carrier.",
  );
}
