import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { statesBefore } from "../../../core/states.ts";
import { orderMoves } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";
import { Remark, withInternalNote } from "./order-notes.ts";

export const cancel = defineAction({
  type: "cancel",
  title: "Cancel",
  group: "workflow",
  description: "Cancels the order and records the reason. Does not notify other systems or issue a refund.",
  params: Strict({
    reason: OneOf(["customer", "fraud", "inventory", "declined", "duplicate", "staff", "other"]),
    note: Type.Optional(Remark),
  }),
  example: { reason: "customer", note: "Ordered the wrong size" },
  statuses: [...statesBefore(orderMoves, "cancelled"), "cancelled"],
  apply(order, { reason, note }, env) {
    if (order.status === "cancelled") return { patch: {} };
    const text = note === undefined ? `Cancelled: ${reason}` : `Cancelled: ${reason}: ${note}`;
    return { patch: { status: "cancelled", notes: withInternalNote(order, text, env) } };
  },
});
