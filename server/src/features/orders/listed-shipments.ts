import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Order, OrderShipment } from "./order.ts";
import { hasShipped, isAllShipped, isShippable } from "./order.ts";
import type { Obstacle } from "./order-rules.ts";
import { moveProblem } from "./order-rules.ts";
import { lockOrders } from "./orders.store.ts";
import { saveChanges, saveOne } from "./save-changes.ts";

type Corrected = Omit<OrderShipment, "id" | "lines">;

/** Copies a corrected shipment to the order that lists it. The caller has locked the order. */
export async function correctListedShipment(
  tx: Tx,
  ctx: Ctx,
  order: Order,
  shipmentId: string,
  { trackingNumber, carrier, service, shippedAt }: Corrected,
): Promise<void> {
  const shipments = order.shipments.map((listed) =>
    listed.id === shipmentId ? { ...listed, trackingNumber, carrier, service, shippedAt } : listed,
  );
  await saveOne(tx, ctx, "shipment", { order, patch: { shipments } });
}

/**
 * Adds the parcel of a purchased label to the order and marks its items as shipped, whatever the order was waiting for. The
 * caller has locked the order. Returns the reason if the order cannot list the parcel.
 */
export async function listBoughtShipment(
  tx: Tx,
  ctx: Ctx,
  order: Order,
  { id, trackingNumber, carrier, service, shippedAt }: Omit<OrderShipment, "lines">,
  content: OrderShipment["lines"],
): Promise<Obstacle | undefined> {
  if (order.shipments.some((listed) => listed.id === id)) return undefined;
  const wanted = new Map(content.map(({ lineId, quantity }) => [lineId, quantity]));
  const counted = order.lines.filter(isShippable).flatMap(({ id: lineId, quantity: all, shippedQuantity }) => {
    const quantity = Math.min(wanted.get(lineId) ?? 0, all - shippedQuantity);
    return quantity > 0 ? [{ lineId, quantity }] : [];
  });
  const shipments = [...order.shipments, { id, trackingNumber, carrier, service, shippedAt, lines: counted }];
  const more = new Map(counted.map(({ lineId, quantity }) => [lineId, quantity]));
  const lines = order.lines.map((line) => ({
    ...line,
    shippedQuantity: line.shippedQuantity + (more.get(line.id) ?? 0),
  }));
  const isAll = order.status === "shipped" || isAllShipped(lines);
  const status = isAll ? ("shipped" as const) : ("partially_shipped" as const);
  const problem = moveProblem(order, status, { ignoresHolds: true, hasHappened: true });
  if (problem) return problem;
  await saveOne(tx, ctx, "shipment", { order, patch: { status, shipments, lines } });
  return undefined;
}

/** Removes a voided shipment: its items are unshipped again. */
export async function takeBackListedShipment(tx: Tx, ctx: Ctx, order: Order, shipmentId: string): Promise<void> {
  const voided = order.shipments.find(({ id }) => id === shipmentId);
  if (!voided) return;
  const shipments = order.shipments.filter(({ id }) => id !== shipmentId);
  const taken = new Map(voided.lines.map(({ lineId, quantity }) => [lineId, quantity]));
  const lines = order.lines.map((line) => ({
    ...line,
    shippedQuantity: Math.max(0, line.shippedQuantity - (taken.get(line.id) ?? 0)),
  }));
  const patch = { status: statusAfter(order, { shipments, lines }), shipments, lines };
  await saveOne(tx, ctx, "shipment", { order, patch });
}

function statusAfter(order: Order, left: Pick<Order, "shipments" | "lines">): Order["status"] {
  // Other statuses were set manually.
  if (order.status !== "shipped" && order.status !== "partially_shipped") return order.status;
  if (!hasShipped(left)) return "ready";
  return isAllShipped(left.lines) ? order.status : "partially_shipped";
}

/** Marks orders as delivered once all shipments arrived. Orders in other statuses are unchanged; holds do not prevent it. */
export async function markOrdersDelivered(tx: Tx, ctx: Ctx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const locked = await lockOrders(tx, ctx.orgId, ids);
  const arrived = locked.filter((order) => !moveProblem(order, "delivered", { ignoresHolds: true }));
  const edits = arrived.map((order) => ({ order, patch: { status: "delivered" as const } }));
  const { orders } = await saveChanges(tx, ctx, "delivered", edits);
  const toEvent = ({ id, number, version }: Order) =>
    ({ type: "order.delivered", objectId: id, data: { number, version } }) as const;
  recordEvents(tx, ctx, orders.map(toEvent));
}

/** Reverts a delivery that was reported by mistake: the order is shipped or partially shipped again. */
export async function takeBackDelivery(tx: Tx, ctx: Ctx, order: Order): Promise<void> {
  if (order.status !== "delivered") return;
  const isAll = order.lines.every(({ quantity, shippedQuantity }) => shippedQuantity >= quantity);
  const status = isAll ? ("shipped" as const) : ("partially_shipped" as const);
  await saveOne(tx, ctx, "shipment", { order, patch: { status } });
}
