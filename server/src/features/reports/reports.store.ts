import type { Actor } from "../../core/actor.ts";
import type { Queryable } from "../../db/database.ts";
import type { ExceptionKind } from "../exceptions/exceptions.schemas.ts";

/** More shipments would slow down the report without changing the median much. */
const mostMeasured = 50_000;

/** A number for each of the parts that `begins` cuts time into; its last entry ends the last part. */
async function countParts(
  db: Queryable,
  orgId: string,
  begins: string[],
  table: string,
  column: string,
  where: string,
): Promise<number[]> {
  const rows = await db.query<{ part: number; count: number }>(
    `select width_bucket(${column}, $2::timestamptz[]) as part, count(*) as count
       from ${table}
      where org_id = $1 and ${column} >= ($2::timestamptz[])[1] and ${column} < ($2::timestamptz[])[cardinality($2)] and ${where}
      group by 1`,
    [orgId, begins],
  );
  const counts = new Map(rows.map(({ part, count }) => [part, count]));
  return begins.slice(1).map((_, i) => counts.get(i + 1) ?? 0);
}

/** Orders by their date, archived or not. Reads both ranges of orders_by_order_date. */
export const countReceived = (db: Queryable, orgId: string, begins: string[]): Promise<number[]> =>
  countParts(db, orgId, begins, "orders", "ordered_at", "is_archived in (false, true)");

/** Shipments by ship date, without cancelled ones. Reads the range of shipments_by_ship_date. */
export const countShipped = (db: Queryable, orgId: string, begins: string[]): Promise<number[]> =>
  countParts(db, orgId, begins, "shipments", "shipped_at", "status <> 'cancelled'");

/** Median time from order to ship date in hours. Reads the end of a range of shipments_by_ship_date, and orders by primary key. */
export async function readMedianHours(
  db: Queryable,
  orgId: string,
  from: string,
  before: string,
): Promise<number | null> {
  const [row] = await db.query<{ hours: number | null }>(
    `select percentile_cont(0.5) within group (
              order by greatest(0, extract(epoch from latest.shipped_at - orders.ordered_at)) / 3600) as hours
       from (
         select order_id, shipped_at from shipments
          where org_id = $1 and shipped_at >= $2 and shipped_at < $3 and status <> 'cancelled' and order_id is not null
          order by shipped_at desc, id desc limit ${mostMeasured}
       ) as latest
       join orders on orders.id = latest.order_id`,
    [orgId, from, before],
  );
  return row!.hours;
}

export type ExceptionCause = { kind: ExceptionKind; code: string; opened: number; open: number; before: number };

/** Exceptions by cause: opened in the window, and in the one before. Reads the range of exceptions_newest. */
export async function groupExceptionsBetween(
  db: Queryable,
  orgId: string,
  [start, middle, end]: readonly [string, string, string],
): Promise<ExceptionCause[]> {
  return await db.query<ExceptionCause>(
    `select kind, code,
            count(*) filter (where opened_at >= $3) as opened,
            count(*) filter (where opened_at >= $3 and status = 'open') as open,
            count(*) filter (where opened_at < $3) as before
       from exceptions
      where org_id = $1 and opened_at >= $2 and opened_at < $4
      group by kind, code order by opened desc, kind, code`,
    [orgId, start, middle, end],
  );
}

export type PersonSums = {
  isBefore: boolean;
  actor: Actor;
  runs: number;
  ordersChanged: number;
  ordersFailed: number;
  labelsBought: number;
};

/**
 * Runs by the user or API key that started them, in the window and in the one before; runs of automations are left out. Reads the
 * range of operation_runs_by_org, and the labels of each run by shipment_labels_by_purchase_run.
 */
export async function sumRunsByPerson(
  db: Queryable,
  orgId: string,
  [start, middle, end]: readonly [string, string, string],
): Promise<PersonSums[]> {
  return await db.query<PersonSums>(
    `select run.created_at < $3 as "isBefore",
            (array_agg(run.created_by order by run.created_at desc))[1] as actor,
            count(*) as runs,
            sum(run.succeeded - run.no_change)::bigint as "ordersChanged",
            sum(run.failed)::bigint as "ordersFailed",
            sum(labels.bought)::bigint as "labelsBought"
       from operation_runs run
       cross join lateral (
         select count(*) as bought from shipment_labels label
          where label.org_id = run.org_id and label.purchase_run_id = run.id and label.purchased_at is not null
       ) as labels
      where run.org_id = $1 and run.created_at >= $2 and run.created_at < $4 and run.cause is null
        and run.created_by ->> 'id' is not null
      group by 1, run.created_by ->> 'id' order by "ordersChanged" desc, runs desc, run.created_by ->> 'id'`,
    [orgId, start, middle, end],
  );
}

export type LabelSums = {
  carrier: string;
  currency: string;
  part: number;
  labels: number;
  cents: number;
  orderCents: number;
};

/** Purchased labels by carrier, currency and part of `begins`. Reads the range of shipment_labels_by_status. */
export async function sumLabels(db: Queryable, orgId: string, begins: string[]): Promise<LabelSums[]> {
  return await db.query<LabelSums>(
    `select carrier, coalesce(currency, 'USD') as currency, width_bucket(created_at, $2::timestamptz[]) as part,
            count(*) as labels,
            coalesce(sum(cost_cents), 0)::bigint as cents,
            coalesce(sum(cost_cents) filter (where order_id is not null), 0)::bigint as "orderCents"
       from shipment_labels
      where org_id = $1 and status = 'purchased'
        and created_at >= ($2::timestamptz[])[1] and created_at < ($2::timestamptz[])[cardinality($2)]
      group by 1, 2, 3`,
    [orgId, begins],
  );
}

export type LabelOrders = { carrier: string | null; currency: string; isBefore: boolean; orders: number };

/** Orders with a purchased label by currency, and by carrier within it; `carrier` null: of all carriers. */
export async function countLabelOrders(
  db: Queryable,
  orgId: string,
  [start, middle, end]: readonly [string, string, string],
): Promise<LabelOrders[]> {
  return await db.query<LabelOrders>(
    `select carrier, coalesce(currency, 'USD') as currency, created_at < $3 as "isBefore",
            count(distinct order_id) as orders
       from shipment_labels
      where org_id = $1 and status = 'purchased' and created_at >= $2 and created_at < $4 and order_id is not null
      group by grouping sets ((coalesce(currency, 'USD'), created_at < $3),
                              (coalesce(currency, 'USD'), created_at < $3, carrier))`,
    [orgId, start, middle, end],
  );
}
