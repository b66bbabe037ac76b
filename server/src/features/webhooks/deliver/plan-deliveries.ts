import type { Ctx, World } from "../../../context.ts";
import { typesOf } from "../../../events/event-families.ts";
import type { LeftToDo } from "./plan-deliveries.store.ts";
import * as store from "./plan-deliveries.store.ts";

/** A process that freezes in the middle of a transaction delays others by at most this long. */
export const shortHold = "set local idle_in_transaction_session_timeout = '5s'";

/**
 * Creates deliveries for new entries of the event log, then for resend requests of webhooks that have nothing else to send.
 * The cursor of a webhook moves in the same transaction, so each entry is planned once, with any number of processes.
 */
export async function planDeliveries(world: World, stopping: AbortSignal, onPlanned: () => void): Promise<LeftToDo> {
  for (let isMore = true; isMore && !stopping.aborted;) {
    const now = world.clock.now();
    const planned = await world.db.transaction(async (tx) => {
      const behind = await store.lockBehindAcrossOrgs(tx, now);
      if (behind.length === 0) return undefined;
      return await store.planAcrossOrgs(tx, behind.map(withTypes), now);
    }, shortHold);
    if (planned) onPlanned();
    isMore = planned !== undefined;
  }
  const left = await store.findLeftAcrossOrgs(world.db, world.clock.now());
  if (left.isResendReady && !stopping.aborted && (await planResends(world))) onPlanned();
  return left;
}

const withTypes = (behind: store.Behind) => ({ ...behind, wanted: typesOf(behind.types) });

/** True: some deliveries are due again. */
async function planResends({ db, clock }: World): Promise<boolean> {
  for (;;) {
    const counts = await db.transaction(async (tx) => {
      const now = clock.now();
      const found: number[] = [];
      for (const resend of await store.lockResendsAcrossOrgs(tx, now)) {
        found.push(await store.resendBatch(tx, resend, typesOf(resend.types), now));
      }
      return found;
    }, shortHold);
    if (counts.length === 0) return false;
    // A request may cover long stretches of the log without an event of its types.
    if (counts.some((count) => count > 0)) return true;
  }
}

/** Plans one webhook at once, so that a caller who has just changed something finds its delivery in the list. */
export async function planWebhook(ctx: Ctx, id: string): Promise<void> {
  const count = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const behind = await store.lockOneBehind(tx, ctx.orgId, id, now);
    return behind.length === 0 ? 0 : await store.planAcrossOrgs(tx, behind.map(withTypes), now);
  }, shortHold);
  if (count > 0) ctx.signals.hint("webhook", id);
}

/** The clock of the preview was set back: new deliveries stay due. */
export async function rewindDeliveries({ db, clock }: World): Promise<void> {
  await store.rewindDueAcrossOrgs(db, clock.now());
}
