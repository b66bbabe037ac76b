import type { TrackingReport } from "../../carriers/carrier.ts";
import type { Said } from "../../carriers/said.ts";
import { hear } from "../../carriers/said.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import type { TrackingRecord } from "./ingest-events.ts";
import { trackingKeyOf } from "./shipment.ts";
import type { Turn } from "./tracking-turns.store.ts";

/** Asks a carrier where parcels are. What it says about others is left out, and what makes no sense is a failure of its. */
export async function askWhereabouts(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  turns: Turn[],
  stopping?: AbortSignal,
): Promise<Said<TrackingRecord[]>> {
  // Several orders may have left in one parcel.
  const byKey = Map.groupBy(turns, ({ trackingNumber }) => trackingKeyOf(trackingNumber));
  const parcels = [...byKey.values()].map(([first, ...others]) => ({
    trackingNumber: first!.trackingNumber,
    shippedAt: others.reduce((least, { shippedAt }) => (shippedAt < least ? shippedAt : least), first!.shippedAt),
  }));
  const ask = async (signal: AbortSignal): Promise<TrackingRecord[]> => {
    const reports = await carrier.track!({ ...call(ctx.newId()), signal }, parcels);
    return reports.filter((report) => byKey.has(trackingKeyOf(report.trackingNumber))).map(toRecord(carrier.name));
  };
  return await hear(ctx.log, ask, stopping);
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
