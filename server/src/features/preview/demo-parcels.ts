import { createHash } from "node:crypto";
import type { Order } from "../orders/order.ts";
import type { TrackedParcel } from "../shipments/shipments.ts";
import type { EventStatus } from "../shipments/shipments.states.ts";

const hourMs = 3_600_000;
const hubs = ["Newark, NJ", "Columbus, OH", "Louisville, KY", "Memphis, TN", "Dallas, TX"];

/** Parcels of these orders with plausible tracking events up to now; deterministic. */
export function demoParcels(orders: Order[], now: number): TrackedParcel[] {
  return orders.flatMap((order) =>
    order.shipments.map((listed) => {
      const digest = createHash("sha256").update(listed.id).digest();
      const shipped = Date.parse(listed.shippedAt);
      const events = journey(order, digest, (now - shipped) / hourMs).map(([hours, status, description], i) => {
        const location = status === "delivered" ? order.shippingAddress?.city : hubs[(digest[6]! + i) % hubs.length];
        const at = new Date(shipped + hours * hourMs).toISOString();
        return { key: `demo-${i}`, at, status, description, ...(location === undefined ? {} : { location }) };
      });
      return { order, listed, events, cost: 8 + (digest[7]! % 120) / 10 };
    }),
  );
}

type Step = [afterHours: number, status: EventStatus, description: string];

/** Tracking events so far. Most parcels arrive on time, some late, some have an exception. */
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
  const problems: Step[] =
    roll < 12
      ? []
      : roll < 20
        ? [[26, "exception", "Damaged, will be repacked"]]
        : roll < 26
          ? [[34, "attempt_failed", "Recipient not available"]]
          : [[pace * 0.6, "in_transit", "Arrived at the facility"]];
  const none = roll >= 96 ? start.slice(0, 1) : [...start, ...problems];
  return none.filter(([hours]) => hours <= hoursSince);
}
