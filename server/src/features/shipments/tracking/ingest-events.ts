import { cutText } from "../../../core/cut-text.ts";
import { HubError, validationFailed } from "../../../core/errors.ts";
import { orNotFound } from "../../../core/resources.ts";
import { isDay } from "../../../core/time-zones.ts";
import { byShapeAndRules, failAt, placed, sortRows } from "../../../core/row-failure.ts";
import type { Ctx } from "../../../context.ts";
import { change } from "../../../context.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { Report } from "./apply-tracking.ts";
import { applyReports } from "./apply-tracking.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { lockToChange } from "../change-shipment.ts";
import { undeliverOrders } from "../deliver-orders.ts";
import { changed, changeEvent } from "../shipment-changes.ts";
import { addToStats } from "../shipment-stats.store.ts";
import { presentTo } from "../present-shipment.ts";
import type { BulkEventsAnswer, ShipmentAnswer } from "../shipment-answers.schemas.ts";
import { eventOutcomes } from "../shipment-answers.schemas.ts";
import { eventErrors, isYetToCome, maxEvents, toEvent } from "../shipment-fields.ts";
import { carrierKeyOf, trackingKeyOf } from "../shipment.ts";
import type { EventRequest } from "../shipments.schemas.ts";
import { TrackedEvent } from "../shipments.schemas.ts";
import type { TrackedShipment } from "../shipments.store.ts";
import * as store from "../shipments.store.ts";
import { readEventTime } from "./event-time.ts";
import type { TrackingEvent } from "./tracking.ts";

const findErrors = byShapeAndRules(TrackedEvent, eventErrors);
const tooMany = `A shipment has at most ${maxEvents} events.`;

export async function addEvent(ctx: Ctx, id: string, request: EventRequest): Promise<ShipmentAnswer> {
  const now = ctx.clock.now().toISOString();
  const errors = eventErrors(request, now);
  if (errors.length > 0) throw validationFailed(errors);
  return await change(ctx, async (tx) => {
    const { orderId, timezone } = orNotFound("shipment", await store.findShipment(tx, ctx.orgId, id));
    const report = { shipmentId: id, orderId, events: [toEvent(request, timezone)] };
    const applied = await applyReports(tx, ctx, [report]);
    if (applied.get(id)?.isFull) throw new HubError("too_many_events", tooMany);
    const shipment = await store.findShipment(tx, ctx.orgId, id);
    return presentTo(ctx, shipment!);
  });
}

/** Marks an event as not having happened. Idempotent. A later report with its key and other content counts again. */
export async function retractEvent(ctx: Ctx, id: string, key: string): Promise<ShipmentAnswer> {
  return await change(ctx, async (tx) => {
    const { before } = await lockToChange(tx, ctx, id);
    const found = before.events.find((event) => event.key === key);
    if (!found) throw new HubError("tracking_event_not_found");
    if (found.retractedAt !== undefined) return presentTo(ctx, before);
    const now = ctx.clock.now().toISOString();
    const events = before.events.map((event) => (event === found ? { ...event, retractedAt: now } : event));
    const retraction = changed(before, { events }, now);
    await store.updateShipments(tx, ctx.orgId, [retraction.after]);
    await undeliverOrders(tx, ctx, [retraction]);
    recordEvent(tx, ctx, changeEvent(retraction));
    await addToStats(tx, ctx.orgId, [retraction]);
    return presentTo(ctx, retraction.after);
  });
}

/** Adds events by carrier and tracking number. Each row succeeds or fails on its own. */
export async function addEventsInBulk(ctx: Ctx, given: unknown[]): Promise<BulkEventsAnswer> {
  const now = ctx.clock.now().toISOString();
  const { sound, failures } = sortRows(given as TrackedEvent[], (row) => findErrors(row, now));
  const results: BulkEventsAnswer["results"] = [];
  for (const [index, failure] of failures) {
    results[index] = { index, status: "failed", error: placed(failure, `/events/${index}`) };
  }
  return await change(ctx, async (tx) => {
    const requests = sound.map(({ request }) => request);
    const match = await matchShipments(tx, ctx.orgId, requests);
    const rows = sound.map(({ index, request }) => ({
      index,
      // Local times are interpreted in the destination's time zone.
      reports: match(request).map(({ id, orderId, timezone }) => {
        const event = toEvent(request, timezone);
        return { shipmentId: id, orderId, events: [event], event };
      }),
    }));
    const applied = await applyReports(
      tx,
      ctx,
      rows.flatMap(({ reports }) => reports),
    );
    for (const { index, reports } of rows) {
      const shipmentIds = reports.map(({ shipmentId }) => shipmentId);
      const own = reports.flatMap(({ shipmentId, event }) => {
        const result = applied.get(shipmentId);
        return result ? [{ isFull: result.isFull, outcome: result.outcomes.get(event)! }] : [];
      });
      if (own.length === 0) results[index] = { index, status: "unmatched" };
      else if (own.some(({ isFull }) => isFull)) {
        const error = placed(failAt("", "too_many_events", tooMany), `/events/${index}`);
        results[index] = { index, status: "failed", shipmentIds, error };
      } else {
        const told = own.map(({ outcome }) => outcome);
        const status = (["added", "corrected"] as const).find((outcome) => told.includes(outcome)) ?? "duplicate";
        results[index] = { index, status, shipmentIds };
      }
    }
    const counts = Object.fromEntries(eventOutcomes.map((status) => [status, 0])) as BulkEventsAnswer["summary"];
    for (const { status } of results) counts[status]++;
    return { summary: { ...counts, total: results.length }, results };
  });
}

type Numbered = { carrier?: string | undefined; trackingNumber: string };

/** Finds shipments by tracking number; if the carrier is given, shipments of other carriers do not match. */
async function matchShipments(
  db: Queryable,
  orgId: string,
  wanted: Numbered[],
): Promise<(ref: Numbered) => TrackedShipment[]> {
  const keys = [...new Set(wanted.map(({ trackingNumber }) => trackingKeyOf(trackingNumber)))];
  const found = Map.groupBy(await store.findByTrackingKeys(db, orgId, keys), ({ trackingKey }) => trackingKey);
  return ({ carrier, trackingNumber }) => {
    const all = found.get(trackingKeyOf(trackingNumber)) ?? [];
    if (carrier === undefined) return all;
    const key = carrierKeyOf(carrier);
    return all.filter(({ carrierKey }) => carrierKey === null || carrierKey === key);
  };
}

/** Tracking of one parcel, as a bridge or carrier reports it. */
export type TrackingRecord = {
  carrier?: string;
  trackingNumber: string;
  events: {
    at: string;
    status: string;
    description?: string | null;
    location?: string | null;
    key?: string;
    /** Of the place of the event, for a time without an offset. Default: by `location`. */
    zone?: string;
  }[];
  /** The carrier's delivery estimate; the first one is the promise if there is no other. */
  promisedAt?: string | null;
};

type RecordOptions = {
  /** They are the answer to a poll, and not sent by a webhook. Default: true. */
  isPull?: boolean;
  /** Zone of local times without a place, of shipments whose destination has no known zone. Default: UTC. */
  timeZone?: string;
  /** Events longer than this before the ship date are dropped: they are of another parcel with the same number. */
  reuseMs?: number;
};

/**
 * In the caller's transaction, with three or four statements for all records. Unreadable events are skipped and reported;
 * an unknown status is stored as `unknown` with the carrier's own status.
 */
export async function applyTrackingRecords(
  tx: Tx,
  ctx: Ctx,
  records: TrackingRecord[],
  { isPull = true, timeZone = "UTC", reuseMs = Infinity }: RecordOptions = {},
) {
  /** Events and dates that could not be read, by the index of their record. */
  const invalid: { index: number; message: string }[] = [];
  /** Tracking numbers without a shipment. */
  const unmatched: string[] = [];
  const now = ctx.clock.now().toISOString();
  const match = await matchShipments(tx, ctx.orgId, records);
  const reports: Report[] = [];
  const recordOf = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const shipments = match(record);
    if (shipments.length === 0) {
      unmatched.push(record.trackingNumber);
      continue;
    }
    const { promisedAt } = record;
    const readable = record.events.filter(({ at }) => readEventTime(at, "UTC") !== undefined);
    const past = readable.filter(({ at }) => !isYetToCome(readEventTime(at, "UTC")!, now));
    const hasEstimate = promisedAt != null && readEstimate(promisedAt, "UTC") !== undefined;
    const note = (message: string): void => void invalid.push({ index, message });
    if (readable.length < record.events.length) note("An event has no readable time.");
    if (past.length < readable.length) note("An event is in the future.");
    if (promisedAt != null && !hasEstimate) note("promisedAt is not a valid time.");
    for (const { id, orderId, timezone, shippedAt } of shipments) {
      // UTC stands for an unknown destination.
      const zone = timezone === "UTC" ? timeZone : timezone;
      const since = shippedAt.getTime() - reuseMs;
      const events = past.map((event) => readEvent(event, zone)).filter(({ at }) => Date.parse(at) >= since);
      const estimatedAt = hasEstimate ? readEstimate(promisedAt, zone) : undefined;
      reports.push({ shipmentId: id, orderId, events, ...(estimatedAt === undefined ? {} : { estimatedAt }) });
      recordOf.set(id, index);
    }
  }
  const applied = await applyReports(tx, ctx, reports, isPull);
  const counts = { added: 0, corrected: 0, duplicate: 0 };
  for (const [id, { outcomes, isFull }] of applied) {
    for (const outcome of outcomes.values()) counts[outcome]++;
    if (isFull) invalid.push({ index: recordOf.get(id)!, message: tooMany });
  }
  const matched = records.length - unmatched.length;
  const { added, corrected, duplicate: duplicates } = counts;
  return { records: records.length, matched, unmatched, added, corrected, duplicates, invalid };
}

function readEvent(event: TrackingRecord["events"][number], timezone: string): TrackingEvent {
  const { at, status, description, location, key, zone } = event;
  const request = {
    at,
    status: clean(status, 64),
    ...(description == null ? {} : { description: clean(description, 500) }),
    ...(location == null ? {} : { location: clean(location, 200) }),
    ...(key === undefined ? {} : { key: clean(key, 100) }),
  };
  return toEvent(request, timezone, zone);
}

/** Cuts a text to the stored length and removes characters that cannot be stored. */
function clean(text: string, maxLength: number): string {
  return cutText(text.replaceAll("\0", ""), maxLength).toWellFormed();
}

/** A delivery estimate. A day stands for its end at the destination: its first moment in UTC is the day before in America. */
function readEstimate(text: string, zone: string): string | undefined {
  const moment = readEventTime(isDay(text) ? `${text}T23:59:59` : text, zone) ?? new Date(text);
  const year = new Date(moment).getUTCFullYear();
  return year >= 1970 && year <= 2200 ? new Date(moment).toISOString() : undefined;
}
