import type { Queryable } from "../../../db/database.ts";
import type { ExecutionRow } from "../executions.store.ts";

/**
 * The next orders of the bridge with shipments that its shop may not know; the database notes them down when shipments
 * change. What was refused is due again after a while, and at once when the bridge was changed since.
 */
export async function listUnsent(
  db: Queryable,
  { org_id, bridge_id }: ExecutionRow,
  { after, limit, at }: { after: string; limit: number; at: Date },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select u.order_id as id from unsent_shipments u
      where u.org_id = $1 and u.bridge_id = $2 and u.order_id > $3
        and (u.due_at <= $4 or u.tried_at < (select b.updated_at from bridges b where b.id = $2))
      order by u.order_id limit $5`,
    [org_id, bridge_id, after, at, limit],
  );
  return rows.map(({ id }) => id);
}

export type Told = { orderId: string; version: number };

/**
 * `told` need not be looked at again, unless their shipments were changed since they were read; `refused` wait for five
 * minutes at first and for a day in the end. Whoever changes one at this moment has the last word.
 */
export async function settleUnsent(
  db: Queryable,
  { org_id, bridge_id }: ExecutionRow,
  { told, refused }: { told: Told[]; refused: string[] },
  at: Date,
): Promise<void> {
  if (told.length + refused.length === 0) return;
  await db.query(
    `with mine as (
       select u.order_id from unsent_shipments u
        where u.org_id = $1 and u.bridge_id = $2 and u.order_id = any($3::uuid[] || $5::uuid[]) for update skip locked),
     gone as (
       delete from unsent_shipments u using mine, unnest($3::uuid[], $4::integer[]) as t (order_id, version)
        where u.order_id = mine.order_id and u.order_id = t.order_id and u.order_version <= t.version)
     update unsent_shipments u set tries = u.tries + 1, tried_at = $6,
            due_at = $6::timestamptz + least(interval '5 minutes' * 2 ^ least(u.tries, 10), interval '1 day')
       from mine where u.order_id = mine.order_id and u.order_id = any($5::uuid[])`,
    [org_id, bridge_id, told.map(({ orderId }) => orderId), told.map(({ version }) => version), refused, at],
  );
}
