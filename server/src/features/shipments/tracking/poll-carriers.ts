import type { Ctx, World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { TimeSlice, WorkKind } from "../../../queue/work.ts";
import type { TrackingPoll } from "../../carrier-accounts/carrier-accounts.ts";
import {
  finishTrackingPoll,
  listTrackingAccountsAcrossOrgs,
  listTrackingCarriers,
  trackingPolls,
} from "../../carrier-accounts/carrier-accounts.ts";
import type { CarrierOrFailure } from "../../carrier-accounts/carrier-requests.ts";
import { backoffUntil, tryOpenCarrier } from "../../carrier-accounts/carrier-requests.ts";
import type { CarrierResponse, OpenCarrier } from "../../carrier-accounts/open-carrier.ts";
import { renewWebhook } from "../../carrier-accounts/webhook-subscriptions.ts";
import { carrierKeyOf } from "../shipment.ts";
import { applyCarrierReports } from "./carrier-reports.ts";
import { fetchTracking } from "./fetch-tracking.ts";
import { pollIntervalMs, pollTimeAt } from "./poll-schedule.ts";
import * as store from "./tracking-polls.store.ts";

const batchSize = 100;
const dayMs = 24 * 60 * 60_000;
/** After this many failures in a row, an account is polled every half hour only. */
const maxAttempts = 8;

/**
 * Renews the webhooks of the account, then polls carriers for the tracking of undelivered shipments, through the first active account of each carrier in the
 * organization. A failing account does not affect the others.
 */
export const trackingWork: WorkKind<World, TrackingPoll> = {
  name: "tracking",
  leases: trackingPolls,
  wakeOn: ["clock"],
  pollIntervalMs: 60_000,
  maxAttempts,
  async run(world, account, slice) {
    const ctx = contextOf(world, account);
    // A later version of the hub may support tracking for this carrier.
    if (!listTrackingCarriers().includes(account.carrier)) return await finishPoll(ctx, account, dayMs);
    await renewWebhook(ctx, account.id);
    if (!(await isFirst(ctx, account))) return await finishPoll(ctx, account, pollIntervalMs);
    const response = await pollAll(ctx, account, slice);
    if (response === "yield") return response;
    if ("done" in response) return await finishPoll(ctx, account, await untilNextPoll(ctx, account));
    if (account.attempts >= maxAttempts) return await finishPoll(ctx, account, pollIntervalMs);
    const now = ctx.clock.now();
    const retryAfterMs = "unknown" in response ? response.retryAfterMs : undefined;
    // A poll has no effect: two of them may overlap.
    const again = backoffUntil(now.toISOString(), account.attempts, retryAfterMs, 60_000);
    return await finishPoll(ctx, account, Date.parse(again) - now.getTime(), account.attempts);
  },
  async giveUp(world, account) {
    await finishPoll(contextOf(world, account), account, pollIntervalMs);
  },
};

function contextOf(world: World, { org_id }: TrackingPoll): Ctx {
  return systemContext(world, org_id, "tracking");
}

async function finishPoll(ctx: Ctx, account: TrackingPoll, pauseMs: number, attempts = 0): Promise<"done"> {
  const dueAt = new Date(ctx.clock.now().getTime() + pauseMs).toISOString();
  await finishTrackingPoll(ctx.db, ctx.orgId, account.id, { dueAt, attempts });
  return "done";
}

/** Parcels recorded or polled from now on are due after the poll interval at the earliest, so only known ones matter. */
async function untilNextPoll(ctx: Ctx, { carrier }: TrackingPoll): Promise<number> {
  const first = await store.findEarliestTrackAt(ctx.db, ctx.orgId, carrierKeyOf(carrier));
  const sinceMs = first === null ? 0 : ctx.clock.now().getTime() - first.getTime();
  return pollIntervalMs - Math.max(sinceMs, 0);
}

async function isFirst(ctx: Ctx, { id }: TrackingPoll): Promise<boolean> {
  return (await listTrackingAccountsAcrossOrgs(ctx.db, ctx.orgId)).some(({ accountId }) => accountId === id);
}

/** Polls batch after batch until no parcel is due or the time slice is over. */
async function pollAll(ctx: Ctx, account: TrackingPoll, slice: TimeSlice): Promise<CarrierResponse<number> | "yield"> {
  // Opened first, so that an unusable account claims no parcels.
  const opened: CarrierOrFailure = await tryOpenCarrier(ctx, account.id);
  for (;;) {
    const response = "carrier" in opened ? await pollBatch(ctx, account, opened, slice.signal) : opened;
    slice.signal.throwIfAborted();
    if (!("done" in response)) {
      const about = { orgId: ctx.orgId, carrierAccountId: account.id, carrier: account.carrier, response };
      ctx.log.warn(about, "tracking poll failed; it will be retried");
      return response;
    }
    if (response.done < batchSize) return response;
    if (slice.shouldYield()) return "yield";
  }
}

async function pollBatch(
  ctx: Ctx,
  { carrier }: TrackingPoll,
  open: OpenCarrier,
  stopping: AbortSignal,
): Promise<CarrierResponse<number>> {
  const now = ctx.clock.now();
  const poll = pollTimeAt(now);
  const dueBefore = new Date(now.getTime() - pollIntervalMs);
  const wanted = { carrierKey: carrierKeyOf(carrier), dueBefore, limit: batchSize };
  const parcels = await store.claimDueParcels(ctx.db, ctx.orgId, poll, wanted);
  if (parcels.length === 0) return { done: 0 };
  const response = await fetchTracking(ctx, open, parcels, stopping);
  if ("done" in response) {
    await ctx.db.transaction((tx) => applyCarrierReports(tx, ctx, carrier, response.done, { isPull: true }));
    return { done: parcels.length };
  }
  // Otherwise the claims stay: if one of these parcels makes the carrier fail, the next batch contains others.
  if (stopping.aborted) await store.releaseParcels(ctx.db, ctx.orgId, parcels, poll.at);
  return response;
}
