import type { PickupState } from "../../carriers/carrier.ts";
import type { Said } from "../../carriers/said.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { askToCancel, askToSchedule, askWhatBecame } from "./ask-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { effectKeyOf, graceMs, move, refused, touched } from "./pickup.ts";
import { pickupMoves } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";
import { callOffFormer, lock, save, settleCancellation, settleRequest } from "./settle-pickup.ts";

const batchSize = 20;
const leaseMs = 60_000;

/**
 * Looks after pickups that nobody waits for: asks again what a carrier left unanswered, or what a process that died could
 * not write down, and finds out what became of those whose time has come. Returns how many there were.
 */
export async function tendPickups(world: World, stopping?: AbortSignal): Promise<number> {
  const now = world.clock.now();
  const lease = new Date(now.getTime() + leaseMs);
  const due = await store.claimDueAcrossOrgs(world.db, now, lease, batchSize);
  for (const { orgId, pickup } of due) {
    if (stopping?.aborted) break;
    await tend(systemContext(world, orgId, "pickups"), pickup).catch((error: unknown) =>
      world.log.error(
        { err: error, pickupId: pickup.id },
        "a pickup could not be looked after; it will be tried again",
      ),
    );
  }
  return due.length;
}

async function tend(ctx: Ctx, pickup: Pickup): Promise<void> {
  if (pickup.carrierAccountId === null) return await tendWithoutCarrier(ctx, pickup);
  const open = await openCarrier(ctx, pickup.carrierAccountId);
  if (pickup.status === "requested") {
    const said = await askToSchedule(ctx, open, pickup);
    const settled = await ctx.db.transaction((tx) => settleRequest(tx, ctx, pickup, open, said));
    return await callOffFormer(ctx, settled, open);
  }
  if (pickup.cancelRequestedAt !== null) {
    const number = pickup.confirmationNumber ?? "";
    const said = await askToCancel(ctx, open, effectKeyOf(pickup), number, pickup.cancelReason);
    await ctx.db.transaction((tx) => settleCancellation(tx, ctx, pickup.id, open, said));
    return;
  }
  if (pickup.previous !== null) return await callOffFormer(ctx, pickup, open);
  await learnWhatBecame(ctx, pickup, open);
}

async function learnWhatBecame(ctx: Ctx, pickup: Pickup, open: OpenCarrier): Promise<void> {
  const said = await askWhatBecame(ctx, open, pickup);
  await ctx.db.transaction(async (tx) => {
    const current = await lock(tx, ctx, pickup.id);
    if (current.version !== pickup.version) return;
    const [after, what] = judge(current, said, ctx.clock.now().toISOString());
    await (what === undefined ? store.updatePickup(tx, ctx.orgId, after) : save(tx, ctx, after, what, open));
  });
}

const askAgainMs = 30 * 60_000;

/** What a carrier that can be asked says; of one that cannot, that the driver came. */
function judge(pickup: Pickup, said: Said<PickupState | undefined>, now: string): [Pickup, what?: Happening<"pickup">] {
  const again = new Date(Date.parse(now) + askAgainMs).toISOString();
  if (!("done" in said)) return [{ ...pickup, dueAt: again }];
  const isOver = Date.parse(now) >= Date.parse(pickup.closeAt) + graceMs;
  const status = said.done?.status;
  if (status !== undefined && status !== "scheduled" && canMove(pickupMoves, pickup.status, status)) {
    const moved = move(pickup, status, now, "as the carrier says");
    return [status === "cancelled" ? { ...moved, cancelledAt: now } : moved, status];
  }
  if (!isOver) return [{ ...pickup, dueAt: again < pickup.closeAt ? again : overAt(pickup) }];
  // The carrier knows of it, and nobody came although the time and more is over.
  if (status !== undefined) return [move(pickup, "missed", now, "nobody came"), "missed"];
  return [{ ...move(pickup, "completed", now, "nothing else was heard"), isAssumed: true }, "completed"];
}

function overAt({ closeAt }: Pickup): string {
  return new Date(Date.parse(closeAt) + graceMs).toISOString();
}

async function tendWithoutCarrier(ctx: Ctx, { id }: Pickup): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const pickup = await lock(tx, ctx, id);
    const now = ctx.clock.now().toISOString();
    if (pickup.status === "requested") {
      const failure = { code: "carrier_account_not_found", message: "The carrier account was deleted." };
      await save(tx, ctx, refused(pickup, failure, now), "failed");
    } else if (pickup.status === "cancelled") {
      await save(tx, ctx, touched({ ...pickup, previous: null }, now), "former_forgotten");
    } else if (now >= overAt(pickup)) {
      const [after, what] = judge(pickup, { done: undefined }, now);
      await save(tx, ctx, after, what ?? "completed");
    } else {
      const free = touched({ ...pickup, previous: null, cancelRequestedAt: null }, now);
      await store.updatePickup(tx, ctx.orgId, { ...free, dueAt: overAt(pickup) });
    }
  });
}
