import type { Queryable } from "../../db/database.ts";

const mostCarriers = 20;

/** Unshipped orders to ship before this moment by carrier, most first. Reads the range of orders_open_by_ship_by for each status. */
export async function groupOpenByCarrier(
  db: Queryable,
  orgId: string,
  statuses: readonly string[],
  before: string,
): Promise<{ carrier: string | null; open: number }[]> {
  return await db.query<{ carrier: string | null; open: number }>(
    `select shipping ->> 'carrier' as carrier, count(*) as open
       from orders
      where org_id = $1 and not is_archived and status = any($2) and ship_by < $3
      group by 1 order by open desc, 1 limit ${mostCarriers}`,
    [orgId, statuses, before],
  );
}

/** Reads the range of shipments_by_ship_date. */
export async function countShippedBetween(db: Queryable, orgId: string, from: string, before: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from shipments
      where org_id = $1 and shipped_at >= $2 and shipped_at < $3 and status <> 'cancelled'`,
    [orgId, from, before],
  );
  return row!.count;
}

export async function countPickupsOn(db: Queryable, orgId: string, date: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from pickups
      where org_id = $1 and pickup_date = $2 and status in ('requested', 'scheduled', 'dispatched', 'completed')`,
    [orgId, date],
  );
  return row!.count;
}
