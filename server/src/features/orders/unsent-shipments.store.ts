import { isDeepStrictEqual } from "node:util";
import type { Queryable, Tx } from "../../db/database.ts";
import type { OrderMove } from "./list/order-index.store.ts";

/**
 * Queues the orders of bridges whose shipments changed, so that the next fulfillments.push of the bridge sends them. A later
 * change starts over: it resets the retries and raises the version that the push has to have read. `at`: the time of the
 * update, for orders that existed before.
 */
export function queueUnsentShipments(tx: Tx, orgId: string, moves: readonly OrderMove[], at?: string): void {
  const changed = moves.filter(({ before, after }) => {
    if (after.bridgeId === null || after.shipments.length === 0) return false;
    return !before || before.bridgeId !== after.bridgeId || !isDeepStrictEqual(before.shipments, after.shipments);
  });
  if (changed.length === 0) return;
  const orders = changed.map(({ after }) => after);
  tx.queue(
    `insert into unsent_shipments (order_id, org_id, bridge_id, order_version, due_at)
     select id, $1, bridge_id, version, updated_at
       from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::timestamptz[]) as changed (id, bridge_id, version, updated_at)
     on conflict (order_id) do update
        set bridge_id = excluded.bridge_id,
            order_version = excluded.order_version,
            due_at = excluded.due_at,
            tries = 0,
            tried_at = null`,
    [
      orgId,
      orders.map(({ id }) => id),
      orders.map(({ bridgeId }) => bridgeId),
      orders.map(({ version }) => version),
      orders.map(({ updatedAt }) => at ?? updatedAt),
    ],
  );
}

type OfBridge = { org_id: string; bridge_id: string };

/**
 * The next orders of the bridge with shipments that its shop may not have. A rejected order is due again after its backoff,
 * or at once if the bridge was changed since.
 */
export async function listUnsent(
  db: Queryable,
  { org_id, bridge_id }: OfBridge,
  { after, limit, at }: { after: string; limit: number; at: Date },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select unsent.order_id as id
       from unsent_shipments unsent
      where unsent.org_id = $1
        and unsent.bridge_id = $2
        and unsent.order_id > $3
        and (unsent.due_at <= $4 or unsent.tried_at < (select bridge.updated_at from bridges bridge where bridge.id = $2))
      order by unsent.order_id
      limit $5`,
    [org_id, bridge_id, after, at, limit],
  );
  return rows.map(({ id }) => id);
}

export type SentOrder = { orderId: string; version: number };

/**
 * Removes `sent` orders from the queue, unless their shipments changed after they were read. `rejected` orders wait for five
 * minutes at first and for a day in the end. Rows that are being changed right now are skipped: the change decides.
 */
export async function settleUnsent(
  db: Queryable,
  { org_id, bridge_id }: OfBridge,
  { sent, rejected }: { sent: SentOrder[]; rejected: string[] },
  at: Date,
): Promise<void> {
  if (sent.length + rejected.length === 0) return;
  // By the index unsent_shipments_by_bridge; one statement, so that a row is locked before it is deleted or updated.
  await db.query(
    `with mine as (
       select unsent.order_id
         from unsent_shipments unsent
        where unsent.org_id = $1
          and unsent.bridge_id = $2
          and unsent.order_id = any($3::uuid[] || $5::uuid[])
          for update skip locked),
     removed as (
       delete from unsent_shipments unsent
        using mine, unnest($3::uuid[], $4::integer[]) as sent (order_id, version)
        where unsent.order_id = mine.order_id
          and unsent.order_id = sent.order_id
          and unsent.order_version <= sent.version)
     update unsent_shipments unsent
        set tries = unsent.tries + 1,
            tried_at = $6,
            due_at = $6::timestamptz + least(interval '5 minutes' * 2 ^ least(unsent.tries, 10), interval '1 day')
       from mine
      where unsent.order_id = mine.order_id
        and unsent.order_id = any($5::uuid[])`,
    [org_id, bridge_id, sent.map(({ orderId }) => orderId), sent.map(({ version }) => version), rejected, at],
  );
}
