import { HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { askToCancel, askToSchedule } from "./ask-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { effectKeyOf, move, presentPickup, touched } from "./pickup.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import { pickupMoves } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";
import { callOffFormer, lock, save, settleCancellation, settleRequest } from "./settle-pickup.ts";

/** Doing it again answers the same. What the carrier will not cancel any more stays as it is. */
export async function cancelPickup(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  const now = ctx.clock.now().toISOString();
  let found = await store.findPickup(ctx.db, ctx.orgId, id);
  if (!found) throw notFound("pickup");
  if (found.status === "cancelled") return presentPickup(found, now);
  refuseIfTooLate(found, now);
  if (found.carrierAccountId === null) return await cancelWithoutCarrier(ctx, id, reason);
  const open = await openCarrier(ctx, found.carrierAccountId);
  // Whether the carrier has it must be known before it can be called off.
  if (found.status === "requested") {
    const said = await askToSchedule(ctx, open, found);
    const requested = found;
    const settled = await ctx.db.transaction((tx) => settleRequest(tx, ctx, requested, open, said));
    if (settled.status === "requested") {
      throw new HubError(
        "carrier_failed",
        "The carrier has not yet said whether it booked the pickup. Try again later.",
      );
    }
    if (settled.status === "cancelled") return presentPickup(settled, now);
    refuseIfTooLate(settled, now);
    found = settled;
  }
  // What a change has replaced is still booked: a driver would come for it.
  await callOffFormer(ctx, found, open);
  const asked = await ctx.db.transaction(async (tx) => {
    const current = await lock(tx, ctx, id);
    if (current.status === "cancelled") return current;
    refuseIfTooLate(current, now);
    const wanted = touched({ ...current, cancelRequestedAt: now, cancelReason: reason ?? null }, now);
    return await save(tx, ctx, wanted, "cancel_requested", open);
  });
  // Somebody else has done it in the meantime.
  if (asked.status === "cancelled") return presentPickup(asked, now);
  const said = await askToCancel(ctx, open, effectKeyOf(asked), asked.confirmationNumber ?? "", asked.cancelReason);
  if ("done" in said) {
    return await change(ctx, async (tx) => presentPickup(await settleCancellation(tx, ctx, id, open, said), now));
  }
  await ctx.db.transaction((tx) => settleCancellation(tx, ctx, id, open, said));
  const extra = { pickupId: id };
  if ("refused" in said) {
    const message = `${said.refused.message} The pickup stays scheduled.`;
    throw new HubError("carrier_failed", message, { extra: { ...extra, carrierCode: said.refused.code } });
  }
  throw new HubError("carrier_failed", `${said.unknown} The hub goes on asking for the cancellation.`, { extra });
}

function refuseIfTooLate(pickup: Pickup, now: string): void {
  if (!canMove(pickupMoves, pickup.status, "cancelled")) {
    throw new HubError(
      "pickup_not_cancellable",
      `The pickup is ${pickup.status}; there is nothing to cancel any more.`,
    );
  }
  if (now > pickup.cancelBy) {
    throw new HubError("cancel_deadline_passed", `The carrier took cancellations until ${pickup.cancelBy}.`, {
      extra: { cancelBy: pickup.cancelBy },
    });
  }
}

/** The account was deleted: there is nobody to tell, and a driver may come all the same. */
async function cancelWithoutCarrier(ctx: Ctx, id: string, reason: string | undefined): Promise<PickupAnswer> {
  return await change(ctx, async (tx) => {
    const now = ctx.clock.now().toISOString();
    const current = await lock(tx, ctx, id);
    if (current.status === "cancelled") return presentPickup(current, now);
    const booked = [current.confirmationNumber, current.previous?.confirmationNumber].filter(Boolean).join(", ");
    const doubt = `Its account was deleted, so the carrier was not told and may still have ${booked} on its list.`;
    const messages = booked === "" ? current.messages : [...current.messages, doubt];
    const ended = { ...current, previous: null, cancelRequestedAt: null, messages };
    const moved = move(ended, "cancelled", now, reason ?? null);
    const cancelled = { ...moved, cancelledAt: now, cancelReason: reason ?? null };
    return presentPickup(await save(tx, ctx, cancelled, "cancelled"), now);
  });
}
