import { moveProblem } from "../order-rules.ts";
import type { OrderStatus } from "../orders.states.ts";
import { openStatuses, orderStatuses } from "../orders.states.ts";
import type { SourceFact } from "../source-rules.ts";
import { conflictHandle, isCallingOff, isOfSource, sourceVerdict } from "../source-rules.ts";
import type { Work } from "./source-conflicts.ts";
import { drop, placeConflict, settle } from "./source-conflicts.ts";
import { digestOf } from "./source-snapshot.ts";

type Statement = { fact: SourceFact | "onward"; to: OrderStatus };

/** The new fact about the whole order, if any. */
function statementOf({ order, incoming, before }: Work): Statement | undefined {
  const { status } = incoming;
  const wasDeleted = before?.deleted === "yes";
  if (incoming.deleted) return wasDeleted ? undefined : { fact: "deleted", to: "cancelled" };
  const lastWas = (one: OrderStatus): boolean => before?.status === digestOf(order.id, "status", one);
  const isPaid =
    incoming.paymentStatus === "paid" && before?.paymentStatus !== digestOf(order.id, "paymentStatus", "paid");
  // The order was moved locally since: a repeated report does not revert that.
  const isNews = status !== undefined && (wasDeleted || !lastWas(status));
  if (!isNews) {
    const isWaiting = order.status === "awaiting_payment" && status !== "cancelled";
    return isPaid && isWaiting ? { fact: "paid", to: "ready" } : undefined;
  }
  if (status === "cancelled") return { fact: "cancelled", to: status };
  if (status === "partially_shipped") return { fact: "partly_fulfilled", to: status };
  if (status === "shipped") return { fact: "fulfilled", to: status };
  if (status === "delivered") return { fact: "delivered", to: status };
  if (lastWas("cancelled") || wasDeleted) {
    const isKept = status === "awaiting_payment" || status === "review_required" || status === "ready";
    const to = order.status !== "cancelled" ? order.status : isKept ? status : "new";
    return { fact: "reopened", to };
  }
  const isNoLongerWaiting = status === "new" || status === "review_required" || status === "ready";
  if (order.status === "awaiting_payment" && isNoLongerWaiting) {
    return { fact: "paid", to: status };
  }
  if (order.status === "cancelled" && isPaid) return { fact: "paid", to: "new" };
  return { fact: "onward", to: status };
}

const happened: readonly string[] = ["partly_fulfilled", "fulfilled", "delivered"];

export function followStatus(work: Work): void {
  const { order, incoming, before, canRecall, followed } = work;
  const { patch, snapshot } = followed;
  const statement = statementOf(work);
  const digest = incoming.status && digestOf(order.id, "status", incoming.status);
  const lastKept = before?.["status/kept"];
  if (incoming.deleted || before?.deleted !== undefined) snapshot.deleted = incoming.deleted ? "yes" : "no";
  if (digest !== undefined) snapshot.status = digest;
  if (!statement) return followMoney(work);
  const { fact, to } = statement;
  // A hold caused by the source does not block its own updates.
  const free = { ...order, holds: order.holds.filter((hold) => !isOfSource(hold)) };
  const problem = moveProblem(free, to, { hasHappened: happened.includes(fact) });
  const isBehind = orderStatuses.indexOf(to) <= orderStatuses.indexOf(order.status);
  if (fact === "onward") {
    // The table allows users to go back: a shop that still reports an order as ready must not cause a second shipment.
    if (!isBehind && !problem) patch.status = to;
    else if (!isBehind) delete snapshot.status;
    return followMoney(work);
  }
  const verdict = sourceVerdict(order.status, fact);
  // The order is already further.
  if (happened.includes(fact) && verdict === "apply" && isBehind) return followMoney(work);
  if (verdict === "recall") {
    followed.isRecalled = canRecall;
    const asked = canRecall ? "They were asked to give it back." : "They cannot be asked from here.";
    return placeConflict(work, fact, asked);
  }
  if (verdict === "apply" && !problem) {
    if (to !== order.status) patch.status = to;
    if (fact === "reopened") {
      drop(work, isCallingOff);
      followed.agreed.push("cancelled", "deleted");
    }
    if (to === "cancelled" || to === "shipped" || to === "delivered") drop(work, isOfSource);
    return followMoney(work);
  }
  const isOpen = openStatuses.includes(order.status);
  const isCallOff = fact === "cancelled" || fact === "deleted";
  if (verdict === "conflict" || (verdict === "apply" && isCallOff && isOpen)) placeConflict(work, fact);
  followed.kept.push("status");
  // An update blocked by a hold is retried with the next import and reported once.
  if (problem?.code === "on_hold" && digest !== undefined) {
    delete snapshot.status;
    snapshot["status/kept"] = digest;
  }
  if (digest === undefined || lastKept !== digest) followed.leftOut.set("status", { to, fact });
}

/** A refunded order needs review before shipping, unless it was cancelled. */
function followMoney(work: Work): void {
  const { order, incoming, before, followed } = work;
  if (incoming.paymentStatus === undefined || incoming.status === "cancelled" || incoming.deleted) return;
  const isNews = before?.paymentStatus !== digestOf(order.id, "paymentStatus", incoming.paymentStatus);
  if (!isNews || incoming.paymentStatus === order.paymentStatus) return;
  if (incoming.paymentStatus !== "refunded") return settle(work, conflictHandle("refunded"));
  if (sourceVerdict(followed.patch.status ?? order.status, "refunded") === "conflict") placeConflict(work, "refunded");
}
