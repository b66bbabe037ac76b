import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { statesBefore } from "../../../core/states.ts";
import type { OrderPatch } from "../../orders/order.ts";
import { orderMoves } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";
import { Remark, withInternalNote } from "./order-notes.ts";

export const requireReview = defineAction({
  type: "require_review",
  title: "Require review",
  group: "workflow",
  description: "Requires approval before the order can proceed, optionally by an assigned user.",
  params: Strict({
    reason: Type.Optional(Remark),
    assignee_id: Type.Optional({ ...Id, description: "ID of the user who reviews the order" }),
  }),
  example: { reason: "First order over 1,000" },
  statuses: [...statesBefore(orderMoves, "review_required"), "review_required"],
  refers: ({ assignee_id: id }) => (id === undefined ? [] : [{ kind: "user", id, param: "assignee_id" }]),
  apply(order, { reason, assignee_id: assignee }, env) {
    const patch: OrderPatch = assignee === undefined ? {} : { assigneeId: assignee.toLowerCase() };
    if (order.status === "review_required") return { patch };
    const notes = reason === undefined ? order.notes : withInternalNote(order, `Review required: ${reason}`, env);
    return { patch: { ...patch, status: "review_required", notes } };
  },
});
