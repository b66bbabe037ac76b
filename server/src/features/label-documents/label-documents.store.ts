import type { Queryable } from "../../db/database.ts";
import type { OrderFilter } from "../orders/order-filter.schemas.ts";
import { selectMatching } from "../orders/orders.ts";

export type OrderedLabel = { labelId: string; orderId: string };

/** Labels that are bought or requested, and whose outcome is not a failure or a void. */
const isWanted = "label.status in ('requested', 'purchased')";

/** The labels that a run bought, in the order of its results. The run is one of the organization. */
export async function listLabelsOfRun(
  db: Queryable,
  orgId: string,
  runId: string,
  limit: number,
): Promise<OrderedLabel[]> {
  // By primary key of operation_results; labels are joined by their primary key.
  return await db.query<OrderedLabel>(
    `select label.id as "labelId", label.order_id as "orderId"
       from operation_results result
      cross join lateral jsonb_array_elements(result.steps) with ordinality as step (value, n)
      cross join lateral jsonb_array_elements_text(step.value -> 'label_ids') as bought (id)
       join shipment_labels label on label.org_id = $1 and label.id = bought.id::uuid
      where result.run_id = $2
        and step.value ->> 'type' = 'buy_label'
        and ${isWanted}
      order by result.position, step.n
      limit $3`,
    [orgId, runId, limit],
  );
}

/** The labels of these orders, in the order of the list; of one order oldest first. */
export async function listLabelsOfOrders(
  db: Queryable,
  orgId: string,
  orderIds: string[],
  limit: number,
): Promise<OrderedLabel[]> {
  return await db.query<OrderedLabel>(
    `select label.id as "labelId", label.order_id as "orderId"
       from unnest($2::uuid[]) with ordinality as wanted (order_id, n)
       join shipment_labels label on label.order_id = wanted.order_id
      where label.org_id = $1
        and ${isWanted}
      order by wanted.n, label.created_at, label.id
      limit $3`,
    [orgId, orderIds, limit],
  );
}

/** The labels of these shipments, in the order of the list. */
export async function listLabelsOfShipments(
  db: Queryable,
  orgId: string,
  shipmentIds: string[],
): Promise<{ labelId: string; shipmentId: string }[]> {
  // By shipment_labels_by_shipment.
  return await db.query<{ labelId: string; shipmentId: string }>(
    `select label.id as "labelId", label.shipment_id as "shipmentId"
       from unnest($2::uuid[]) with ordinality as wanted (shipment_id, n)
       join shipment_labels label on label.shipment_id = wanted.shipment_id
      where label.org_id = $1
      order by wanted.n, label.created_at, label.id`,
    [orgId, shipmentIds],
  );
}

/** The labels of all orders that match the filter, oldest order first. */
export async function listLabelsOfFilter(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  limit: number,
): Promise<OrderedLabel[]> {
  const { text, values } = selectMatching(orgId, filter);
  // The filter uses the index of its list; the labels of each order are found by shipment_labels_by_order.
  return await db.query<OrderedLabel>(
    `select label.id as "labelId", label.order_id as "orderId"
       from (${text}) matching
       join shipment_labels label on label.order_id = matching.id
      where label.org_id = $${values.push(orgId)}
        and ${isWanted}
      order by matching.k, matching.id, label.created_at, label.id
      limit ${limit}`,
    values,
  );
}

/** As `listLabelsOfFilter`, for the orders of a selection; undefined if it does not exist or has expired. */
export async function listLabelsOfSelection(
  db: Queryable,
  orgId: string,
  selectionId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<OrderedLabel[] | undefined> {
  const [found] = await db.query("select from operation_selections where org_id = $1 and id = $2 and expires_at > $3", [
    orgId,
    selectionId,
    now,
  ]);
  if (!found) return undefined;
  return await db.query<OrderedLabel>(
    `select label.id as "labelId", label.order_id as "orderId"
       from operation_selection_batches batch
      cross join lateral unnest(batch.order_ids) with ordinality as chosen (order_id, n)
       join shipment_labels label on label.order_id = chosen.order_id
      where batch.selection_id = $2
        and label.org_id = $1
        and ${isWanted}
      order by batch.position, chosen.n, label.created_at, label.id
      limit $3`,
    [orgId, selectionId, limit],
  );
}

export async function hasRun(db: Queryable, orgId: string, runId: string): Promise<boolean> {
  const rows = await db.query("select from operation_runs where org_id = $1 and id = $2", [orgId, runId]);
  return rows.length > 0;
}

/** What labels are sorted by, besides their own fields. */
export type OrderFacts = { orderId: string; location: string | null; lines: { id: string; sku: string }[] };

export async function readOrderFacts(db: Queryable, orgId: string, orderIds: string[]): Promise<OrderFacts[]> {
  return await db.query<OrderFacts>(
    `select o.id as "orderId", location.name as location, o.lines
       from orders o
       left join locations location on location.id = o.location_id
      where o.org_id = $1 and o.id = any($2::uuid[])`,
    [orgId, orderIds],
  );
}
