import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Order, OrderShipment } from "../orders/order.ts";
import { toShipment } from "./order-shipments.ts";
import { addToStats } from "./shipment-stats.store.ts";
import { toEvent } from "./shipment-fields.ts";
import type { Shipment } from "./shipment.ts";
import { derive } from "./shipment.ts";
import type { EventStatus } from "./shipments.states.ts";
import { insertShipments } from "./shipments.store.ts";
import { mergeEvents } from "./tracking/tracking.ts";

const hourMs = 3_600_000;
const hubs = ["Newark, NJ", "Columbus, OH", "Louisville, KY", "Memphis, TN", "Dallas, TX"];

/** The parcels of the preview's orders, each with a believable journey up to now; the same at every first start. */
export async function seedShipments(tx: Tx, ctx: Ctx, orders: Order[]): Promise<number> {
  const now = ctx.clock.real().toISOString();
  const shipments = orders.flatMap((order) => order.shipments.map((listed) => makeShipment(order, listed, now)));
  const inserted = await insertShipments(tx, ctx.orgId, shipments);
  await addToStats(
    tx,
    ctx.orgId,
    shipments.filter(({ id }) => inserted.has(id)).map((after) => ({ after })),
  );
  return inserted.size;
}

type Step = [afterHours: number, status: EventStatus, description: string];

function makeShipment(order: Order, listed: OrderShipment, now: string): Shipment {
  const shipment = toShipment(order, listed, now);
  const digest = createHash("sha256").update(listed.id).digest();
  const shipped = Date.parse(listed.shippedAt);
  const events = journey(order, digest, (Date.parse(now) - shipped) / hourMs).map(([hours, status, description], i) => {
    const location = status === "delivered" ? order.shippingAddress?.city : hubs[(digest[6]! + i) % hubs.length];
    const at = new Date(shipped + hours * hourMs).toISOString();
    return toEvent({ key: `demo-${i}`, at, status, description, ...(location === undefined ? {} : { location }) });
  });
  const createdAt = listed.shippedAt < now ? listed.shippedAt : now;
  const cost = 8 + (digest[7]! % 120) / 10;
  const facts = { ...shipment, source: "demo" as const, cost, events: mergeEvents([], events).events, createdAt };
  return derive({ ...facts, updatedAt: createdAt }, now);
}

/** What has happened by now. Most arrive in time, some late, and some meet trouble. */
function journey({ status }: Order, digest: Buffer, hoursSince: number): Step[] {
  const roll = digest[0]! % 100;
  const pace = 30 + (digest[1]! % 60);
  const isLate = roll < 9;
  const arrival = Math.min(pace + (isLate ? 90 : 0), hoursSince - 1);
  const start: Step[] = [
    [0, "pre_transit", "Label created"],
    [5, "picked_up", "Picked up"],
    [14, "in_transit", "Departed the facility"],
  ];
  const rest: Step[] = [
    [pace * 0.6, "in_transit", "Arrived at the facility"],
    [arrival - 6, "out_for_delivery", "Out for delivery"],
  ];
  if (status === "delivered") {
    const plan: Step[] = [...start, ...rest, [arrival, "delivered", "Delivered, left at the door"]];
    return plan.filter(([hours]) => hours >= 0 && hours <= arrival);
  }
  const trouble: Step[] =
    roll < 12
      ? []
      : roll < 20
        ? [[26, "exception", "Damaged, will be repacked"]]
        : roll < 26
          ? [[34, "attempt_failed", "Nobody was there to take it"]]
          : [[pace * 0.6, "in_transit", "Arrived at the facility"]];
  const none = roll >= 96 ? start.slice(0, 1) : [...start, ...trouble];
  return none.filter(([hours]) => hours <= hoursSince);
}
