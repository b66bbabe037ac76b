import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { concludeFulfillment, resolveRefs } from "../../orders/orders.ts";
import type { FulfillmentOutcome } from "../../orders/orders.ts";
import type { EffectRow } from "../attempt/effects.store.ts";
import { listEffects } from "../attempt/effects.store.ts";
import type { ExecutionRow } from "../executions.store.ts";

/**
 * An execution that handed orders to fulfilment has ended, however it ended: what is known about each order is told to
 * the order. The effects say what happened; an execution that never began has none.
 */
export async function concludeFollowUps(tx: Tx, world: World, ended: ExecutionRow[]): Promise<void> {
  for (const execution of ended) {
    if (execution.follow_up === null) continue;
    const { org_id, follow_up } = execution;
    // A retry may have named them by their numbers.
    const orderIds = [...new Set((await resolveRefs(tx, org_id, execution.input.orderIds as string[])).values())];
    const known = await listEffects(tx, execution, orderIds);
    // What was taken back, or handed over anew, since this chain has sent it is for others to conclude.
    const isOver = ({ isClosed, openedBy }: EffectRow): boolean => isClosed && openedBy === execution.effect_root;
    const over = new Set(known.filter(isOver).map(({ orderId }) => orderId));
    // Another closed one is of an earlier time at which they had the order.
    const effects = new Map(known.filter(({ isClosed }) => !isClosed).map((row) => [row.orderId, row]));
    const left = orderIds.filter((orderId) => !over.has(orderId));
    const outcomes = left.map((orderId): FulfillmentOutcome => {
      const effect = effects.get(orderId);
      return { orderId, status: outcomeOf(effect), message: effect?.error?.message ?? null };
    });
    const { request_id: requestId, cause } = execution;
    const ctx = { ...systemContext(world, org_id, "fulfilment"), requestId, cause: cause ?? undefined };
    await concludeFulfillment(tx, ctx, follow_up === "fulfillment_send" ? "send" : "recall", outcomes);
  }
}

function outcomeOf(effect: EffectRow | undefined): FulfillmentOutcome["status"] {
  if (effect === undefined || effect.status === "failed") return "refused";
  return effect.status === "intent" || effect.status === "unknown" ? "unknown" : "done";
}
