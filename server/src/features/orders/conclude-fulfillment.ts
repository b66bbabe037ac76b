import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { HistoryEntry } from "./order-history.store.ts";
import { insertChanges } from "./order-history.store.ts";
import { recordOrders } from "./order-events.ts";
import type { Hold, Order, OrderFields, OrderPatch } from "./order.ts";
import { changesOf, fulfillmentHold } from "./order.ts";
import * as store from "./orders.store.ts";

/** What became of an order that was handed to a fulfilment partner, or asked back. */
export type FulfillmentOutcome = { orderId: string; status: "done" | "refused" | "unknown"; message: string | null };

/** An order that the partner did not take is not sent: it becomes ready again, on hold until somebody has looked at it. */
export async function concludeFulfillment(
  tx: Tx,
  ctx: Ctx,
  what: "send" | "recall",
  outcomes: FulfillmentOutcome[],
): Promise<void> {
  const at = ctx.clock.now();
  const byId = new Map(outcomes.map((outcome) => [outcome.orderId, outcome]));
  const entries: HistoryEntry[] = [];
  const updated: Order[] = [];
  for (const order of await store.lockOrders(tx, ctx.orgId, [...byId.keys()])) {
    const patch = patchFor(ctx, what, order, byId.get(order.id)!, at.toISOString());
    const changes = changesOf(order, patch);
    if (changes.length === 0) continue;
    const next = { ...order, ...patch, version: order.version + 1 };
    updated.push(next);
    entries.push({ orderId: order.id, changes, version: next.version });
  }
  if (updated.length === 0) return;
  const fields: (keyof OrderFields)[] = ["status", "holds"];
  await store.updateOrders(tx, ctx.orgId, updated, fields, at.toISOString());
  await insertChanges(tx, ctx.orgId, entries, { ...ctx, kind: "fulfillment", at });
  await recordOrders(tx, ctx, { type: "orders.updated", source: "fulfillment", orders: updated, fields });
}

function patchFor(
  ctx: Ctx,
  what: "send" | "recall",
  order: Order,
  { status, message }: FulfillmentOutcome,
  placedAt: string,
): OrderPatch {
  const others = order.holds.filter((hold) => hold.handle !== fulfillmentHold);
  // A retry reached them after all.
  if (what === "send" && status === "done" && order.status === "ready" && others.length < order.holds.length) {
    return { status: "sent", holds: others };
  }
  // Somebody has moved it on meanwhile: what was found out then no longer matters.
  if (order.status !== "sent") return {};
  if (what === "recall") return status === "done" ? { status: "ready" } : {};
  if (status === "done") return {};
  const note =
    status === "refused"
      ? `Fulfilment did not take the order. ${message ?? ""}`.trim()
      : "Nobody knows whether fulfilment got the order. Look there: if they have it, release the hold; if not, set the " +
        "status back to ready and send it again.";
  // A retry that found out no more changes nothing.
  if (order.holds.some((hold) => hold.handle === fulfillmentHold && hold.note === note) && status === "unknown")
    return {};
  const hold: Hold = {
    id: ctx.newId(),
    handle: fulfillmentHold,
    reason: "other",
    note,
    until: null,
    source: "system",
    by: ctx.actor,
    placedAt,
  };
  const holds = [...others, hold];
  return status === "refused" ? { status: "ready", holds } : { holds };
}
