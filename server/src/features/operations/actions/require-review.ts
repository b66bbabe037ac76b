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
  group: "flow",
  description: "Somebody has to approve the order before it goes on; with an assignee, that person.",
  params: Strict({
    reason: Type.Optional(Remark),
    assignee: Type.Optional({ ...Id, description: "The id of a user" }),
  }),
  example: { reason: "First order over 1,000" },
  statuses: [...statesBefore(orderMoves, "review_required"), "review_required"],
  refers: ({ assignee: id }) => (id === undefined ? [] : [{ kind: "user", id, param: "assignee" }]),
  apply(order, { reason, assignee }, env) {
    const patch: OrderPatch = assignee === undefined ? {} : { assigneeId: assignee.toLowerCase() };
    if (order.status === "review_required") return { patch };
    const notes = reason === undefined ? order.notes : withInternalNote(order, `Review required: ${reason}`, env);
    return { patch: { ...patch, status: "review_required", notes } };
  },
});
