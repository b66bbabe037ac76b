import type { Ctx, World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { TimeSlice, WorkKind } from "../../../queue/work.ts";
import type { TrackingTurn } from "../../carrier-accounts/carrier-accounts.ts";
import {
  endTrackingTurn,
  listTrackingAccountsAcrossOrgs,
  listTrackingCarriers,
  trackingTurns,
} from "../../carrier-accounts/carrier-accounts.ts";
import type { Reached } from "../../carrier-accounts/carrier-requests.ts";
import { askAgainAt, reachCarrier } from "../../carrier-accounts/carrier-requests.ts";
import type { CarrierAnswer, OpenCarrier } from "../../carrier-accounts/open-carrier.ts";
import { carrierKeyOf } from "../shipment.ts";
import { askAboutParcels } from "./ask-about-parcels.ts";
import { applyTrackingRecords } from "./ingest-events.ts";
import { askEveryMs, askingAt } from "./tracking-turns.ts";
import * as store from "./tracking-turns.store.ts";

const batchSize = 100;
const dayMs = 24 * 60 * 60_000;
/** An account that fails so often in a row is left alone for half an hour. */
const maxAttempts = 8;

/**
 * Asks carriers about open shipments whose turn it is, each through the first active account of its organization with
 * that carrier. Whatever is wrong with one account stays its own affair.
 */
export const trackingWork: WorkKind<World, TrackingTurn> = {
  name: "tracking",
  leases: trackingTurns,
  wakeOn: ["clock"],
  pollIntervalMs: 60_000,
  maxAttempts,
  async run(world, account, slice) {
    const ctx = contextOf(world, account);
    // Its carrier may learn it with the next version of the hub.
    if (!listTrackingCarriers().includes(account.carrier)) return await endTurn(ctx, account, dayMs);
    if (!(await isFirst(ctx, account))) return await endTurn(ctx, account, askEveryMs);
    const said = await askForAll(ctx, account, slice);
    if (said === "yield") return said;
    if ("done" in said) return await endTurn(ctx, account, await untilNextTurn(ctx, account));
    if (account.attempts >= maxAttempts) return await endTurn(ctx, account, askEveryMs);
    const now = ctx.clock.now();
    const again = askAgainAt(now.toISOString(), account.attempts, "unknown" in said ? said.retryAfterMs : undefined);
    return await endTurn(ctx, account, Date.parse(again) - now.getTime(), account.attempts);
  },
  async giveUp(world, account) {
    await endTurn(contextOf(world, account), account, askEveryMs);
  },
};

function contextOf(world: World, { org_id }: TrackingTurn): Ctx {
  return systemContext(world, org_id, "tracking");
}

async function endTurn(ctx: Ctx, account: TrackingTurn, pauseMs: number, attempts = 0): Promise<"done"> {
  const dueAt = new Date(ctx.clock.now().getTime() + pauseMs).toISOString();
  await endTrackingTurn(ctx.db, ctx.orgId, account.id, { dueAt, attempts });
  return "done";
}

/** What is recorded or asked about from now on has its turn half an hour later: until then only what is known counts. */
async function untilNextTurn(ctx: Ctx, { carrier }: TrackingTurn): Promise<number> {
  const first = await store.findFirstTurn(ctx.db, ctx.orgId, carrierKeyOf(carrier));
  const sinceMs = first === null ? 0 : ctx.clock.now().getTime() - first.getTime();
  return askEveryMs - Math.max(sinceMs, 0);
}

async function isFirst(ctx: Ctx, { id }: TrackingTurn): Promise<boolean> {
  return (await listTrackingAccountsAcrossOrgs(ctx.db, ctx.orgId)).some(({ accountId }) => accountId === id);
}

/** Batch after batch, as long as nobody else waits for this place. */
async function askForAll(ctx: Ctx, account: TrackingTurn, slice: TimeSlice): Promise<CarrierAnswer<number> | "yield"> {
  // First, so that an account that cannot be used takes no turns.
  const reached: Reached = await reachCarrier(ctx, account.id);
  for (;;) {
    const said = "carrier" in reached ? await askBatch(ctx, account, reached, slice.signal) : reached;
    slice.signal.throwIfAborted();
    if (!("done" in said)) {
      const about = { orgId: ctx.orgId, carrierAccountId: account.id, carrier: account.carrier, said };
      ctx.log.warn(about, "a carrier could not be asked about shipments; it will be asked again");
      return said;
    }
    if (said.done < batchSize) return said;
    if (slice.shouldYield()) return "yield";
  }
}

async function askBatch(
  ctx: Ctx,
  { carrier }: TrackingTurn,
  open: OpenCarrier,
  stopping: AbortSignal,
): Promise<CarrierAnswer<number>> {
  const now = ctx.clock.now();
  const asking = askingAt(now);
  const dueBefore = new Date(now.getTime() - askEveryMs);
  const wanted = { carrierKey: carrierKeyOf(carrier), dueBefore, limit: batchSize };
  const turns = await store.takeDueTurns(ctx.db, ctx.orgId, asking, wanted);
  if (turns.length === 0) return { done: 0 };
  const said = await askAboutParcels(ctx, open, turns, stopping);
  if ("done" in said) {
    await ctx.db.transaction((tx) => applyTrackingRecords(tx, ctx, said.done));
    return { done: turns.length };
  }
  // Otherwise the turns stay taken: if one of these parcels is why the carrier fails, the others are asked about all the same.
  if (stopping.aborted) await store.giveBackTurns(ctx.db, ctx.orgId, turns, asking.at);
  return said;
}
