import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { concludeFulfillment, resolveRefs } from "../../orders/orders.ts";
import type { FulfillmentOutcome } from "../../orders/orders.ts";
import type { EffectRow } from "../attempt/effects.store.ts";
import { listEffects } from "../attempt/effects.store.ts";
import type { ExecutionRow } from "../executions.store.ts";

/**
 * Updates the orders of executions that sent them to fulfillment or recalled them, however the execution ended. The stored effects
 * decide the outcome per order; an execution that never started has none.
 */
export async function concludeFollowUps(tx: Tx, world: World, ended: ExecutionRow[]): Promise<void> {
  for (const execution of ended) {
    if (execution.follow_up === null) continue;
    const { org_id, follow_up } = execution;
    // A retry may name orders by number.
    const orderIds = [...new Set((await resolveRefs(tx, org_id, execution.input.orderIds as string[])).values())];
    const known = await listEffects(tx, execution, orderIds);
    // Orders that were recalled, or sent again, after this chain of retries sent them are concluded by that later execution.
    const isSuperseded = ({ isClosed, openedBy }: EffectRow): boolean => isClosed && openedBy === execution.effect_root;
    const superseded = new Set(known.filter(isSuperseded).map(({ orderId }) => orderId));
    // Other closed effects belong to an earlier hand-over of the order.
    const effects = new Map(known.filter(({ isClosed }) => !isClosed).map((row) => [row.orderId, row]));
    const concluded = orderIds.filter((orderId) => !superseded.has(orderId));
    const outcomes = concluded.map((orderId): FulfillmentOutcome => {
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
