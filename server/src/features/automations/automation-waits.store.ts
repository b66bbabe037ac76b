import type { Queryable, Tx } from "../../db/database.ts";
import { orderTypes } from "./trigger-types.ts";

const orderTypesArray = `array[${orderTypes.map((type) => `'${type}'`).join(", ")}]`;

/** An order has waited long enough, or an order has changed while others wait. */
export const readyWaits = (now: string): string => `(t.wait is not null
  and exists (select from automation_waits w where w.automation_id = t.id)
  and (exists (select from automation_waits w where w.automation_id = t.id and w.due_at <= ${now})
    or exists (select from unnest(${orderTypesArray}) as changed (type), lateral (
         select from events e
          where e.org_id = t.org_id and e.type = changed.type and e.sequence > t.wait_cursor limit 1) n)))`;

export type WaitRow = {
  id: string;
  order_id: string;
  sequence: number;
  automation_path: string[];
  since: Date;
  ends_at: Date;
};

export type NewWait = Omit<WaitRow, "id"> & { id: string; due_at: Date };

/**
 * An order that waits already keeps its wait. Changes of orders after `head`, which was read before the orders, are compared with the
 * waiting ones; if others wait already, their cursor goes on.
 */
export async function insertWaits(
  tx: Tx,
  orgId: string,
  automationId: string,
  waits: NewWait[],
  head: number,
): Promise<void> {
  await tx.query(
    `update automations set wait_cursor = $3
      where org_id = $1 and id = $2 and not exists (select from automation_waits w where w.automation_id = $2)`,
    [orgId, automationId, head],
  );
  await tx.query(
    `insert into automation_waits (id, org_id, automation_id, order_id, sequence, automation_path, since, ends_at, due_at)
     select u.id, $1, $2, u.order_id, u.sequence, u.automation_path, u.since, u.ends_at, u.due_at
       from jsonb_to_recordset($3::jsonb) as u (id uuid, order_id uuid, sequence bigint, automation_path uuid[],
         since timestamptz, ends_at timestamptz, due_at timestamptz)
     on conflict (automation_id, order_id) do nothing`,
    [orgId, automationId, JSON.stringify(waits)],
  );
}

export async function hasWaits(db: Queryable, orgId: string, automationId: string): Promise<boolean> {
  const rows = await db.query("select from automation_waits where org_id = $1 and automation_id = $2 limit 1", [
    orgId,
    automationId,
  ]);
  return rows.length > 0;
}

/** Makes the waits of changed orders due now, and remembers up to which event that was done. */
export async function checkChanged(
  tx: Tx,
  orgId: string,
  automationId: string,
  { orderIds, cursor, now }: { orderIds: string[]; cursor: number; now: Date },
): Promise<void> {
  await tx.query(
    `update automation_waits set due_at = least(due_at, $4)
      where org_id = $1 and automation_id = $2 and order_id = any($3::uuid[])`,
    [orgId, automationId, orderIds, now],
  );
  await tx.query("update automations set wait_cursor = $3 where org_id = $1 and id = $2", [
    orgId,
    automationId,
    cursor,
  ]);
}

export async function listDueWaits(
  db: Queryable,
  orgId: string,
  automationId: string,
  now: Date,
  limit: number,
): Promise<WaitRow[]> {
  return await db.query<WaitRow>(
    `select id, order_id, sequence, automation_path, since, ends_at from automation_waits
      where org_id = $1 and automation_id = $2 and due_at <= $3 order by due_at, id limit $4`,
    [orgId, automationId, now, limit],
  );
}

export async function deleteWaits(tx: Tx, orgId: string, ids: string[]): Promise<void> {
  await tx.query("delete from automation_waits where org_id = $1 and id = any($2::uuid[])", [orgId, ids]);
}

/** All waiting orders of an automation that starts anew. */
export async function deleteWaitsOf(tx: Tx, orgId: string, automationId: string): Promise<void> {
  await tx.query("delete from automation_waits where org_id = $1 and automation_id = $2", [orgId, automationId]);
}

/** When these orders are checked next. */
export async function postponeWaits(
  tx: Tx,
  orgId: string,
  later: { id: string; ends_at: Date; due_at: Date }[],
): Promise<void> {
  await tx.query(
    `update automation_waits w set ends_at = u.ends_at, due_at = u.due_at
       from jsonb_to_recordset($2::jsonb) as u (id uuid, ends_at timestamptz, due_at timestamptz)
      where w.org_id = $1 and w.id = u.id`,
    [orgId, JSON.stringify(later)],
  );
}
