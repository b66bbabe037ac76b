import { badField } from "../../core/errors.ts";
import { offsetOf, toCappedPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { Weight } from "../../core/weight.ts";
import type { Queryable } from "../../db/database.ts";
import { findIdByRef } from "../orders/orders.ts";
import { presentTo } from "./present-shipment.ts";
import type { ShipmentAnswer, ShipmentPage, ShipmentQuery } from "./shipment-answers.schemas.ts";
import type { ShipmentFilter } from "./shipment-list.store.ts";
import * as lists from "./shipment-list.store.ts";
import * as stats from "./shipment-stats.store.ts";
import { trackingKeyOf } from "./shipment.ts";
import { shipmentStatuses } from "./shipments.states.ts";
import * as store from "./shipments.store.ts";

export { createShipment, createShipmentsInBulk } from "./create-shipments.ts";
export { updateShipment, voidShipment } from "./change-shipment.ts";
/** For labels, which are purchased and voided in transactions of their own. */
export type { Prepared as PreparedParcel } from "./create-shipments.ts";
export type { ParcelOfLabel, Promised as PromisedDelivery } from "./shipment-fields.ts";
export {
  correctParcelCost,
  findLabelIds,
  findParcel,
  findParcels,
  prepareParcel,
  recordParcel,
  voidParcel,
} from "./label-parcels.ts";
export { importShipments } from "./import-shipments.ts";
export { addEvent, addEventsInBulk, retractEvent } from "./tracking/ingest-events.ts";
/** For features that update many shipments in a transaction of their own. */
export type { TrackingRecord } from "./tracking/ingest-events.ts";
export { applyTrackingRecords } from "./tracking/ingest-events.ts";
export { applyCarrierReports } from "./tracking/carrier-reports.ts";
export { trackingWork } from "./tracking/poll-carriers.ts";
export { trackShipment } from "./tracking/track-now.ts";
export { toEventStatus } from "./shipments.states.ts";
export { trackingKeyOf } from "./shipment.ts";
export type { DeliveryParts, OverviewFigures } from "./overview-figures.ts";
export { readDeliveryParts, readFigures, readSeries, readWindowFigures } from "./overview-figures.ts";
export { countRisks, findOldestRisks } from "./shipment-stats.store.ts";
export type { OrderShipmentsChange, TrackedParcel } from "./order-shipments.ts";
export { findRecordedShipments, insertDemoParcels, syncOrderShipments, listedFields } from "./order-shipments.ts";

export type WeighedParcel = { weight: Weight; service: string | null };

/** Weight and service of the shipments with these tracking numbers that have a weight. */
export async function findWeighedParcels(
  ctx: Pick<Ctx, "orgId">,
  db: Queryable,
  trackingNumbers: string[],
): Promise<Map<string, WeighedParcel>> {
  const keys = new Map(trackingNumbers.map((trackingNumber) => [trackingNumber, trackingKeyOf(trackingNumber)]));
  const rows = keys.size === 0 ? [] : await store.listWeighed(db, ctx.orgId, [...new Set(keys.values())]);
  const byKey = new Map(rows.map(({ tracking_key, weight, service }) => [tracking_key, { weight, service }]));
  return new Map(
    [...keys].flatMap(([trackingNumber, key]) => {
      const parcel = byKey.get(key);
      return parcel ? [[trackingNumber, parcel] as const] : [];
    }),
  );
}

/** What is known about the parcels with these tracking numbers, by number; for the audit of invoices. */
export async function findAuditedShipments(
  ctx: Pick<Ctx, "orgId" | "db">,
  trackingNumbers: string[],
): Promise<Map<string, store.AuditedShipment>> {
  const keys = trackingNumbers.map(trackingKeyOf);
  const rows = keys.length === 0 ? [] : await store.listAudited(ctx.db, ctx.orgId, [...new Set(keys)]);
  const byKey = new Map(rows.map((row) => [row.trackingKey, row]));
  return new Map(
    trackingNumbers.flatMap((number, index) => {
      const found = byKey.get(keys[index]!);
      return found ? [[number, found] as const] : [];
    }),
  );
}

export async function getShipment(ctx: Ctx, id: string): Promise<ShipmentAnswer> {
  return presentTo(ctx, orNotFound("shipment", await store.findShipment(ctx.db, ctx.orgId, id)));
}

export async function listShipments(ctx: Ctx, query: ShipmentQuery): Promise<ShipmentPage> {
  const orderId = await findIdByRef(ctx, query.orderId);
  return await listShipmentsAcrossOrgs(ctx, ctx.orgId, { ...query, ...(orderId && { orderId }) });
}

/** `orgId` null: all organizations, for hub operators; each shipment has its `orgId`. */
export async function listShipmentsAcrossOrgs(ctx: Ctx, orgId: string | null, query: ShipmentQuery) {
  const now = ctx.clock.now().toISOString();
  const range = { limit: query.limit, offset: offsetOf(query) };
  const filter = readFilter(query);
  const [long, key] = [longLists(ctx), `${orgId} ${JSON.stringify(filter)}`];
  const found = await lists.listShipments(
    orgId === ctx.orgId ? ctx.db : ctx.db.acrossOrgs,
    orgId,
    filter,
    now,
    range,
    long.has(key),
  );
  if (found.totalIsCapped) long.add(key);
  return toCappedPage({ ...found, data: found.shipments.map((shipment) => presentTo(ctx, shipment)) }, query);
}

const rememberMs = 10_000;
const maxRemembered = 1_000;

/** Lists whose total was capped recently, so that it need not be counted again. */
const longLists = perWorld(({ clock }) => {
  const until = new Map<string, number>();
  const has = (key: string): boolean => (until.get(key) ?? 0) > clock.real().getTime();
  return {
    has,
    add(key: string): void {
      if (until.size >= maxRemembered) until.clear();
      if (!has(key)) until.set(key, clock.real().getTime() + rememberMs);
    },
  };
});

export async function countShipments(ctx: Ctx) {
  const now = ctx.clock.now().toISOString();
  const [rows, risks] = await Promise.all([
    stats.readStatusCounts(ctx.db, ctx.orgId),
    stats.countRisks(ctx.db, ctx.orgId, now),
  ]);
  const counted = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  const byStatus = Object.fromEntries(shipmentStatuses.map((status) => [status, counted[status] ?? 0]));
  const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  return { ...byStatus, at_risk: risks.total, total };
}

const timeFilters = ["created", "shipped", "delivered", "evaluated", "atRisk"].flatMap(
  (name) => [`${name}From`, `${name}To`] as ("createdFrom" | "shippedTo")[],
);

/** The query as a filter: times normalized to UTC, statuses as a list. */
function readFilter(query: ShipmentQuery): ShipmentFilter {
  const { status, statusNot, leftOut, page: _page, limit: _limit, ...filter } = query;
  if (leftOut !== undefined && filter.onTime !== undefined) {
    throw badField("query/leftOut", "contradiction", "Send either `leftOut` or `onTime`: what is left out is neither.");
  }
  for (const name of timeFilters) {
    if (filter[name] !== undefined) filter[name] = new Date(filter[name]).toISOString();
  }
  return {
    ...filter,
    ...(status === undefined ? {} : { status: splitNames(status) }),
    ...(statusNot === undefined ? {} : { statusNot: splitNames(statusNot) }),
    ...(leftOut === undefined ? {} : { leftOut: splitNames(leftOut) }),
  };
}
