import type { World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Hold, Order } from "./order.ts";
import { isOnHold } from "./order.ts";
import * as store from "./orders.store.ts";
import { saveChanges } from "./save-changes.ts";

const batchSize = 200;

/** Releases expired holds. Safe to run in several processes at once. */
export async function releaseDueHolds(world: World): Promise<number> {
  let released = 0;
  // Usually nothing is due: one query without a transaction.
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
    const isDue = (hold: Hold): boolean => isOver(hold, now);
    const edits = entries.map(({ order }) => ({ order, patch: { holds: order.holds.filter((one) => !isDue(one)) } }));
    const handlesOf = ({ holds }: Order): string[] => holds.filter(isDue).map(({ handle }) => handle);
    const dueIn = new Map(entries.map(({ order }) => [order.id, handlesOf(order)]));
    const { orders } = await saveChanges(tx, ctx, "hold_released", edits);
    recordEvents(
      tx,
      ctx,
      orders.map((order) => {
        const handles = dueIn.get(order.id) ?? [];
        const { number, version } = order;
        const data = { number, handles, onHold: isOnHold(order), version };
        return { type: "order.hold_released", objectId: order.id, data };
      }),
    );
  }
  return due.length;
}

function isOver({ until }: Hold, now: Date): boolean {
  return until !== null && Date.parse(until) <= now.getTime();
}
