import type { TrackingEvent as CarrierEvent, TrackingReport } from "../../../carriers/seam/tracking.ts";
import { ownEventsMs } from "../../../carriers/seam/tracking-events.ts";
import { countryOfAddress, zoneOfAddress } from "../../../core/time-zones.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { findTimeZone } from "../../organizations/organizations.ts";
import type { TrackingRecord } from "./ingest-events.ts";
import { applyTrackingRecords } from "./ingest-events.ts";

/** What became of the reports of a carrier. `unmatched`: numbers that no shipment of the organization has. */
type AppliedReports = { unmatched: string[]; added: number };

/** Applies what a carrier reports about parcels, in a poll or in a webhook: both end in the same events. */
export async function applyCarrierReports(
  tx: Tx,
  ctx: Ctx,
  carrier: string,
  reports: TrackingReport[],
  { isPull }: { isPull: boolean },
): Promise<AppliedReports> {
  if (reports.length === 0) return { unmatched: [], added: 0 };
  const records = reports.map((report) => toRecord(carrier, report));
  const timeZone = await findTimeZone(ctx, ctx.orgId);
  const { unmatched, added, invalid } = await applyTrackingRecords(tx, ctx, records, {
    isPull,
    timeZone,
    reuseMs: ownEventsMs,
  });
  for (const { index, message } of invalid)
    ctx.log.warn({ orgId: ctx.orgId, carrier, trackingNumber: reports[index]?.trackingNumber }, message);
  return { unmatched, added };
}

function toRecord(carrier: string, { trackingNumber, estimatedDelivery, events }: TrackingReport): TrackingRecord {
  return {
    carrier,
    trackingNumber,
    events: events.map((event) => {
      const { at, status, description, city, state, zip } = event;
      const zone = zoneOfEvent(event);
      return {
        at,
        status: status.trim(),
        description: textOf(description),
        location: textOf([city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ")),
        ...(zone === undefined ? {} : { zone }),
      };
    }),
    ...(estimatedDelivery === undefined ? {} : { promisedAt: estimatedDelivery }),
  };
}

/** The zone of the place of an event. Carriers that leave the country out mean the United States. */
function zoneOfEvent({ zip, state, countryCode }: CarrierEvent): string | undefined {
  const place = {
    ...(zip === undefined ? {} : { zip }),
    ...(state === undefined ? {} : { provinceCode: state }),
    ...(countryCode === undefined ? {} : { countryCode }),
  };
  const country = countryOfAddress(place) ?? (zip === undefined ? "US" : undefined);
  return country === undefined ? undefined : zoneOfAddress({ ...place, countryCode: country });
}

/** An empty text is stored as null: otherwise the same event, sent again without a text, would count as another one. */
function textOf(given: string | undefined): string | null {
  return given || null;
}
