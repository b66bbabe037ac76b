import type { Queryable } from "../../../db/database.ts";
import type { ExecutionRow } from "../executions.store.ts";

/**
 * The next orders of the bridge with shipments that its shop may not know; a trigger on orders adds them when shipments change.
 * A rejected order is due again after a delay, or at once when the bridge was changed since.
 */
export async function listUnsent(
  db: Queryable,
  { org_id, bridge_id }: ExecutionRow,
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

/** An order, and the version of it that was sent. */
export type SentVersion = { orderId: string; version: number };

/**
 * Deletes `sent` orders unless their shipments changed after they were read, and delays `rejected` ones: five minutes at first, up to
 * a day. Reads its rows by primary key. A row that another transaction has locked is skipped, since that transaction makes it due.
 */
export async function settleUnsent(
  db: Queryable,
  { org_id, bridge_id }: ExecutionRow,
  { sent, rejected }: { sent: SentVersion[]; rejected: string[] },
  at: Date,
): Promise<void> {
  if (sent.length + rejected.length === 0) return;
  await db.query(
    `with locked as (
       select unsent.order_id
         from unsent_shipments unsent
        where unsent.org_id = $1
          and unsent.bridge_id = $2
          and unsent.order_id = any($3::uuid[] || $5::uuid[])
          for update skip locked
     ),
     deleted as (
       delete from unsent_shipments unsent
        using locked, unnest($3::uuid[], $4::integer[]) as sent (order_id, version)
        where unsent.order_id = locked.order_id
          and unsent.order_id = sent.order_id
          and unsent.order_version <= sent.version
     )
     update unsent_shipments unsent
        set tries = unsent.tries + 1,
            tried_at = $6,
            due_at = $6::timestamptz + least(interval '5 minutes' * 2 ^ least(unsent.tries, 10), interval '1 day')
       from locked
      where unsent.order_id = locked.order_id
        and unsent.order_id = any($5::uuid[])`,
    [org_id, bridge_id, sent.map(({ orderId }) => orderId), sent.map(({ version }) => version), rejected, at],
  );
}
