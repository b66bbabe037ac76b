import type { Queryable, Tx } from "../../../db/database.ts";
import type { SourceSnapshot } from "./source-snapshot.ts";

/** Serializes two imports of a bridge that deliver the same orders. */
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

/** Finds orders of deleted bridges that match these traits. */
export async function findLeftBehind(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  traits: Traits[],
): Promise<KnownOrder[]> {
  if (traits.length === 0) return [];
  return await db.query<KnownOrder>(
    // Joins by (org_id, number). One order per number, and none whose number this bridge already has: it moves to this bridge.
    `select distinct on (o.number) o.id, o.external_id, null::timestamptz as source_updated_at
       from jsonb_to_recordset($2::jsonb) as u ("externalId" text, number text, "orderedAt" timestamptz)
       join orders o on o.org_id = $1 and o.number = u.number and o.external_id = u."externalId" and o.ordered_at = u."orderedAt"
       join bridges b on b.id = o.bridge_id and b.deleted_at is not null
      where not exists (select from orders x where x.org_id = $1 and x.number = o.number and x.bridge_id = $3)
      order by o.number, o.created_at desc, o.id desc`,
    [orgId, JSON.stringify(traits), bridgeId],
  );
}

/** Stores the source time of each order. */
export async function saveSourceTimes(
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

/** The last snapshot of each order; orders without one are skipped. */
export async function findSnapshots(
  db: Queryable,
  orgId: string,
  orderIds: string[],
): Promise<Map<string, SourceSnapshot>> {
  const rows = await db.query<{ order_id: string; snapshot: SourceSnapshot }>(
    "select order_id, snapshot from order_sources where org_id = $1 and order_id = any($2::uuid[])",
    [orgId, orderIds],
  );
  return new Map(rows.map(({ order_id, snapshot }) => [order_id, snapshot]));
}

export async function saveSnapshots(
  tx: Tx,
  orgId: string,
  snapshots: ReadonlyMap<string, SourceSnapshot>,
): Promise<void> {
  if (snapshots.size === 0) return;
  const records = [...snapshots].map(([id, snapshot]) => ({ id, snapshot }));
  await tx.query(
    `insert into order_sources (org_id, order_id, snapshot)
     select $1, u.id, u.snapshot from jsonb_to_recordset($2::jsonb) as u (id uuid, snapshot jsonb)
     on conflict (org_id, order_id) do update set snapshot = excluded.snapshot`,
    [orgId, JSON.stringify(records)],
  );
}
