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
  group: "money",
  description:
    "Records that the order is paid; one that waits for payment becomes ready. " +
    "Method, reference and time are kept in an internal note. No money is moved.",
  params: Strict({
    method: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    at: Type.Optional(DateOrDateTime),
  }),
  example: { method: "bank transfer", reference: "4711" },
  statuses: orderStatuses.filter((status) => status !== "cancelled"),
  check: ({ at }, env) => instantErrors("/at", at, { ...env, notAfter: env.now }),
  apply(order, { method, reference, at }, env) {
    if (order.paymentStatus === "refunded" || order.paymentStatus === "partially_refunded") {
      return refuse("invalid_payment_status", `The order is ${order.paymentStatus}; that would be lost.`);
    }
    const patch: OrderPatch = { paymentStatus: "paid" };
    if (order.status === "awaiting_payment") patch.status = "ready";
    const isNew = order.paymentStatus !== "paid";
    if (isNew && (method !== undefined || reference !== undefined || at !== undefined)) {
      const parts = [
        "Paid",
        method && `by ${method}`,
        at && `at ${toMoment(at, env.timeZone)}`,
        reference && `(${reference})`,
      ];
      patch.notes = withInternalNote(order, parts.filter(Boolean).join(" "), env);
    }
    return { patch };
  },
});
