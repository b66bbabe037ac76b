import { badField } from "../../../core/errors.ts";
import type { Stored } from "../../../db/columns.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Order } from "../order.ts";
import { orderColumns } from "../order-columns.ts";
import type { OrderFilter } from "../order-filter.schemas.ts";
import type { OrderKey, Range } from "./order-filter.store.ts";
import { orderOf, planOrders, selectAll, slice } from "./order-filter.store.ts";
import { readOrders } from "../orders.store.ts";
import { isCounted, sumCounts } from "./order-index.store.ts";
import type { SortName } from "./order-sorts.ts";
import { isIndexed } from "./order-sorts.ts";

/** Totals are counted up to here; larger ones would slow down the list. */
const maxTotal = 10_000;

type Found = { orders: Order[]; hasMore: boolean; total: number; totalIsCapped: boolean };

export async function listOrders(
  db: Queryable,
  orgId: string,
  { search, ...filter }: OrderFilter,
  sort: SortName,
  range: Range,
): Promise<Found> {
  if (!isIndexed(sort)) return await readSorted(db, orgId, { search, ...filter }, sort, range);
  if (search !== undefined) {
    const { ids, total, isAll } = await searchOrders(db, orgId, filter, search, sort, range);
    const hasMore = total > range.offset + range.limit;
    const orders = await readInOrder(db, orgId, ids);
    return { orders, hasMore, total: Math.min(total, maxTotal), totalIsCapped: !isAll || total > maxTotal };
  }
  // One row more shows whether there is another page.
  const [orders, total] = await Promise.all([
    readSlice(db, orgId, filter, sort, { ...range, limit: range.limit + 1 }),
    countOrders(db, orgId, filter),
  ]);
  const counted = { total: Math.min(total, maxTotal), totalIsCapped: total > maxTotal };
  return { orders: orders.slice(0, range.limit), hasMore: orders.length > range.limit, ...counted };
}

/** Larger lists are not sorted without an index: it would take seconds. */
const maxSorted = 100_000;

/** A page of a list that no index has in this order: finds all orders with their key, up to a limit, and sorts these. */
async function readSorted(
  db: Queryable,
  orgId: string,
  { search, ...filter }: OrderFilter,
  sort: SortName,
  { limit, offset }: Range,
): Promise<Found> {
  const isSearch = search !== undefined;
  const plan = planOrders(orgId, filter, sort, isSearch ? { source: "found", values: [search, orgId] } : {});
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `with ${isSearch ? `${found},` : ""}
     hits as materialized (select h.id, h.k from (${selectAll(plan)}) h limit ${maxSorted + 1})
     select (select count(*) from hits) as total,
       array(select id from hits
              where (select count(*) from hits) <= ${maxSorted}
              order by k ${plan.direction} nulls last, id ${plan.direction} limit ${limit} offset ${offset}) as ids`,
    plan.values,
  );
  const { total, ids } = row!;
  if (total > maxSorted) {
    const limits = `More than ${maxSorted.toLocaleString("en-US")} orders match. Filter them, or sort by a date.`;
    throw badField("query/sort", "too_many_orders", limits);
  }
  const orders = await readInOrder(db, orgId, ids);
  const counted = { total: Math.min(total, maxTotal), totalIsCapped: total > maxTotal };
  return { orders, hasMore: total > offset + limit, ...counted };
}

async function readSlice(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  sort: SortName,
  range: Range,
  after?: OrderKey,
): Promise<Order[]> {
  const plan = planOrders(orgId, filter, sort, { after });
  const rows = await db.query<Stored<Order>>(
    `select ${orderColumns.selected} from (${slice(plan, range)}) p join orders o on o.id = p.id order by ${orderOf(plan, "p")}`,
    plan.values,
  );
  return rows.map(orderColumns.fromRow);
}

async function countOrders(db: Queryable, orgId: string, filter: OrderFilter): Promise<number> {
  if (isCounted(filter)) return await sumCounts(db, orgId, filter);
  const plan = planOrders(orgId, filter, "-createdAt");
  const [row] = await db.query<{ total: number }>(
    `select count(*) as total from (${selectAll(plan)} limit ${maxTotal + 1}) c`,
    plan.values,
  );
  return row!.total;
}

/**
 * A search first scans this many of the newest orders per order of the page, and more if that fills the page. If there are too
 * few matches, the words are rare: then the index returns all matches.
 */
const lookThrough = [20, 160] as const;
const maxLookThrough = 16_000;

/**
 * The orders with the words of $1 in the organization $2. A function of the owner of the tables: the index of the words could not be
 * used below a row-level security policy, since the operator is not leakproof.
 */
const found = "found as materialized (select * from find_orders_by_words($2, $1::tsquery))";

/** The IDs of a page and the total; without `isAll` the total is a lower bound. */
type Hits = { ids: string[]; total: number; isAll: boolean };

async function searchOrders(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  search: string,
  sort: SortName,
  { limit, offset }: Range,
  after?: OrderKey,
): Promise<Hits> {
  const end = offset + limit;
  for (const perOrder of lookThrough) {
    const window = Math.min(perOrder * end, maxLookThrough);
    const near = planOrders(orgId, filter, sort, { after, values: [search] });
    const [row] = await db.query<{ seen: number; ids: string[] }>(
      `with near as materialized (${slice(near, { limit: window + 1, offset: 0 })})
       select (select count(*) from near) as seen, array(
         select id from near
          where (select bool_or(s.words @@ $1::tsquery) from order_search s where s.order_id = near.id)
          order by ${orderOf(near)}) as ids`,
      near.values,
    );
    const { seen, ids } = row!;
    const isAll = seen <= window;
    if (isAll || ids.length > end) return { ids: ids.slice(offset, end), total: ids.length, isAll };
    if (ids.length * (lookThrough[1] / lookThrough[0]) < end) break;
  }

  const far = planOrders(orgId, filter, sort, { after, source: "found", values: [search, orgId] });
  const [all] = await db.query<{ total: number; ids: string[] }>(
    `with ${found},
     hits as materialized (${selectAll(far)})
     select (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(far)} limit ${limit} offset ${offset}) as ids`,
    far.values,
  );
  return { ...all!, isAll: true };
}

/** A statement for the IDs of all matching orders, oldest first by `k`, with its parameters. */
export function selectMatching(orgId: string, { search, ...filter }: OrderFilter): { text: string; values: unknown[] } {
  if (search === undefined) {
    const plan = planOrders(orgId, filter, "createdAt");
    return { text: selectAll(plan), values: plan.values };
  }
  const plan = planOrders(orgId, filter, "createdAt", { source: "found", values: [search, orgId] });
  const text = `with ${found} ${selectAll(plan)}`;
  return { text, values: plan.values };
}

/** Counts matching orders by status and on hold, up to a limit. `more`: 1 if the limit was reached. */
export async function countMatchingByStatus(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  limit: number,
): Promise<{ name: string; count: number }[]> {
  const { text, values } = selectMatching(orgId, filter);
  return await db.query<{ name: string; count: number }>(
    `with matching as materialized (select m.id from (${text}) m limit ${limit + 1}),
     counted as materialized (
       select o.status, o.on_hold, count(*)::integer as orders
         from (select id from matching limit ${limit}) m join orders o on o.id = m.id group by 1, 2)
     select status as name, sum(orders)::integer as count from counted group by status
     union all
     select 'on_hold', coalesce(sum(orders), 0)::integer from counted where on_hold
     union all
     select 'more', greatest(count(*) - ${limit}, 0)::integer from matching`,
    values,
  );
}

/** The orders of this list that match the filter now. */
export async function findMatching(
  db: Queryable,
  orgId: string,
  { search, ...filter }: OrderFilter,
  ids: string[],
): Promise<Set<string>> {
  const values: unknown[] = [ids];
  const plan = planOrders(orgId, filter, "createdAt", { source: "o", values });
  const found =
    search === undefined
      ? "true"
      : `exists (select from order_search s where s.order_id = p.id and s.words @@ $${values.push(search)}::tsquery)`;
  const rows = await db.query<{ id: string }>(
    `select p.id from (${selectAll(plan)}) p where p.id = any($1::uuid[]) and ${found}`,
    values,
  );
  return new Set(rows.map(({ id }) => id));
}

async function readInOrder(db: Queryable, orgId: string, ids: string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const byId = new Map((await readOrders(db, orgId, ids)).map((order) => [order.id, order]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The next orders after `after`, newest first: reads a long list without a long transaction. */
export async function readNextOrders(
  db: Queryable,
  orgId: string,
  { search, ...filter }: OrderFilter,
  after: OrderKey | undefined,
  limit: number,
): Promise<{ orders: Order[]; isLast: boolean }> {
  const range = { limit, offset: 0 };
  if (search === undefined) {
    const orders = await readSlice(db, orgId, filter, "-createdAt", range, after);
    return { orders, isLast: orders.length < limit };
  }
  const { ids } = await searchOrders(db, orgId, filter, search, "-createdAt", range, after);
  return { orders: await readInOrder(db, orgId, ids), isLast: ids.length < limit };
}
