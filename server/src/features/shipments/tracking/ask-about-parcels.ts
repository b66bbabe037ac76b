import type { TrackingReport } from "../../../carriers/carrier.ts";
import type { Ctx } from "../../../context.ts";
import type { CarrierAnswer, OpenCarrier } from "../../carrier-accounts/open-carrier.ts";
import { askCarrier } from "../../carrier-accounts/open-carrier.ts";
import { trackingKeyOf } from "../shipment.ts";
import type { TrackingRecord } from "./ingest-events.ts";
import type { Turn } from "./tracking-turns.store.ts";

/** Asks a carrier where parcels are. What it says about others is left out, and what makes no sense is a failure of its. */
export async function askAboutParcels(
  ctx: Ctx,
  open: OpenCarrier,
  turns: Turn[],
  stopping?: AbortSignal,
): Promise<CarrierAnswer<TrackingRecord[]>> {
  // Several orders may have left in one parcel.
  const byKey = Map.groupBy(turns, ({ trackingNumber }) => trackingKeyOf(trackingNumber));
  const parcels = [...byKey.values()].map((same) => {
    const carrierData = same.find((turn) => turn.carrierData !== null)?.carrierData;
    return {
      trackingNumber: same[0]!.trackingNumber,
      shippedAt: new Date(Math.min(...same.map(({ shippedAt }) => shippedAt.getTime()))).toISOString(),
      ...(carrierData ? { carrierData } : {}),
    };
  });
  return await askCarrier(
    ctx,
    open,
    ctx.newId(),
    async (carrier, call) => {
      const reports = await carrier.track!(call, parcels);
      return reports.filter((report) => byKey.has(trackingKeyOf(report.trackingNumber))).map(toRecord(carrier.name));
    },
    stopping,
  );
}

const toRecord =
  (carrier: string) =>
  ({ trackingNumber, estimatedDelivery, events }: TrackingReport): TrackingRecord => ({
    carrier,
    trackingNumber,
    events: events.map(({ at, status, description, city, state, zip }) => ({
      at,
      status: status.trim(),
      description: textOf(description),
      location: textOf([city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ")),
    })),
    ...(estimatedDelivery === undefined ? {} : { promisedAt: estimatedDelivery }),
  });

/** An empty note is none: said again as null, it would be another event. */
function textOf(given: string | undefined): string | null {
  return given || null;
}
