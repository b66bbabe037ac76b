import { Type } from "../../core/type.ts";
import type { Static } from "typebox";
import { createFinder } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { applyTrackingRecords } from "../shipments/shipments.ts";
import type { TrackingRecord } from "../shipments/shipments.ts";
import type { PulledItem, Stored } from "./pulled-item.ts";

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Moment = Type.String({ format: "date-time" });

/** What a bridge delivers about a parcel: its last status, or all events it knows. */
const Tracking = Type.Object({
  trackingNumber: Text,
  carrier: Type.Optional(Text),
  status: Type.Optional(Text),
  statusAt: Type.Optional(Moment),
  deliveredAt: Type.Optional(Moment),
  estimatedDeliveryAt: Type.Optional(Moment),
  events: Type.Optional(
    Type.Array(
      Type.Object({ at: Moment, status: Text, description: Type.Optional(Text), location: Type.Optional(Text) }),
    ),
  ),
});
type Tracking = Static<typeof Tracking>;

const findErrors = createFinder(Tracking, "body");

/** Pulled tracking becomes events of the shipments that have the number; numbers of no shipment are counted. */
export async function storeTracking(tx: Tx, ctx: Ctx, _bridgeId: string, items: PulledItem[]): Promise<Stored> {
  const failures: unknown[] = [];
  const records = items.flatMap(({ externalId, body }): TrackingRecord[] => {
    const [error] = findErrors(body);
    if (!error) return [toRecord(body as Tracking)];
    failures.push({ externalId, code: "validation_failed", message: `${error.pointer}: ${error.message}` });
    return [];
  });
  const { matched, unmatched, added, duplicates, invalid } = await applyTrackingRecords(tx, ctx, records);
  return {
    counts: { matched, unmatched: unmatched.length, added, duplicates, failed: failures.length + invalid.length },
    failures: [...failures, ...invalid],
  };
}

function toRecord({ carrier, trackingNumber, events, status, statusAt, ...rest }: Tracking): TrackingRecord {
  const last = status !== undefined && statusAt !== undefined ? [{ at: statusAt, status }] : [];
  const arrived =
    rest.deliveredAt !== undefined && status !== "delivered" ? [{ at: rest.deliveredAt, status: "delivered" }] : [];
  return {
    trackingNumber,
    events: events ?? [...last, ...arrived],
    ...(carrier === undefined ? {} : { carrier }),
    ...(rest.estimatedDeliveryAt === undefined ? {} : { promisedAt: rest.estimatedDeliveryAt }),
  };
}
