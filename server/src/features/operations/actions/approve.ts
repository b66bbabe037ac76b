import { Type } from "../../../core/type.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { Remark, withInternalNote } from "./order-notes.ts";

export const approve = defineAction({
  type: "approve",
  title: "Approve",
  group: "workflow",
  description: "Ends the review and makes the order ready.",
  params: Strict({ note: Type.Optional(Remark) }),
  example: { note: "Spoke to the customer" },
  statuses: ["review_required", "ready"],
  apply(order, { note }, env) {
    if (order.status === "ready") return { patch: {} };
    const notes = note === undefined ? order.notes : withInternalNote(order, `Approved: ${note}`, env);
    return { patch: { status: "ready", notes } };
  },
});
