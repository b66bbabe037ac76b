import type { Address } from "../../core/address.ts";
import type { Weight } from "../../core/weight.ts";
import type { Queryable } from "../../db/database.ts";
import type { OrderFilter } from "../orders/order-filter.schemas.ts";
import { selectMatching } from "../orders/orders.ts";

/** The orders of a run that succeeded, in the order of its results; undefined if there is no such run. */
export async function listOrdersOfRun(
  db: Queryable,
  orgId: string,
  runId: string,
  limit: number,
): Promise<string[] | undefined> {
  const runs = await db.query("select from operation_runs where org_id = $1 and id = $2", [orgId, runId]);
  if (runs.length === 0) return undefined;
  // By primary key of operation_results.
  const rows = await db.query<{ id: string }>(
    `select result.order_id as id
       from operation_results result
      where result.run_id = $1
        and result.order_id is not null
        and result.status = 'succeeded'
      order by result.position
      limit $2`,
    [runId, limit],
  );
  return rows.map(({ id }) => id);
}

/** The orders of a selection; undefined if it does not exist or has expired. */
export async function listOrdersOfSelection(
  db: Queryable,
  orgId: string,
  selectionId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<string[] | undefined> {
  const found = await db.query("select from operation_selections where org_id = $1 and id = $2 and expires_at > $3", [
    orgId,
    selectionId,
    now,
  ]);
  if (found.length === 0) return undefined;
  const rows = await db.query<{ id: string }>(
    `select chosen.order_id as id
       from operation_selection_batches batch
      cross join lateral unnest(batch.order_ids) with ordinality as chosen (order_id, n)
      where batch.selection_id = $1
      order by batch.position, chosen.n
      limit $2`,
    [selectionId, limit],
  );
  return rows.map(({ id }) => id);
}

/** The orders that match the filter, oldest first. */
export async function listOrdersOfFilter(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  limit: number,
): Promise<string[]> {
  const { text, values } = selectMatching(orgId, filter);
  const rows = await db.query<{ id: string }>(
    `select matching.id from (${text}) matching order by matching.k, matching.id limit ${limit}`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** A shipment as lists and slips show it. */
export type PrintedShipment = {
  id: string;
  orderId: string | null;
  orderNumber: string | null;
  trackingNumber: string | null;
  carrier: string | null;
  service: string | null;
  weight: Weight | null;
  destination: Address | null;
  voidedAt: Date | null;
};

const shipmentFields = `shipment.id, shipment.order_id as "orderId", shipment.order_number as "orderNumber",
  shipment.tracking_number as "trackingNumber", shipment.carrier, shipment.service, shipment.weight, shipment.destination,
  shipment.voided_at as "voidedAt"`;

/** In the order of the list. */
export async function readShipments(db: Queryable, orgId: string, ids: string[]): Promise<PrintedShipment[]> {
  return await db.query<PrintedShipment>(
    `select ${shipmentFields}
       from unnest($2::uuid[]) with ordinality as wanted (id, n)
       join shipments shipment on shipment.id = wanted.id
      where shipment.org_id = $1
      order by wanted.n`,
    [orgId, ids],
  );
}

/** Shipments of these orders that are not voided, in the order of the list. */
export async function listShipmentsOfOrders(
  db: Queryable,
  orgId: string,
  orderIds: string[],
  limit: number,
): Promise<PrintedShipment[]> {
  return await db.query<PrintedShipment>(
    `select ${shipmentFields}
       from unnest($2::uuid[]) with ordinality as wanted (order_id, n)
       join shipments shipment on shipment.order_id = wanted.order_id
      where shipment.org_id = $1
        and shipment.voided_at is null
      order by wanted.n, shipment.created_at, shipment.id
      limit $3`,
    [orgId, orderIds, limit],
  );
}

/** The shipments of labels. A label without one is left out. */
export async function findShipmentsOfLabels(
  db: Queryable,
  orgId: string,
  labelIds: string[],
): Promise<{ labelId: string; shipmentId: string }[]> {
  return await db.query<{ labelId: string; shipmentId: string }>(
    `select id as "labelId", shipment_id as "shipmentId"
       from shipment_labels
      where org_id = $1 and id = any($2::uuid[]) and shipment_id is not null`,
    [orgId, labelIds],
  );
}

export async function readLocationNames(db: Queryable, orgId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>("select id, name from locations where org_id = $1", [
    orgId,
  ]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What packing slips are sorted by. */
export type SortFacts = { orderId: string; createdAt: Date; location: string | null; sku: string | null };

export async function readSortFacts(db: Queryable, orgId: string, orderIds: string[]): Promise<SortFacts[]> {
  return await db.query<SortFacts>(
    `select o.id as "orderId", o.created_at as "createdAt", location.name as location, o.lines -> 0 ->> 'sku' as sku
       from orders o
       left join locations location on location.id = o.location_id
      where o.org_id = $1 and o.id = any($2::uuid[])`,
    [orgId, orderIds],
  );
}
