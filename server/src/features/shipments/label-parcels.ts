import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import { isUuid } from "../../core/ids.ts";
import { toError } from "../../core/row-failure.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { OrderShipment } from "../orders/order.ts";
import type { Obstacle } from "../orders/order-rules.ts";
import { listBoughtShipment, lockOrders } from "../orders/orders.ts";
import { lockToChange, voidLocked } from "./change-shipment.ts";
import type { Prepared } from "./create-shipments.ts";
import { insertPrepared, prepareShipments, recordCreated } from "./create-shipments.ts";
import { deliverOrders } from "./deliver-orders.ts";
import { presentTo } from "./present-shipment.ts";
import { changed } from "./shipment-changes.ts";
import type { ParcelOfLabel } from "./shipment-fields.ts";
import { trackingKeyOf } from "./shipment.ts";
import type { ShipmentAnswer } from "./shipment-answers.schemas.ts";
import type { ShipmentRequest } from "./shipments.schemas.ts";
import * as store from "./shipments.store.ts";
import { keepCarrierData } from "./tracking/tracking-polls.store.ts";

/** Prepares the shipment of a purchased label, before the transaction in which it is recorded. */
export async function prepareParcel(ctx: Ctx, request: ShipmentRequest, label: ParcelOfLabel): Promise<Prepared> {
  return await prepareShipments(ctx, [request], "label", label);
}

/**
 * Records the shipment in the transaction of its label. A shipment that exists already, for example from a shop, is reused.
 * The order lists it with these lines; returns the obstacle if it cannot.
 */
export async function recordParcel(
  tx: Tx,
  ctx: Ctx,
  prepared: Prepared,
  { lines, carrierData }: { lines: OrderShipment["lines"]; carrierData: CarrierData | null },
): Promise<{ parcel: ShipmentAnswer; obstacle: Obstacle | undefined }> {
  const orderId = prepared.drafts[0]?.shipment.orderId ?? null;
  // Lock order: orders, then shipments.
  const [order] = orderId === null ? [] : await lockOrders(tx, ctx.orgId, [orderId]);
  const parcel = await insertOrFind(tx, ctx, prepared);
  if (carrierData !== null) await keepCarrierData(tx, ctx.orgId, parcel.id, carrierData);
  if (!order) return { parcel, obstacle: undefined };
  const obstacle = await listBoughtShipment(tx, ctx, order, parcel, lines);
  // A parcel that was delivered already will get no further event.
  if (parcel.status === "delivered") await deliverOrders(tx, ctx, [order.id]);
  return { parcel, obstacle };
}

async function insertOrFind(tx: Tx, ctx: Ctx, prepared: Prepared): Promise<ShipmentAnswer> {
  const [outcome] = await insertPrepared(tx, ctx, prepared);
  if (outcome && "shipment" in outcome) {
    recordCreated(tx, ctx, outcome.shipment);
    return presentTo(ctx, outcome.shipment);
  }
  const { failure } = outcome!;
  const known = failure.existingId === undefined ? undefined : await findParcel(tx, ctx, failure.existingId);
  if (!known) throw toError(failure);
  return known;
}

export async function findParcel(db: Queryable, ctx: Ctx, id: string): Promise<ShipmentAnswer | undefined> {
  const shipment = await store.findShipment(db, ctx.orgId, id);
  return shipment && presentTo(ctx, shipment);
}

/** Several parcels at once, without personal data. */
export async function findParcels(
  db: Queryable,
  ctx: Ctx,
  ids: string[],
): Promise<Pick<ShipmentAnswer, "id" | "acceptedAt" | "status" | "voidedAt">[]> {
  return await store.findShipments(db, ctx.orgId, ids);
}

/** In the transaction in which its label is voided. Delivered and returned parcels stay unchanged. */
export async function voidParcel(tx: Tx, ctx: Ctx, id: string): Promise<void> {
  const locked = await lockToChange(tx, ctx, id);
  const { status, voidedAt } = locked.before;
  if (voidedAt === null && status !== "delivered" && status !== "returned") await voidLocked(tx, ctx, locked);
}

/** The shipments with these tracking numbers, and the labels that their metadata names. */
export async function findLabelIds(
  db: Queryable,
  orgId: string,
  trackingNumbers: string[],
): Promise<{ shipmentId: string; labelId: string | null }[]> {
  const rows = await store.listLabelIds(db, orgId, [...new Set(trackingNumbers.map(trackingKeyOf))]);
  return rows.map(({ shipmentId, labelId }) => ({
    shipmentId,
    labelId: labelId !== null && isUuid(labelId) ? labelId : null,
  }));
}

/** The carrier corrected the price of the label. A cost that a user has changed stays. */
export async function correctParcelCost(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { from, to, currency }: { from: number; to: number; currency: string },
): Promise<void> {
  const { before } = await lockToChange(tx, ctx, id);
  if (before.cost !== from || before.currency !== currency || from === to) return;
  const { after } = changed(before, { cost: to }, ctx.clock.now().toISOString());
  await store.updateShipments(tx, ctx.orgId, [after]);
  const data = { trackingNumber: after.trackingNumber, fields: ["cost"], version: after.version };
  recordEvent(tx, ctx, { type: "shipment.updated", objectId: id, data });
}
