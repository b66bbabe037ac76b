import { fromCents } from "../../core/money.ts";
import type { Queryable } from "../../db/database.ts";
import type { OrderStatus } from "./orders.states.ts";

/** Figures of the customer of an order for conditions and templates, up to and including that order. */
export type CustomerFigures = { orderCount: number; totalSpent: number };

/** The paths of these figures. They are read from the database only for pipelines that use one of them. */
export const customerFigurePaths: readonly string[] = ["customer.orderCount", "customer.totalSpent"];

/** Payment statuses whose total was received. */
const receivedStatuses: readonly string[] = ["paid", "partially_refunded"];
const centsOf = (part: "paid" | "refunded"): string => `round((o.amounts ->> '${part}')::numeric * 100)`;
/**
 * What was received and not paid back. Some sources subtract refunds from the total and others do not, so they are subtracted from what
 * was paid; the total is the limit, since an order that was split keeps `paid`. Without `paid`, the total is taken to be before refunds.
 */
const keptCents = `least(o.total_cents - case when o.amounts ? 'paid' then 0 else coalesce(${centsOf("refunded")}, 0) end,
  ${centsOf("paid")} - coalesce(${centsOf("refunded")}, 0))`;

/**
 * By order ID; orders of unknown customers are left out. All orders of the customers are read once, in the order of the index, and
 * numbered: a subquery for each order would read them again and again for a customer with many orders. Orders that were split off
 * another one are part of that purchase and not counted, but their share of the money is. The order itself is counted in any case.
 */
const figures = `
  with asked as materialized (
    select id, customer_key from orders where org_id = $1 and id = any($2::uuid[]) and customer_key is not null),
  numbered as (
    select o.id,
           o.parent_order_id is null and o.status = 'cancelled' as is_missing,
           count(*) filter (where o.status <> 'cancelled' and o.parent_order_id is null)
             over (partition by o.customer_key order by o.ordered_at, o.id) as orders,
           sum(${keptCents}) filter (where o.status <> 'cancelled' and o.payment_status = any($3::text[]))
             over (partition by o.customer_key, o.currency order by o.ordered_at, o.id) as cents
      from orders o
     where o.org_id = $1 and o.customer_key = any(array(select distinct customer_key from asked)))
  select n.id, greatest(1, n.orders + case when n.is_missing then 1 else 0 end) as orders, n.cents
    from numbered n join asked on asked.id = n.id`;

export async function readCustomerFigures(
  db: Queryable,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, CustomerFigures>> {
  // The sum is numeric, which the driver returns as text.
  type Row = { id: string; orders: number; cents: string | null };
  const rows = await db.query<Row>(figures, [orgId, ids, receivedStatuses]);
  return new Map(
    rows.map(({ id, orders, cents }) => [id, { orderCount: orders, totalSpent: fromCents(Number(cents ?? 0)) }]),
  );
}

/** How the orders of the customer are found: by the key, which has an index; an order without one is alone. */
type SameCustomer = { column: "customer_key" | "id"; value: string };

export async function findSameCustomer(db: Queryable, orgId: string, id: string): Promise<SameCustomer> {
  const [row] = await db.query<{ key: string | null }>(
    "select customer_key as key from orders where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.key == null ? { column: "id", value: id } : { column: "customer_key", value: row.key };
}

type Totals = { currency: string; orders: number; cents: string | null; first: Date; last: Date };

export async function readTotals(db: Queryable, orgId: string, { column, value }: SameCustomer): Promise<Totals[]> {
  return await db.query<Totals>(
    `select o.currency,
            count(*) filter (where o.status <> 'cancelled' and o.parent_order_id is null) as orders,
            sum(${keptCents}) filter (where o.status <> 'cancelled' and o.payment_status = any($3::text[])) as cents,
            min(o.ordered_at) as first,
            max(o.ordered_at) as last
       from orders o
      where o.org_id = $1 and o.${column} = $2
      group by o.currency
      order by o.currency`,
    [orgId, value, receivedStatuses],
  );
}

/** Orders that are listed of a customer. */
const maxOrders = 20;

type Latest = {
  id: string;
  number: string;
  status: OrderStatus;
  orderedAt: Date;
  cents: number | null;
  currency: string;
};

export async function readLatest(db: Queryable, orgId: string, { column, value }: SameCustomer): Promise<Latest[]> {
  return await db.query<Latest>(
    `select o.id, o.number, o.status, o.ordered_at as "orderedAt", o.total_cents as cents, o.currency
       from orders o
      where o.org_id = $1 and o.${column} = $2
      order by o.ordered_at desc, o.id desc
      limit ${maxOrders}`,
    [orgId, value],
  );
}
