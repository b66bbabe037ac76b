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

/** What became of an order that was handed to a fulfilment partner, or asked back. */
export type FulfillmentOutcome = { orderId: string; status: "done" | "refused" | "unknown"; message: string | null };

/** An order that the partner did not take is not sent: it becomes ready again, on hold until somebody has looked at it. */
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

/** That they were asked, and the order is still theirs, is part of its history. */
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
  // A retry reached them after all.
  if (what === "send" && status === "done" && order.status === "ready" && others.length < order.holds.length) {
    return { status: "sent", holds: others };
  }
  // Somebody has moved it on meanwhile: what was found out then no longer matters.
  if (order.status !== "sent") return {};
  if (what === "recall") return afterRecall(order, status, message);
  if (status === "done") return {};
  const note =
    status === "refused"
      ? `Fulfilment did not take the order. ${message ?? ""}`.trim()
      : "Nobody knows whether fulfilment got the order. Look there: if they have it, release the hold; if not, set the " +
        "status back to ready and send it again.";
  // A retry that found out no more changes nothing.
  if (order.holds.some((hold) => hold.handle === fulfillmentHold && hold.note === note) && status === "unknown")
    return {};
  const hold = newHold(env, { handle: fulfillmentHold, reason: "other", source: "system", note });
  const holds = withHold(order, hold);
  return status === "refused" ? { status: "ready", holds } : { holds };
}

/** What its source called off is called off as soon as the partner has given it back. */
function afterRecall(order: Order, status: FulfillmentOutcome["status"], message: string | null): OrderPatch {
  const isWanted = order.holds.some(isCallingOff);
  if (status === "done") {
    const ready = { ...order, status: "ready" as const };
    if (!isWanted || moveProblem(ready, "cancelled")) return { status: "ready" };
    return { status: "cancelled", holds: order.holds.filter((hold) => !isOfSource(hold)) };
  }
  const answer = status === "refused" ? `They refused: ${message ?? "no reason given"}` : "Nobody knows what they did.";
  const withAnswer = (note: string | null): string | null =>
    note?.endsWith(answer) ? note : cutText(`${note ?? ""} ${answer}`.trim(), maxNote);
  const holds = order.holds.map((hold) => (isCallingOff(hold) ? { ...hold, note: withAnswer(hold.note) } : hold));
  return isWanted ? { holds } : {};
}
