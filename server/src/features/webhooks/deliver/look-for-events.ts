import type { Ctx, World } from "../../../context.ts";
import { typesOf } from "../../../events/event-families.ts";
import { lockWebhook } from "../webhooks.store.ts";
import { planWaiting } from "./deliveries.store.ts";
import * as store from "./webhook-work.store.ts";

/** Whoever freezes in the middle holds up others for so long at most. */
export const shortHold = "set local idle_in_transaction_session_timeout = '5s'";

/**
 * The event log is the queue. Webhooks that nobody sends to are moved on to the next entry that is for them, many at a time:
 * what is for others costs them nothing more. Returns whether some were locked and have to be looked at again.
 */
export async function lookForEvents(
  world: World,
  stopping: AbortSignal,
  onFound: () => void,
): Promise<{ isLocked: boolean }> {
  for (let isMore = true; isMore && !stopping.aborted;) {
    const found = await world.db.transaction(async (tx) => {
      const behind = await store.lockBehindAcrossOrgs(tx);
      if (behind.length === 0) return undefined;
      const wanted = behind.map((webhook) => ({ ...webhook, wanted: typesOf(webhook.types) }));
      return await store.findNextAcrossOrgs(tx, wanted);
    }, shortHold);
    isMore = found !== undefined;
    if (found) onFound();
  }
  return { isLocked: await store.isAnyBehindAcrossOrgs(world.db) };
}

/** What waits for one webhook, for somebody who wants to see it. */
export async function planWebhook(ctx: Ctx, id: string): Promise<void> {
  const count = await ctx.db.transaction(async (tx) => {
    const { status, types, cursor, ordering } = await lockWebhook(tx, ctx.orgId, id);
    if (status !== "active") return 0;
    const about = { cursor, isStrict: ordering === "strict", types: typesOf(types) };
    return await planWaiting(tx, { ...about, orgId: ctx.orgId, webhookId: id }, ctx.clock.now());
  }, shortHold);
  // Nobody would look for what is not in the log behind the cursor any more.
  if (count > 0) ctx.signals.hint("webhook", id);
}
