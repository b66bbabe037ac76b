import { Type } from "../../../core/type.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { hasShipped } from "../../orders/order.ts";
import { Remark, withInternalNote } from "./order-notes.ts";

export const markUnshipped = defineAction({
  type: "mark_unshipped",
  title: "Mark as unshipped",
  group: "fulfillment",
  description: "Removes all shipments and makes the order ready. For orders marked as shipped by mistake.",
  params: Strict({ reason: Type.Optional(Remark) }),
  example: { reason: "Label was printed but not used" },
  statuses: ["shipped", "partially_shipped", "ready"],
  apply(order, { reason }, env) {
    if (order.status === "ready" && !hasShipped(order)) return { patch: {} };
    const notes = reason === undefined ? order.notes : withInternalNote(order, `Marked as unshipped: ${reason}`, env);
    const lines = order.lines.map((line) => ({ ...line, shippedQuantity: 0 }));
    return { patch: { status: "ready", lines, shipments: [], notes } };
  },
});
