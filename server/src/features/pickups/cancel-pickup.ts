import { HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { sendAndAnswer, sendAndSettle, nowOf, commitRequest } from "../carrier-accounts/carrier-requests.ts";
import type { Pickup } from "./pickup.ts";
import { move, presentPickup, touched } from "./pickup.ts";
import { booking, cancelPrevious, cancellation, lock, save } from "./pickup-requests.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import { pickupMoves } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";

/** Idempotent. A pickup the carrier can no longer cancel stays as it is. */
export async function cancelPickup(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  let found = orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, id));
  if (found.status === "cancelled") return presentPickup(ctx, found);
  refuseIfTooLate(ctx, found);
  if (found.carrierAccountId === null) return await cancelWithoutCarrier(ctx, id, reason);
  const open = await openCarrier(ctx, found.carrierAccountId);
  // The outcome of the booking must be known before the pickup can be cancelled.
  if (found.status === "requested") {
    // A second call beside one that is under way could book a second pickup.
    const isRunning = await store.pickupEffects.isRunning(ctx.db, ctx.orgId, id);
    if (!isRunning) found = await sendAndSettle(ctx, booking, found, open);
    if (found.status === "requested") {
      const message = "The carrier has not confirmed the pickup yet. Try again later.";
      throw new HubError("carrier_failed", message, { extra: { pickupId: id } });
    }
    if (found.status === "cancelled") return presentPickup(ctx, found);
    refuseIfTooLate(ctx, found);
  }
  await cancelPrevious(ctx, found, open);
  const write = async (tx: Tx): Promise<Pickup> => {
    const current = await lock(tx, ctx, id);
    if (current.status === "cancelled") return current;
    refuseIfTooLate(ctx, current);
    // Read again: the calls to the carrier above may have taken a while.
    const now = nowOf(ctx);
    const request = { cancelRequestedAt: now, cancelReason: reason ?? null, attempts: 1 };
    return await save(tx, ctx, touched({ ...current, ...request }, now), "cancel_requested");
  };
  const sent = await commitRequest(ctx, write, (pickup) => presentPickup(ctx, pickup));
  // Another request has cancelled it in the meantime.
  if (sent.status === "cancelled") return presentPickup(ctx, sent);
  return await sendAndAnswer(ctx, cancellation, sent, open, (settled, response) => {
    if (settled.status === "cancelled") return presentPickup(ctx, settled);
    const rejection = "rejected" in response ? response.rejected : undefined;
    const message = rejection
      ? `${rejection.message} The pickup stays scheduled.`
      : "The carrier did not respond to the cancellation. It is retried in the background.";
    const carrierCode = rejection && { carrierCode: rejection.code };
    return new HubError("carrier_failed", message, { extra: { pickupId: id, ...carrierCode } });
  });
}

function refuseIfTooLate(ctx: Ctx, pickup: Pickup): void {
  if (!canMove(pickupMoves, pickup.status, "cancelled")) {
    throw new HubError("pickup_not_cancellable", `The pickup is ${pickup.status} and can no longer be cancelled.`);
  }
  if (nowOf(ctx) > pickup.cancelBy) {
    throw new HubError("cancel_deadline_passed", `Pickups could be cancelled until ${pickup.cancelBy}.`, {
      extra: { cancelBy: pickup.cancelBy },
    });
  }
}

/** The account was deleted, so the carrier cannot be called and a driver may still come. */
async function cancelWithoutCarrier(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  return await change(ctx, async (tx) => {
    const now = nowOf(ctx);
    const current = await lock(tx, ctx, id);
    if (current.status === "cancelled") return presentPickup(ctx, current);
    const booked = [current.confirmationNumber, current.previous?.confirmationNumber].filter(Boolean).join(", ");
    const doubt = `The carrier account was deleted, so the carrier was not notified and may still carry out ${booked}.`;
    const messages = booked === "" ? current.messages : [...current.messages, doubt];
    const ended = { ...current, previous: null, cancelRequestedAt: null, messages };
    const moved = move(ended, "cancelled", now, reason ?? null);
    const cancelled = { ...moved, cancelledAt: now, cancelReason: reason ?? null };
    return presentPickup(ctx, await save(tx, ctx, cancelled, "cancelled"));
  });
}
