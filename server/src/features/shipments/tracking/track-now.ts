import { HubError } from "../../../core/errors.ts";
import { orNotFound } from "../../../core/resources.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import { listTrackingAccountsAcrossOrgs, listTrackingCarriers } from "../../carrier-accounts/carrier-accounts.ts";
import { openCarrier } from "../../carrier-accounts/open-carrier.ts";
import { applyCarrierReports } from "./carrier-reports.ts";
import { fetchTracking } from "./fetch-tracking.ts";
import { presentTo } from "../present-shipment.ts";
import type { TrackAnswer } from "../shipment-answers.schemas.ts";
import type { Shipment } from "../shipment.ts";
import { carrierKeyOf, isTrackingActive } from "../shipment.ts";
import { findShipment } from "../shipments.store.ts";
import { pollTimeAt } from "./poll-schedule.ts";
import { releaseParcels, claimParcel } from "./tracking-polls.store.ts";

/** Longer than a carrier call can take. */
const justPolledMs = 30_000;

/** Polls the carrier now, outside of any transaction. A concurrent caller gets the stored state. */
export async function trackShipment(ctx: Ctx, id: string): Promise<TrackAnswer> {
  const before = orNotFound("shipment", await findShipment(ctx.db, ctx.orgId, id));
  const open = await openCarrier(ctx, await findTracker(ctx, before));
  const now = ctx.clock.now();
  const poll = pollTimeAt(now);
  const polledBefore = new Date(now.getTime() - justPolledMs);
  const parcel = await claimParcel(ctx.db, ctx.orgId, poll, { id, polledBefore });
  if (!parcel) {
    const current = await findShipment(ctx.db, ctx.orgId, id);
    return { wasPolled: false, hasUpdates: false, shipment: presentTo(ctx, current ?? before) };
  }
  const response = await fetchTracking(ctx, open, [parcel]);
  if (!("done" in response)) {
    await releaseParcels(ctx.db, ctx.orgId, [parcel], poll.at);
    if ("unknown" in response) throw new HubError("carrier_failed", response.unknown);
    throw new HubError("carrier_failed", response.rejected.message, { extra: { carrierCode: response.rejected.code } });
  }
  return await change(ctx, async (tx) => {
    const known = await findShipment(tx, ctx.orgId, id);
    await applyCarrierReports(tx, ctx, open.carrier.name, response.done, { isPull: true });
    const after = (await findShipment(tx, ctx.orgId, id))!;
    return { wasPolled: true, hasUpdates: after.version !== known?.version, shipment: presentTo(ctx, after) };
  });
}

/** The account through which the shipment can be tracked. */
async function findTracker(ctx: Ctx, { status, trackingNumber, carrier }: Shipment): Promise<string> {
  if (!isTrackingActive(status))
    throw new HubError("invalid_state", `The shipment is ${status}; its tracking has ended.`);
  if (trackingNumber === null) throw new HubError("no_tracking_number", "Set the shipment's tracking number first.");
  const accounts = await listTrackingAccountsAcrossOrgs(ctx.db, ctx.orgId);
  const account = accounts.find((one) => carrier !== null && carrierKeyOf(one.carrier) === carrierKeyOf(carrier));
  if (account) return account.accountId;
  const trackingCarriers = listTrackingCarriers();
  const why =
    carrier === null
      ? "The shipment has no carrier."
      : `There is no active account of carrier ${carrier}, or it does not support tracking.`;
  const supported = trackingCarriers.length === 0 ? "none" : trackingCarriers.join(", ");
  throw new HubError("no_tracking_carrier", `${why} Carriers with tracking: ${supported}.`, {
    extra: { trackingCarriers },
  });
}
