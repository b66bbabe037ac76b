import { HubError } from "../../../core/errors.ts";
import { orNotFound } from "../../../core/resources.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import { listTrackingAccountsAcrossOrgs, listTrackingCarriers } from "../../carrier-accounts/carrier-accounts.ts";
import { openCarrier } from "../../carrier-accounts/open-carrier.ts";
import { askAboutParcels } from "./ask-about-parcels.ts";
import { applyTrackingRecords } from "./ingest-events.ts";
import { presentTo } from "../present-shipment.ts";
import type { TrackAnswer } from "../shipment-answers.schemas.ts";
import type { Shipment } from "../shipment.ts";
import { carrierKeyOf, isTrackingActive } from "../shipment.ts";
import { findShipment } from "../shipments.store.ts";
import { askingAt } from "./tracking-turns.ts";
import { giveBackTurns, takeTurn } from "./tracking-turns.store.ts";

/** Longer than a carrier may take to answer. */
const justAskedMs = 30_000;

/** Asks the carrier now, outside of any transaction. Who comes while it is being asked gets what is known. */
export async function trackShipment(ctx: Ctx, id: string): Promise<TrackAnswer> {
  const before = orNotFound("shipment", await findShipment(ctx.db, ctx.orgId, id));
  const open = await openCarrier(ctx, await findTracker(ctx, before));
  const now = ctx.clock.now();
  const asking = askingAt(now);
  const askedBefore = new Date(now.getTime() - justAskedMs);
  const turn = await takeTurn(ctx.db, ctx.orgId, asking, { id, askedBefore });
  if (!turn) {
    const current = await findShipment(ctx.db, ctx.orgId, id);
    return { wasPolled: false, hasUpdates: false, shipment: presentTo(ctx, current ?? before) };
  }
  const said = await askAboutParcels(ctx, open, [turn]);
  if (!("done" in said)) {
    await giveBackTurns(ctx.db, ctx.orgId, [turn], asking.at);
    if ("unknown" in said) throw new HubError("carrier_failed", said.unknown);
    throw new HubError("carrier_failed", said.refused.message, { extra: { carrierCode: said.refused.code } });
  }
  return await change(ctx, async (tx) => {
    const known = await findShipment(tx, ctx.orgId, id);
    await applyTrackingRecords(tx, ctx, said.done);
    const after = (await findShipment(tx, ctx.orgId, id))!;
    return { wasPolled: true, hasUpdates: after.version !== known?.version, shipment: presentTo(ctx, after) };
  });
}

/** The account whose carrier can be asked about it. */
async function findTracker(ctx: Ctx, { status, trackingNumber, carrier }: Shipment): Promise<string> {
  if (!isTrackingActive(status))
    throw new HubError("invalid_state", `The shipment is ${status}; nothing more is to be heard of it.`);
  if (trackingNumber === null)
    throw new HubError("no_tracking_number", "Give the shipment the carrier's number first.");
  const accounts = await listTrackingAccountsAcrossOrgs(ctx.db, ctx.orgId);
  const account = accounts.find((one) => carrier !== null && carrierKeyOf(one.carrier) === carrierKeyOf(carrier));
  if (account) return account.accountId;
  const trackingCarriers = listTrackingCarriers();
  const whose = carrier === null ? "The shipment names no carrier" : `No active carrier account is one of ${carrier}`;
  const can = trackingCarriers.length === 0 ? "none" : trackingCarriers.join(", ");
  throw new HubError("no_tracking_carrier", `${whose}, or it cannot track. Carriers that can: ${can}.`, {
    extra: { trackingCarriers },
  });
}
