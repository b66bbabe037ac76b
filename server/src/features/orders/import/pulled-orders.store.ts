import type { Queryable, Tx } from "../../../db/database.ts";
import type { Marks } from "./follow-source.ts";

/** Two imports of one bridge take turns where they deliver the same orders, and only there. */
export async function lockExternalIds(tx: Tx, bridgeId: string, externalIds: string[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended($1 || ' ' || id, 0) % 64 as key from unnest($2::text[]) as id order by 1) keys`,
    [bridgeId, externalIds],
  );
}

export type KnownOrder = { id: string; external_id: string; source_updated_at: Date | null };

export async function findByExternalIds(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  externalIds: string[],
): Promise<KnownOrder[]> {
  return await db.query<KnownOrder>(
    `select id, external_id, source_updated_at from orders
      where org_id = $1 and bridge_id = $2 and external_id = any($3::text[])`,
    [orgId, bridgeId, externalIds],
  );
}

export type Traits = { externalId: string; number: string; orderedAt: string };

/** Those of these orders that came through a bridge which was deleted since. */
export async function findLeftBehind(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  traits: Traits[],
): Promise<KnownOrder[]> {
  if (traits.length === 0) return [];
  return await db.query<KnownOrder>(
    // Only one with a number, which the bridge must not have given to another: it is going to be this bridge's.
    `select distinct on (o.number) o.id, o.external_id, null::timestamptz as source_updated_at
       from jsonb_to_recordset($2::jsonb) as u ("externalId" text, number text, "orderedAt" timestamptz)
       join orders o on o.org_id = $1 and o.number = u.number and o.external_id = u."externalId" and o.ordered_at = u."orderedAt"
       join bridges b on b.id = o.bridge_id and b.deleted_at is not null
      where not exists (select from orders x where x.org_id = $1 and x.number = o.number and x.bridge_id = $3)
      order by o.number, o.created_at desc, o.id desc`,
    [orgId, JSON.stringify(traits), bridgeId],
  );
}

/** How old each order's state is at its source. */
export async function rememberAges(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  ages: { externalId: string; updatedAt: string }[],
): Promise<void> {
  if (ages.length === 0) return;
  await tx.query(
    `update orders o set source_updated_at = u."updatedAt"
       from jsonb_to_recordset($3::jsonb) as u ("externalId" text, "updatedAt" timestamptz)
      where o.org_id = $1 and o.bridge_id = $2 and o.external_id = u."externalId"
        and (o.source_updated_at is null or o.source_updated_at < u."updatedAt")`,
    [orgId, bridgeId, JSON.stringify(ages)],
  );
}

/** What its bridge last said about each of these orders; those it has said nothing about yet are left out. */
export async function findMarks(db: Queryable, orgId: string, orderIds: string[]): Promise<Map<string, Marks>> {
  const rows = await db.query<{ order_id: string; marks: Marks }>(
    "select order_id, marks from order_sources where org_id = $1 and order_id = any($2::uuid[])",
    [orgId, orderIds],
  );
  return new Map(rows.map(({ order_id, marks }) => [order_id, marks]));
}

export async function saveMarks(tx: Tx, orgId: string, marks: ReadonlyMap<string, Marks>): Promise<void> {
  if (marks.size === 0) return;
  const records = [...marks].map(([id, said]) => ({ id, said }));
  await tx.query(
    `insert into order_sources (org_id, order_id, marks)
     select $1, u.id, u.said from jsonb_to_recordset($2::jsonb) as u (id uuid, said jsonb)
     on conflict (org_id, order_id) do update set marks = excluded.marks`,
    [orgId, JSON.stringify(records)],
  );
}
