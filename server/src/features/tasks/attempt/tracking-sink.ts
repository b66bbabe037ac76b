import { Type } from "../../../core/type.ts";
import type { Static } from "typebox";
import { Nullable } from "../../../core/schema.ts";
import { isPlain } from "../../../core/strict-json.ts";
import { beginningOf } from "../../../core/time-zones.ts";
import { createFinder } from "../../../core/validation.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { findTimeZone } from "../../organizations/organizations.ts";
import { applyTrackingRecords, toEventStatus } from "../../shipments/shipments.ts";
import type { TrackingRecord } from "../../shipments/shipments.ts";
import type { PulledItem, Rejected, Stored } from "./pulled-records.ts";

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Moment = Type.String({ format: "date-time" });
/** Sources send null, or nothing, for what they do not know. Long descriptions are cut when they are stored. */
const MaybeText = Type.Optional(Nullable(Text));
const MaybeMoment = Type.Optional(Nullable(Moment));
const MaybeNote = Type.Optional(Nullable(Type.String()));

/** Tracking of one parcel: its last status, or all events. */
export const Tracking = Type.Object({
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

/** Adds pulled tracking events to the shipments with that tracking number. Unmatched numbers are counted. */
export async function storeTracking(tx: Tx, ctx: Ctx, _bridgeId: string, items: PulledItem[]): Promise<Stored> {
  const failures: Rejected[] = [];
  const valid: PulledItem[] = [];
  const zone = items.some(({ body }) => hasLocalTime(body)) ? await findTimeZone(ctx, ctx.orgId) : "UTC";
  for (const item of items) {
    const body = withOffsets(item.body, zone);
    const [error] = findErrors(body);
    if (!error) valid.push({ ...item, body });
    else failures.push({ ...rejection(item), message: `${error.pointer}: ${error.message}` });
  }
  const records = valid.map(({ body }) => toRecord(body as Tracking));
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
    failures: [...failures, ...invalid.map(({ index, ...why }) => ({ ...rejection(valid[index]!), index, ...why }))],
  };
}

const localTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/i;
const timeFields = ["at", "statusAt", "deliveredAt", "estimatedDeliveryAt"] as const;
type Body = PulledItem["body"];

function hasLocalTime(body: Body): boolean {
  return withOffsets(body, "UTC") !== body;
}

/** A time without an offset is one in the organization's zone, as in imported files. Anything else is left to the validation. */
function withOffsets(body: Body, zone: string): Body {
  const changed: Body = {};
  for (const field of timeFields) {
    const [, day, time] = localTime.exec(String(body[field])) ?? [];
    const moment = time === undefined ? undefined : beginningOf(`${day}T${time}`, zone);
    if (moment !== undefined) changed[field] = moment;
  }
  const events = Array.isArray(body.events) ? (body.events as unknown[]) : [];
  const settled = events.map((event) => (isPlain(event) ? withOffsets(event, zone) : event));
  if (settled.some((event, index) => event !== events[index])) changed.events = settled;
  return Object.keys(changed).length === 0 ? body : { ...body, ...changed };
}

function rejection({ externalId }: PulledItem): Pick<Rejected, "externalId" | "code"> {
  return { externalId, code: "validation_failed" };
}

function toRecord({ carrier, trackingNumber, events, status, statusAt, ...rest }: Tracking): TrackingRecord {
  const last = status != null && statusAt != null ? [{ at: statusAt, status }] : [];
  const listed: TrackingRecord["events"] = (events ?? last).map(toEvent);
  const listsDelivery = listed.some((event) => toEventStatus(event.status) === "delivered");
  const delivered = rest.deliveredAt != null && !listsDelivery ? [{ at: rest.deliveredAt, status: "delivered" }] : [];
  return {
    trackingNumber,
    events: [...listed, ...delivered],
    ...(carrier == null ? {} : { carrier }),
    ...(rest.estimatedDeliveryAt == null ? {} : { promisedAt: rest.estimatedDeliveryAt }),
  };
}

/** An empty text is stored as null: otherwise the same event with null instead would count as another one. */
function toEvent({ at, status, description, location }: NonNullable<Tracking["events"]>[number]) {
  return { at, status, description: description || null, location: location || null };
}
