import type { Queryable, Tx } from "../../db/database.ts";

/** Units of a SKU that are set aside for an order at a location. */
export type Reservation = { orderId: string; locationId: string; sku: string; quantity: number };

/** `orderId` is set for the orders that were asked about, and null for the sum of all others. */
type Reserved = { orderId: string | null; locationId: string; sku: string; units: number };

/** Allocations of one organization follow one another, so that two of them cannot take the same units. */
export async function lockStock(tx: Tx, orgId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`stock:${orgId}`]);
}

/**
 * What is reserved of these SKUs. A reservation counts while the order has the location and is not cancelled. Units that had left the
 * location when the level was counted are no longer part of it. Neither are the units of orders that the source of the level has
 * subtracted itself: its own ones, and those that were sent to it. Found by stock_reservations_by_sku, then by the primary keys.
 */
const reservedStatement = `
  select case when held.order_id = any($3::uuid[]) then held.order_id end as "orderId",
         held.location_id as "locationId", held.sku,
         sum(greatest(held.quantity - left_before.units, 0))::float8 as units
    from stock_reservations held
    join orders o on o.id = held.order_id and o.location_id = held.location_id and o.status <> 'cancelled'
    join stock_levels level on level.location_id = held.location_id and level.sku = held.sku
    cross join lateral (
      select coalesce(sum((part ->> 'quantity')::integer), 0) as units
        from jsonb_array_elements(o.shipments) shipment
       cross join jsonb_array_elements(shipment -> 'lines') part
        join jsonb_array_elements(o.lines) line on line ->> 'id' = part ->> 'lineId'
       where line ->> 'sku' = held.sku and (shipment ->> 'shippedAt')::timestamptz <= level.counted_at) left_before
   where held.org_id = $1 and held.sku = any($2::text[])
     and not (level.committed is null and level.bridge_id is not null
       and (o.bridge_id is not distinct from level.bridge_id and o.ordered_at <= level.counted_at
         or o.status = 'sent' and o.updated_at <= level.counted_at))
   group by 1, 2, 3`;

export async function readReserved(
  db: Queryable,
  orgId: string,
  skus: string[],
  orderIds: string[] = [],
): Promise<Reserved[]> {
  return skus.length === 0 ? [] : await db.query<Reserved>(reservedStatement, [orgId, skus, orderIds]);
}

/** Replaces what these orders have reserved at these locations. */
export function saveReservations(tx: Tx, orgId: string, reservations: Reservation[], at: Date): void {
  if (reservations.length === 0) return;
  const records = JSON.stringify(
    reservations.map(({ orderId, locationId, sku, quantity }) => ({
      order_id: orderId,
      location_id: locationId,
      sku,
      quantity,
    })),
  );
  const given = "jsonb_to_recordset($2::jsonb) as given (order_id uuid, location_id uuid, sku text, quantity integer)";
  tx.queue(
    `delete from stock_reservations held using ${given}
      where held.org_id = $1 and held.order_id = given.order_id and held.location_id = given.location_id`,
    [orgId, records],
  );
  tx.queue(
    `insert into stock_reservations (org_id, order_id, location_id, sku, quantity, reserved_at)
     select $1, given.order_id, given.location_id, given.sku, given.quantity, $3 from ${given}`,
    [orgId, records, at],
  );
}

/** Reservations end with their orders; they are kept for a while, in case the end of the order is undone. */
export async function deleteEndedReservationsAcrossOrgs(db: Queryable, before: Date, limit: number): Promise<number> {
  const [row] = await db.query<{ deleted: number }>(
    `with ended as (
       select held.order_id, held.location_id, held.sku
         from stock_reservations held
         join orders o on o.id = held.order_id
         left join stock_levels level on level.location_id = held.location_id and level.sku = held.sku
        where o.status in ('shipped', 'delivered', 'cancelled') and o.updated_at < $1
          and (o.status = 'cancelled' or level.counted_at is null or level.counted_at > o.updated_at)
        order by held.order_id, held.location_id, held.sku
        limit $2 for update of held skip locked),
     deleted as (
       delete from stock_reservations held using ended
        where held.order_id = ended.order_id and held.location_id = ended.location_id and held.sku = ended.sku
       returning held.sku)
     select count(*)::integer as deleted from deleted`,
    [before, limit],
  );
  return row!.deleted;
}
