import type { PickupConfirmation } from "../../carriers/carrier.ts";
import type { Said } from "../../carriers/said.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import { recordEvent } from "../../events/record-event.ts";
import { notFound } from "../../core/resources.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { askToCancel } from "./ask-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { confirmed, dueOf, effectKeyOf, move, refused, touched } from "./pickup.ts";
import * as store from "./pickups.store.ts";

/** So often is a carrier asked whether it has booked a pickup; then it counts as failed. */
const maxAttempts = 12;

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<Pickup> {
  const pickup = await store.lockPickup(tx, ctx.orgId, id);
  if (!pickup) throw notFound("pickup");
  return pickup;
}

/** Writes a changed pickup and what happened. */
export async function save(
  tx: Tx,
  ctx: Ctx,
  pickup: Pickup,
  what: Happening<"pickup">,
  open?: OpenCarrier,
): Promise<Pickup> {
  const now = ctx.clock.now().toISOString();
  const saved = { ...pickup, dueAt: dueOf(pickup, open?.carrier.findPickup !== undefined, now) };
  await store.updatePickup(tx, ctx.orgId, saved);
  await record(tx, ctx, saved, what);
  return saved;
}

export async function record(tx: Tx, ctx: Ctx, pickup: Pickup, what: Happening<"pickup">): Promise<void> {
  const { status, carrier, confirmationNumber, pickupDate, readyAt, closeAt, version } = pickup;
  const data = { status, carrier, confirmationNumber, pickupDate, readyAt, closeAt, version };
  await recordEvent(tx, ctx, { type: `pickup.${what}`, objectId: pickup.id, data });
}

/** What the carrier said about a request, written down; unless somebody else has done so, or asked for something else. */
export async function settleRequest(
  tx: Tx,
  ctx: Ctx,
  { id, revision }: Pickup,
  open: OpenCarrier,
  said: Said<PickupConfirmation>,
): Promise<Pickup> {
  const current = await lock(tx, ctx, id);
  if (current.status !== "requested" || current.revision !== revision) return current;
  const now = ctx.clock.now().toISOString();
  if ("done" in said) return await save(tx, ctx, confirmed(current, said.done, now), "scheduled", open);
  const isHopeless = "unknown" in said && (current.attempts + 1 >= maxAttempts || now >= current.closeAt);
  if ("unknown" in said && !isHopeless) {
    return await save(tx, ctx, touched({ ...current, attempts: current.attempts + 1 }, now), "unanswered", open);
  }
  const failure = "refused" in said ? said.refused : { code: "outcome_unknown", message: said.unknown };
  const back = refused(current, failure, now);
  // Somebody may have taken the former day meanwhile; what is booked stays booked.
  const twin = back.status === "scheduled" ? await store.findTwin(tx, ctx.orgId, back) : undefined;
  const after = twin === undefined ? back : { ...back, isDuplicateAllowed: true };
  return await save(tx, ctx, after, after.status === "failed" ? "failed" : "change_refused", open);
}

/** What the carrier said about a cancellation. */
export async function settleCancellation(
  tx: Tx,
  ctx: Ctx,
  id: string,
  open: OpenCarrier,
  said: Said<void>,
): Promise<Pickup> {
  const current = await lock(tx, ctx, id);
  if (current.cancelRequestedAt === null) return current;
  const now = ctx.clock.now().toISOString();
  const cleared = { ...current, cancelRequestedAt: null, attempts: 0 };
  if ("done" in said) {
    const cancelled = { ...move(cleared, "cancelled", now, current.cancelReason), cancelledAt: now };
    return await save(tx, ctx, cancelled, "cancelled", open);
  }
  if ("refused" in said) return await save(tx, ctx, touched(cleared, now), "cancel_refused", open);
  return await save(tx, ctx, touched({ ...current, attempts: current.attempts + 1 }, now), "unanswered", open);
}

/** What a change has replaced is still booked; it is called off, and asked for again later if that fails. */
export async function callOffFormer(ctx: Ctx, pickup: Pickup, open: OpenCarrier): Promise<void> {
  const former = pickup.previous;
  if (pickup.status === "requested" || former === null) return;
  const key = effectKeyOf({ id: pickup.id, revision: former.revision });
  const number = former.confirmationNumber;
  const said: Said<void> =
    number === null ? { done: undefined } : await askToCancel(ctx, open, key, number, "Replaced by another pickup");
  await ctx.db.transaction(async (tx) => {
    const current = await lock(tx, ctx, pickup.id);
    if (current.previous?.revision !== former.revision || current.status === "requested") return;
    const now = ctx.clock.now().toISOString();
    const attempts = current.attempts + 1;
    if ("unknown" in said && attempts < maxAttempts) {
      await save(tx, ctx, touched({ ...current, attempts }, now), "unanswered", open);
      return;
    }
    const doubt = `The carrier may still have ${number} on its list.`;
    const messages = "done" in said ? current.messages : [...current.messages, doubt];
    await save(tx, ctx, touched({ ...current, previous: null, attempts: 0, messages }, now), "former_called_off", open);
  });
}
