import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import { moveProblem } from "./order-rules.ts";
import * as store from "./orders.store.ts";
import { saveChanges } from "./save-changes.ts";

/** Everything of these orders has arrived. Those that cannot become delivered stay as they are; holds are no obstacle. */
export async function markOrdersDelivered(tx: Tx, ctx: Ctx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const locked = await store.lockOrders(tx, ctx.orgId, ids);
  const arrived = locked.filter((order) => !moveProblem(order, "delivered", { ignoresHolds: true }));
  const edits = arrived.map((order) => ({ order, patch: { status: "delivered" as const } }));
  const { orders } = await saveChanges(tx, ctx, "delivered", edits);
  await recordEvents(
    tx,
    ctx,
    orders.map(({ id, number, version }) => ({ type: "order.delivered", objectId: id, data: { number, version } })),
  );
}
