import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { concludeFulfillment, resolveRefs } from "../../orders/orders.ts";
import type { FulfillmentOutcome } from "../../orders/orders.ts";
import { listEffects } from "../attempt/effects.store.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { keyOf } from "../attempt/run-push.ts";

/**
 * An execution that handed orders to fulfilment has ended, however it ended: what is known about each order is told to
 * the order. The effects say what happened; an execution that never began has none.
 */
export async function concludeFollowUps(tx: Tx, world: World, ended: ExecutionRow[]): Promise<void> {
  for (const execution of ended) {
    if (execution.follow_up === null) continue;
    const { org_id, effect_root, task_name, follow_up } = execution;
    // A retry may have named them by their numbers.
    const orderIds = new Set((await resolveRefs(tx, org_id, execution.input.orderIds as string[])).values());
    const keys = new Map([...orderIds].map((id) => [keyOf(effect_root, task_name, id), id]));
    const effects = new Map((await listEffects(tx, org_id, [...keys.keys()])).map((row) => [row.effect_key, row]));
    const outcomes = [...keys].map(([key, orderId]): FulfillmentOutcome => {
      const effect = effects.get(key);
      const status =
        effect === undefined || effect.status === "failed" ? "refused" : effect.status === "done" ? "done" : "unknown";
      return { orderId, status, message: effect?.error?.message ?? null };
    });
    const ctx = { ...systemContext(world, org_id, "fulfilment"), requestId: execution.request_id };
    await concludeFulfillment(tx, ctx, follow_up === "fulfillment_send" ? "send" : "recall", outcomes);
  }
}
