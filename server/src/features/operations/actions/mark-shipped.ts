import { isDeepStrictEqual } from "node:util";
import { Type } from "../../../core/type.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { DateOrDateTime, Strict } from "../../../core/schema.ts";
import { toMoment } from "../../../core/time-zones.ts";
import type { Order, OrderShipment } from "../../orders/order.ts";
import { isAllShipped, isShippable, remainingOf } from "../../orders/order.ts";
import { shippableStatuses } from "../../orders/orders.states.ts";
import { trackingKeyOf } from "../../shipments/shipments.ts";
import type { Outcome } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import { LineItems, repeatedLineErrors, takingProblem } from "./order-lines.ts";
import { filledIn } from "../template-params.ts";
import { instantErrors, needOverrideFor } from "./param-rules.ts";

const Text = Type.String({ minLength: 1, maxLength: 100 });

export const markShipped = defineAction({
  type: "mark_shipped",
  title: "Mark as shipped",
  group: "fulfillment",
  description:
    "Records a shipment of all remaining items or of given quantities. Carrier and service default to those of " +
    "the order. The same tracking number and quantities are recorded once.",
  params: Strict({
    tracking_number: Type.Optional(filledIn(Text)),
    carrier: Type.Optional(Text),
    service: Type.Optional(Text),
    ship_date: Type.Optional({ ...DateOrDateTime, description: "Default: now" }),
    line_items: Type.Optional({ ...LineItems, description: "Default: all remaining items" }),
    override_holds: Type.Optional(
      Type.Boolean({ default: false, description: "Ship despite holds; requires operations:override" }),
    ),
  }),
  example: { tracking_number: "1Z999AA10123456784", carrier: "ups" },
  statuses: shippableStatuses,
  idempotent: false,
  blockedByHold: true,
  check(params, env) {
    return [
      ...instantErrors("/ship_date", params.ship_date, { ...env, notAfter: env.now }),
      ...repeatedLineErrors(params.line_items),
      ...needOverrideFor("/override_holds", params.override_holds, env),
    ];
  },
  apply(order, params, env) {
    const rest = remainingItems(order);
    if (rest.length === 0 && order.status === "shipped") return alreadyShipped(order, params.tracking_number);
    // Nothing of it is sent, such as a download.
    if (order.lines.length > 0 && !order.lines.some(isShippable)) return { patch: { status: "shipped" } };
    const items = params.line_items ?? rest;
    const shipment: OrderShipment = {
      id: env.newId(),
      trackingNumber: params.tracking_number ?? null,
      carrier: params.carrier ?? order.shipping.carrier ?? null,
      service: params.service ?? order.shipping.service ?? null,
      shippedAt: params.ship_date === undefined ? env.now : toMoment(params.ship_date, env.timeZone),
      lines: items.map(({ id, quantity }) => ({ lineId: id, quantity })),
    };
    if (isRecorded(order, shipment)) return { patch: {} };
    const problem = params.line_items && takingProblem(order, params.line_items);
    if (problem) return problem;
    if (order.shipments.length >= orderLimits.shipments) {
      return refuse("too_many_shipments", `An order has at most ${orderLimits.shipments} shipments.`);
    }
    const shipped = new Map(items.map(({ id, quantity }) => [id, quantity]));
    const lines = order.lines.map((line) => ({
      ...line,
      shippedQuantity: line.shippedQuantity + (shipped.get(line.id) ?? 0),
    }));
    const isAll = order.status === "shipped" || isAllShipped(lines);
    const status = isAll ? "shipped" : "partially_shipped";
    return { patch: { status, lines, shipments: [...order.shipments, shipment] } };
  },
});

/** Nothing is left to ship. A different tracking number does not correct the recorded one. */
function alreadyShipped({ shipments }: Order, trackingNumber: string | undefined): Outcome {
  const key = trackingNumber && trackingKeyOf(trackingNumber);
  const isKnown = shipments.some(({ trackingNumber: known }) => known !== null && trackingKeyOf(known) === key);
  if (key === undefined || isKnown) return { patch: {} };
  const message = `All items were already shipped under other tracking numbers than ${trackingNumber}. Use correct_tracking to change one.`;
  return { patch: {}, warning: { code: "already_shipped", message } };
}

function remainingItems(order: Order): { id: string; quantity: number }[] {
  return order.lines
    .map((line) => ({ id: line.id, quantity: remainingOf(line) }))
    .filter(({ quantity }) => quantity > 0);
}

function isRecorded(order: Order, { trackingNumber, lines }: OrderShipment): boolean {
  if (trackingNumber === null) return false;
  return order.shipments.some(
    (known) => known.trackingNumber === trackingNumber && isDeepStrictEqual(known.lines, lines),
  );
}
