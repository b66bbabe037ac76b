import { Type } from "../../../core/type.ts";
import type { Static } from "typebox";
import { Nullable } from "../../../core/schema.ts";
import { createFinder } from "../../../core/validation.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { applyTrackingRecords, toEventStatus } from "../../shipments/shipments.ts";
import type { TrackingRecord } from "../../shipments/shipments.ts";
import type { PulledItem, Rejected, Stored } from "./pulled-item.ts";

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Moment = Type.String({ format: "date-time" });
/** Others say null, or nothing at all, where they know nothing; as much of a long text is kept as there is room for. */
const MaybeText = Type.Optional(Nullable(Text));
const MaybeMoment = Type.Optional(Nullable(Moment));
const MaybeNote = Type.Optional(Nullable(Type.String()));

/** What a bridge delivers about a parcel: its last status, or all events it knows. */
const Tracking = Type.Object({
  trackingNumber: Text,
  carrier: MaybeText,
  status: MaybeText,
  statusAt: MaybeMoment,
  deliveredAt: MaybeMoment,
  estimatedDeliveryAt: MaybeMoment,
  events: Type.Optional(
    Nullable(Type.Array(Type.Object({ at: Moment, status: Text, description: MaybeNote, location: MaybeNote }))),
  ),
});
type Tracking = Static<typeof Tracking>;

const findErrors = createFinder(Tracking, "body");

/** Pulled tracking becomes events of the shipments that have the number; numbers of no shipment are counted. */
export async function storeTracking(tx: Tx, ctx: Ctx, _bridgeId: string, items: PulledItem[]): Promise<Stored> {
  const failures: Rejected[] = [];
  const sound: PulledItem[] = [];
  for (const item of items) {
    const [error] = findErrors(item.body);
    if (!error) sound.push(item);
    else failures.push({ ...rejection(item), message: `${error.pointer}: ${error.message}` });
  }
  const records = sound.map(({ body }) => toRecord(body as Tracking));
  const { matched, unmatched, added, corrected, duplicates, invalid } = await applyTrackingRecords(tx, ctx, records);
  return {
    counts: {
      matched,
      unmatched: unmatched.length,
      added,
      corrected,
      duplicates,
      failed: failures.length + invalid.length,
    },
    failures: [...failures, ...invalid.map(({ index, ...why }) => ({ ...rejection(sound[index]!), index, ...why }))],
  };
}

function rejection({ externalId }: PulledItem): Pick<Rejected, "externalId" | "code"> {
  return { externalId, code: "validation_failed" };
}

function toRecord({ carrier, trackingNumber, events, status, statusAt, ...rest }: Tracking): TrackingRecord {
  const last = status != null && statusAt != null ? [{ at: statusAt, status }] : [];
  const told: TrackingRecord["events"] = (events ?? last).map(toEvent);
  const isToldArrived = told.some((event) => toEventStatus(event.status) === "delivered");
  const arrived = rest.deliveredAt != null && !isToldArrived ? [{ at: rest.deliveredAt, status: "delivered" }] : [];
  return {
    trackingNumber,
    events: [...told, ...arrived],
    ...(carrier == null ? {} : { carrier }),
    ...(rest.estimatedDeliveryAt == null ? {} : { promisedAt: rest.estimatedDeliveryAt }),
  };
}

/** An empty note is none: said again as null, it would be another event. */
function toEvent({ at, status, description, location }: NonNullable<Tracking["events"]>[number]) {
  return { at, status, description: description || null, location: location || null };
}
