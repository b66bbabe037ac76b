import { cutText } from "../../core/cut-text.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordOrders } from "./order-events.ts";
import type { FieldChange } from "./order-changes.ts";
import type { Order, OrderEnv, OrderPatch } from "./order.ts";
import { orderEnv } from "./order.ts";
import { fulfillmentHold, moveProblem, newHold, withHold } from "./order-rules.ts";
import * as store from "./orders.store.ts";
import { saveChanges } from "./save-changes.ts";
import { isCallingOff, isOfSource } from "./source-rules.ts";

const maxNote = 1_000;

/** The result of sending an order to a fulfillment partner, or of recalling it. */
export type FulfillmentOutcome = { orderId: string; status: "done" | "refused" | "unknown"; message: string | null };

/** An order that the partner rejected becomes ready again, on hold until a user reviews it. */
export async function concludeFulfillment(
  tx: Tx,
  ctx: Ctx,
  what: "send" | "recall",
  outcomes: FulfillmentOutcome[],
): Promise<void> {
  const env = orderEnv(ctx);
  const byId = new Map(outcomes.map((outcome) => [outcome.orderId, outcome]));
  const orders = await store.lockOrders(tx, ctx.orgId, [...byId.keys()]);
  const edits = orders.map((order) => {
    const outcome = byId.get(order.id)!;
    return { order, patch: patchFor(env, what, order, outcome), kept: keptBy(what, order, outcome) };
  });
  const saved = await saveChanges(tx, ctx, "fulfillment", edits);
  recordOrders(tx, ctx, { type: "orders.updated", source: "fulfillment", ...saved });
}

/** Records in the timeline that the partner was asked and kept the order. */
function keptBy(what: "send" | "recall", order: Order, { status }: FulfillmentOutcome): FieldChange[] {
  if (what === "send" || status === "done" || order.status !== "sent") return [];
  return [{ path: "/status", from: "sent", to: "ready", keptLocal: true }];
}

function patchFor(
  env: OrderEnv,
  what: "send" | "recall",
  order: Order,
  { status, message }: FulfillmentOutcome,
): OrderPatch {
  const others = order.holds.filter((hold) => hold.handle !== fulfillmentHold);
  // A retry succeeded.
  if (what === "send" && status === "done" && order.status === "ready" && others.length < order.holds.length) {
    return { status: "sent", holds: others };
  }
  // The status was changed meanwhile: the result is obsolete.
  if (order.status !== "sent") return {};
  if (what === "recall") return afterRecall(order, status, message);
  if (status === "done") return {};
  const note =
    status === "refused"
      ? `The fulfillment partner did not accept the order. ${message ?? ""}`.trim()
      : "It is unknown whether the fulfillment partner received the order. Ask the partner: if it has the order, release the " +
        "hold; if not, set the status back to ready and send the order again.";
  // A retry with the same result changes nothing.
  if (order.holds.some((hold) => hold.handle === fulfillmentHold && hold.note === note) && status === "unknown")
    return {};
  const hold = newHold(env, { handle: fulfillmentHold, reason: "other", source: "system", note });
  const holds = withHold(order, hold);
  return status === "refused" ? { status: "ready", holds } : { holds };
}

/** An order that its source cancelled is cancelled once the partner has returned it. */
function afterRecall(order: Order, status: FulfillmentOutcome["status"], message: string | null): OrderPatch {
  const isWanted = order.holds.some(isCallingOff);
  if (status === "done") {
    const ready = { ...order, status: "ready" as const };
    if (!isWanted || moveProblem(ready, "cancelled")) return { status: "ready" };
    return { status: "cancelled", holds: order.holds.filter((hold) => !isOfSource(hold)) };
  }
  const answer =
    status === "refused"
      ? `The partner refused: ${message ?? "no reason given"}`
      : "The outcome at the partner is unknown.";
  const withAnswer = (note: string | null): string | null =>
    note?.endsWith(answer) ? note : cutText(`${note ?? ""} ${answer}`.trim(), maxNote);
  const holds = order.holds.map((hold) => (isCallingOff(hold) ? { ...hold, note: withAnswer(hold.note) } : hold));
  return isWanted ? { holds } : {};
}
