import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvents } from "../../../events/record-event.ts";
import { lockOrders } from "../../orders/orders.ts";
import { deliverOrders, undeliverOrders } from "../deliver-orders.ts";
import { maxEvents } from "../shipment-fields.ts";
import type { ShipmentChange } from "../shipment-changes.ts";
import { afterOf, changed, changeEvent } from "../shipment-changes.ts";
import { addToStats } from "../shipment-stats.store.ts";
import type { Shipment } from "../shipment.ts";
import { hasOwnPromise } from "../shipment.ts";
import * as store from "../shipments.store.ts";
import type { ReportOutcome, TrackingEvent } from "./tracking.ts";
import { isKeyOfContent, mergeEvents } from "./tracking.ts";
import { pollTimeAt } from "./poll-schedule.ts";
import { markPolled } from "./tracking-polls.store.ts";

/** Tracking updates for one shipment. */
export type Report = {
  shipmentId: string;
  orderId: string | null;
  events: TrackingEvent[];
  /** The carrier's delivery estimate. */
  estimatedAt?: string;
};

/** The outcome of each event; `isFull`: the shipment has opened its limit of events. */
export type Applied = { outcomes: ReadonlyMap<TrackingEvent, ReportOutcome>; isFull: boolean };

/** Applies all reports in a fixed number of statements; several may be about one shipment. `isPull`: they come from a poll. */
export async function applyReports(tx: Tx, ctx: Ctx, reports: Report[], isPull = false): Promise<Map<string, Applied>> {
  const now = ctx.clock.now().toISOString();
  const byShipment = Map.groupBy(reports, ({ shipmentId }) => shipmentId);
  const arriving = reports.filter(({ events }) => events.some(({ status }) => status === "delivered"));
  const orderIds = arriving.flatMap(({ orderId }) => orderId ?? []);
  const corrected = reports.filter(({ orderId, events }) => orderId !== null && events.some(mayCorrect));
  const delivered = await store.findOrdersOfDelivered(tx, ctx.orgId, [
    ...new Set(corrected.map((one) => one.shipmentId)),
  ]);
  const touched = [...new Set([...orderIds, ...delivered])];
  // Lock order: orders, then shipments, as in runs.
  if (touched.length > 0) await lockOrders(tx, ctx.orgId, touched);
  const shipments = await store.lockShipments(tx, ctx.orgId, [...byShipment.keys()]);
  const applied = new Map<string, Applied>();
  const changes: ShipmentChange[] = [];
  const unchanged: string[] = [];
  for (const before of shipments) {
    const { change, ...result } = applyTo(before, byShipment.get(before.id)!, now, isPull);
    applied.set(before.id, result);
    if (change) changes.push(change);
    else unchanged.push(before.id);
  }
  await store.updateShipments(tx, ctx.orgId, changes.map(afterOf));
  if (isPull) await markPolled(tx, ctx.orgId, unchanged, pollTimeAt(new Date(now)));
  await deliverOrders(tx, ctx, orderIds);
  await undeliverOrders(tx, ctx, changes);
  recordEvents(tx, ctx, changes.map(changeEvent));
  await addToStats(tx, ctx.orgId, changes);
  return applied;
}

/** Only events with an explicit key can be corrected later. */
function mayCorrect({ key }: TrackingEvent): boolean {
  return !isKeyOfContent(key);
}

function applyTo(
  before: Shipment,
  reports: Report[],
  now: string,
  isPull: boolean,
): Applied & { change?: ShipmentChange } {
  const merged = mergeEvents(
    before.events,
    reports.flatMap(({ events }) => events),
  );
  if (merged.events.length > maxEvents) return { outcomes: new Map(), isFull: true };
  const estimatedAt = reports.findLast((report) => report.estimatedAt !== undefined)?.estimatedAt ?? before.estimatedAt;
  // Without another promise, the carrier's first estimate becomes the promise.
  const isFirstPromise = !hasOwnPromise(before) && estimatedAt !== null;
  const promise = isFirstPromise ? { promisedAt: estimatedAt, promiseSource: "carrier" as const } : {};
  const { outcomes } = merged;
  if (!merged.isChanged && estimatedAt === before.estimatedAt) return { outcomes, isFull: false };
  const lastPolledAt = isPull ? now : before.lastPolledAt;
  const change = changed(before, { ...promise, estimatedAt, events: merged.events, lastPolledAt }, now);
  return { outcomes, isFull: false, change };
}
