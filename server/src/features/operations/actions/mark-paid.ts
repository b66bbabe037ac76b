import { Type } from "../../../core/type.ts";
import { DateOrDateTime, Strict } from "../../../core/schema.ts";
import { toMoment } from "../../../core/time-zones.ts";
import type { OrderPatch } from "../../orders/order.ts";
import { orderStatuses } from "../../orders/orders.states.ts";
import { defineAction, refuse } from "../action.ts";
import { instantErrors } from "./param-rules.ts";
import { withInternalNote } from "./order-notes.ts";

export const markPaid = defineAction({
  type: "mark_paid",
  title: "Mark as paid",
  group: "payment",
  description:
    "Records payment; an order awaiting payment becomes ready. Payment details are saved as an internal note. No " +
    "money is moved.",
  params: Strict({
    method: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    paid_at: Type.Optional(DateOrDateTime),
  }),
  example: { method: "bank transfer", reference: "4711" },
  statuses: orderStatuses.filter((status) => status !== "cancelled"),
  check: ({ paid_at: paidAt }, env) => instantErrors("/paid_at", paidAt, { ...env, notAfter: env.now }),
  apply(order, { method, reference, paid_at: paidAt }, env) {
    if (order.paymentStatus === "refunded" || order.paymentStatus === "partially_refunded") {
      return refuse(
        "invalid_payment_status",
        `The order is ${order.paymentStatus}; marking it as paid would lose that.`,
      );
    }
    const patch: OrderPatch = { paymentStatus: "paid" };
    if (order.status === "awaiting_payment") patch.status = "ready";
    const isNew = order.paymentStatus !== "paid";
    if (isNew && (method !== undefined || reference !== undefined || paidAt !== undefined)) {
      const parts = [
        "Paid",
        method && `by ${method}`,
        paidAt && `at ${toMoment(paidAt, env.timeZone)}`,
        reference && `(${reference})`,
      ];
      patch.notes = withInternalNote(order, parts.filter(Boolean).join(" "), env);
    }
    return { patch };
  },
});
