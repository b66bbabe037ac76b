import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { OrderPatch } from "../../orders/order.ts";
import { onTheWay, orderStatuses } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";
import { Remark, withInternalNote } from "./order-notes.ts";
import { needOverrideFor } from "./param-rules.ts";

export const setStatus = defineAction({
  type: "set_status",
  title: "Set status",
  group: "workflow",
  description:
    "Moves the order to another status along allowed transitions, without side effects. `force` allows any " +
    "transition and requires operations:override.",
  params: Strict({
    status: OneOf(orderStatuses),
    reason: Type.Optional(Remark),
    force: Type.Optional(Type.Boolean({ default: false })),
  }),
  example: { status: "ready", reason: "Checked by hand" },
  check: ({ force }, env) => needOverrideFor("/force", force, env),
  apply(order, { status, reason }, env) {
    if (status === order.status) return { patch: {} };
    const patch: OrderPatch = { status };
    if (reason !== undefined) patch.notes = withInternalNote(order, `Status set to ${status}: ${reason}`, env);
    if (status === "sent" || !onTheWay.includes(status) || order.shipments.length > 0) return { patch };
    const message = "The order has no shipment; use mark_shipped to record one.";
    return { patch, warning: { code: "no_shipment", message } };
  },
});
