import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { canMove } from "../../../core/states.ts";
import type { Order, OrderPatch } from "../../orders/order.ts";
import { isOnHold } from "../../orders/order.ts";
import type { OrderStatus } from "../../orders/orders.states.ts";
import { orderMoves, orderStatuses } from "../../orders/orders.states.ts";
import type { Outcome } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import { Remark, withInternalNote } from "./order-notes.ts";
import { needOverrideFor } from "./param-rules.ts";
import { moveProblem } from "./status-rules.ts";

const onTheWay: readonly OrderStatus[] = ["sent", "partially_shipped", "shipped", "delivered"];

export const setStatus = defineAction({
  type: "set_status",
  title: "Set the status",
  group: "flow",
  description:
    "Gives the order another status, along the allowed moves; nothing else follows from it. " +
    "`force` allows every move and needs operations:override.",
  params: Strict({
    status: OneOf(orderStatuses),
    reason: Type.Optional(Remark),
    force: Type.Optional(Type.Boolean({ default: false })),
  }),
  example: { status: "ready", reason: "Checked by hand" },
  statuses: "any",
  effect: "local",
  reversible: true,
  idempotent: true,
  check: ({ force }, env) => needOverrideFor("/force", force, env),
  apply(order, { status, reason, force }, env) {
    if (status === order.status) return { patch: {} };
    const problem = force === true ? mergedProblem(order, status) : unforcedProblem(order, status);
    if (problem) return problem;
    const patch: OrderPatch = { status };
    if (reason !== undefined) patch.notes = withInternalNote(order, `Status set to ${status}: ${reason}`, env);
    if (status === "sent" || !onTheWay.includes(status) || order.shipments.length > 0) return { patch };
    const message = "No shipment is recorded for this order; mark_shipped does that.";
    return { patch, warning: { code: "no_shipment", message } };
  },
});

function unforcedProblem(order: Order, to: OrderStatus): Outcome | undefined {
  if (!canMove(orderMoves, order.status, to)) {
    const allowed = orderMoves[order.status];
    const fix = allowed.length === 0 ? "This status is final." : `From here it may become ${allowed.join(", ")}.`;
    return refuse("invalid_state", `An order that is ${order.status} cannot become ${to}.`, fix);
  }
  const problem = moveProblem(order, to);
  if (problem) return problem;
  if (onTheWay.includes(to) && isOnHold(order)) {
    return refuse("on_hold", "The order is on hold.", "Release the hold first.");
  }
  return undefined;
}

/** Not even by force: the goods would be shipped twice. */
function mergedProblem(order: Order, to: OrderStatus): Outcome | undefined {
  return order.mergedIntoId === null ? undefined : moveProblem(order, to);
}
