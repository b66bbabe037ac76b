import type { World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import { insertChanges } from "./order-history.store.ts";
import type { Hold, Order } from "./order.ts";
import { changesOf } from "./order.ts";
import * as store from "./orders.store.ts";

const batchSize = 200;

/** Ends the holds whose time has come. Any number of processes may do it at once; each order is released by one. */
export async function releaseDueHolds(world: World): Promise<number> {
  let released = 0;
  // Mostly in vain: one look, without a transaction.
  if (!(await store.hasDueHoldsAcrossOrgs(world.db, world.clock.now()))) return 0;
  for (;;) {
    const count = await world.db.transaction((tx) => releaseBatch(tx, world));
    released += count;
    if (count < batchSize) return released;
  }
}

async function releaseBatch(tx: Tx, world: World): Promise<number> {
  const now = world.clock.now();
  const due = await store.lockDueHoldsAcrossOrgs(tx, now, batchSize);
  for (const [orgId, entries] of Map.groupBy(due, (entry) => entry.orgId)) {
    const ctx = systemContext(world, orgId, "timed holds");
    const orders = entries.map(({ order }) => order);
    const [updated, history] = [[] as Order[], []] as [Order[], Parameters<typeof insertChanges>[2]];
    for (const order of orders) {
      const holds = order.holds.filter((hold) => !isOver(hold, now));
      updated.push({ ...order, holds, version: order.version + 1 });
      history.push({ orderId: order.id, changes: changesOf(order, { holds }), version: order.version + 1 });
    }
    await store.updateOrders(tx, orgId, updated, ["holds"], now.toISOString());
    await insertChanges(tx, orgId, history, { ...ctx, kind: "hold_released", at: now });
    await recordEvents(
      tx,
      ctx,
      orders.map(({ id, number, version, holds }) => {
        const handles = holds.filter((hold) => isOver(hold, now)).map(({ handle }) => handle);
        const data = { number, handles, onHold: holds.length > handles.length, version: version + 1 };
        return { type: "order.hold_released", objectId: id, data };
      }),
    );
  }
  return due.length;
}

function isOver({ until }: Hold, now: Date): boolean {
  return until !== null && Date.parse(until) <= now.getTime();
}
