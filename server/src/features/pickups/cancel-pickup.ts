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

/** Doing it again answers the same. What the carrier will not cancel any more stays as it is. */
export async function cancelPickup(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  let found = orNotFound("pickup", await store.findPickup(ctx.db, ctx.orgId, id));
  if (found.status === "cancelled") return presentPickup(ctx, found);
  refuseIfTooLate(ctx, found);
  if (found.carrierAccountId === null) return await cancelWithoutCarrier(ctx, id, reason);
  const open = await openCarrier(ctx, found.carrierAccountId);
  // Whether the carrier has it must be known before it can be called off.
  if (found.status === "requested") {
    found = await sendAndSettle(ctx, booking, found, open);
    if (found.status === "requested") {
      const message = "The carrier has not yet response whether it booked the pickup. Try again later.";
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
    // The carrier may have been sent for a while before this.
    const now = nowOf(ctx);
    const wish = { cancelRequestedAt: now, cancelReason: reason ?? null, attempts: 1 };
    return await save(tx, ctx, touched({ ...current, ...wish }, now), "cancel_requested");
  };
  const sent = await commitRequest(ctx, write, (pickup) => presentPickup(ctx, pickup));
  // Somebody else has done it in the meantime.
  if (sent.status === "cancelled") return presentPickup(ctx, sent);
  return await sendAndAnswer(ctx, cancellation, sent, open, (settled, response) => {
    if (settled.status === "cancelled") return presentPickup(ctx, settled);
    const refusal = "rejected" in response ? response.rejected : undefined;
    const message = refusal
      ? `${refusal.message} The pickup stays scheduled.`
      : "The carrier did not say whether it cancels the pickup. The hub goes on asking.";
    const carrierCode = refusal && { carrierCode: refusal.code };
    return new HubError("carrier_failed", message, { extra: { pickupId: id, ...carrierCode } });
  });
}

function refuseIfTooLate(ctx: Ctx, pickup: Pickup): void {
  if (!canMove(pickupMoves, pickup.status, "cancelled")) {
    throw new HubError(
      "pickup_not_cancellable",
      `The pickup is ${pickup.status}; there is nothing to cancel any more.`,
    );
  }
  if (nowOf(ctx) > pickup.cancelBy) {
    throw new HubError("cancel_deadline_passed", `The carrier took cancellations until ${pickup.cancelBy}.`, {
      extra: { cancelBy: pickup.cancelBy },
    });
  }
}

/** The account was deleted: there is nobody to tell, and a driver may come all the same. */
async function cancelWithoutCarrier(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  return await change(ctx, async (tx) => {
    const now = nowOf(ctx);
    const current = await lock(tx, ctx, id);
    if (current.status === "cancelled") return presentPickup(ctx, current);
    const booked = [current.confirmationNumber, current.previous?.confirmationNumber].filter(Boolean).join(", ");
    const doubt = `Its account was deleted, so the carrier was not told and may still have ${booked} on its list.`;
    const messages = booked === "" ? current.messages : [...current.messages, doubt];
    const ended = { ...current, previous: null, cancelRequestedAt: null, messages };
    const moved = move(ended, "cancelled", now, reason ?? null);
    const cancelled = { ...moved, cancelledAt: now, cancelReason: reason ?? null };
    return presentPickup(ctx, await save(tx, ctx, cancelled, "cancelled"));
  });
}
