import type { TrackingReport } from "../../../carriers/seam/tracking.ts";
import type { Ctx } from "../../../context.ts";
import type { CarrierResponse, OpenCarrier } from "../../carrier-accounts/open-carrier.ts";
import { callCarrier, singleCall } from "../../carrier-accounts/open-carrier.ts";
import { trackingKeyOf } from "../shipment.ts";
import type { ClaimedParcel } from "./tracking-polls.store.ts";

/** Polls a carrier for the tracking of parcels. Reports about other parcels are ignored. */
export async function fetchTracking(
  ctx: Ctx,
  open: OpenCarrier,
  claimed: ClaimedParcel[],
  stopping?: AbortSignal,
): Promise<CarrierResponse<TrackingReport[]>> {
  // Several orders may share one parcel.
  const byKey = Map.groupBy(claimed, ({ trackingNumber }) => trackingKeyOf(trackingNumber));
  const parcels = [...byKey.values()].map((same) => {
    const carrierData = same.find((parcel) => parcel.carrierData !== null)?.carrierData;
    return {
      trackingNumber: same[0]!.trackingNumber,
      shippedAt: new Date(Math.min(...same.map(({ shippedAt }) => shippedAt.getTime()))).toISOString(),
      ...(carrierData ? { carrierData } : {}),
    };
  });
  return await callCarrier(
    ctx,
    open,
    "track",
    singleCall(ctx.newId()),
    async (carrier, call) => {
      const reports = await carrier.track!(call, parcels);
      return reports.filter((report) => byKey.has(trackingKeyOf(report.trackingNumber)));
    },
    stopping,
  );
}
