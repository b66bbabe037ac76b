import type { Queryable } from "../../db/database.ts";

type Destination = { recipient: string | null; destination: string | null };

/** Who these orders are shipped to, and where. Deleted orders are left out. */
export async function readDestinations(
  db: Queryable,
  orgId: string,
  orderIds: string[],
): Promise<Map<string, Destination>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db.query<Destination & { id: string }>(
    `select id,
            coalesce(shipping_address ->> 'name', shipping_address ->> 'company') as recipient,
            nullif(concat_ws(', ', shipping_address ->> 'city', shipping_address ->> 'provinceCode',
                             shipping_address ->> 'countryCode'), '') as destination
       from orders
      where org_id = $1
        and id = any($2::uuid[])`,
    [orgId, orderIds],
  );
  return new Map(rows.map(({ id, ...place }) => [id, place]));
}
