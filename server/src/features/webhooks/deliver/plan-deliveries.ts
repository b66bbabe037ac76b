import type { World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { typesNamed } from "../../../events/event-families.ts";
import * as store from "./deliveries.store.ts";

/** Whoever freezes in the middle holds up others for so long at most. */
export const shortHold = "set local idle_in_transaction_session_timeout = '5s'";

export type Planned = {
  count: number;
  /** There is more, for those that have no room now. */
  isMore: boolean;
  /** Somebody else plans them, or writes down how they are doing: to be looked at again in a moment. */
  isLocked: boolean;
};

/**
 * The event log is the queue: for each webhook it is looked through behind its cursor, and what it is for gets a delivery.
 * Rows and cursor move in one transaction, so that nothing is left out and nothing is there twice.
 */
export async function planDeliveries(world: World, stopping?: AbortSignal): Promise<Planned> {
  let count = 0;
  // One after the other: what is fresh comes first.
  for (const plan of [planPortion, planResends]) {
    for (let hasMore = true; hasMore && !stopping?.aborted;) {
      const portion = await world.db.transaction((tx) => plan(tx, world), shortHold);
      count += portion.planned;
      hasMore = portion.hasMore;
    }
  }
  const behind = await store.findBehindAcrossOrgs(world.db);
  return { count, ...behind };
}

/** Of one webhook, for somebody who wants to see what waits there. */
export async function planWebhook(world: Pick<World, "db" | "clock" | "signals">, id: string): Promise<void> {
  const { planned } = await world.db.transaction((tx) => planPortion(tx, world, id), shortHold);
  // Those who deliver find nothing left to plan, and would not look for it.
  if (planned > 0) world.signals.hint("webhook", id);
}

type Portion = { planned: number; hasMore: boolean };

async function planPortion(tx: Tx, { clock }: Pick<World, "clock">, only?: string): Promise<Portion> {
  const behind = await store.lockBehindAcrossOrgs(tx, only);
  if (behind.length === 0) return { planned: 0, hasMore: false };
  const expanded = behind.map((webhook) => ({ ...webhook, expanded: webhook.types.flatMap(typesNamed) }));
  const portions = await store.planAcrossOrgs(tx, expanded, clock.now());
  const heads = new Map(behind.map(({ id, head }) => [id, head]));
  return {
    planned: portions.reduce((sum, { found }) => sum + found, 0),
    hasMore: portions.some(({ id, lookedTo }) => lookedTo < heads.get(id)!),
  };
}

async function planResends(tx: Tx, { clock }: Pick<World, "clock">): Promise<Portion> {
  const resends = await store.lockResendsAcrossOrgs(tx);
  let [planned, isUnfinished] = [0, false];
  for (const resend of resends) {
    const types = [...new Set(resend.names.flatMap(typesNamed))];
    const { count, isFinished } = await store.resendPortion(tx, resend, types, clock.now());
    planned += count;
    isUnfinished ||= !isFinished;
  }
  // A part of the log in which it found nothing: nobody will be done with something and ask for more.
  return { planned, hasMore: isUnfinished && planned === 0 };
}
