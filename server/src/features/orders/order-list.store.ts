import type { Queryable } from "../../db/database.ts";
import type { Order } from "./order.ts";
import type { OrderRow } from "./order-columns.ts";
import { orderColumns, toOrder } from "./order-columns.ts";
import type { SortName } from "./order-answers.schemas.ts";
import type { Branch, OrderFilter, OrderKey, OrderPlan } from "./order-filter.store.ts";
import { planOrders } from "./order-filter.store.ts";
import { readOrders } from "./orders.store.ts";
import type { WordQuery } from "./search-words.ts";

/** Totals are counted up to here: beyond, nobody needs the figure as much as a fast answer. */
export const maxTotal = 10_000;
const worthCounting = 500;
/** How many of the first orders are looked through for words before the index of words is asked. */
const searchWindow = 1_000;
const maxSearchWindow = 50_000;
/** Up to so many orders with a word are read to find the first of them. */
const maxRareHits = 2_500;

export type Found = { orders: Order[]; hasMore: boolean; total: number; totalIsCapped: boolean };
type Range = { limit: number; offset: number };

/** `expected` is what the total was a moment ago: a large one is counted while the page is read, or not again at once. */
export async function listOrders(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  sort: SortName,
  range: Range,
  expected = 0,
): Promise<Found> {
  const plan = planOrders(orgId, filter, sort);
  if (plan.words !== undefined) return await searchOrders(db, orgId, plan, plan.words, range);
  const isMany = expected > maxTotal;
  const [rows, early] = await Promise.all([
    readSlice(db, plan, range),
    expected > worthCounting && !isMany ? countOrders(db, plan) : undefined,
  ]);
  const hasMore = rows.length > range.limit;
  const isWhole = !hasMore && (rows.length > 0 || range.offset === 0);
  const counted = async (): Promise<number> => early ?? (isMany ? expected : await countOrders(db, plan));
  const total = isWhole ? range.offset + rows.length : await counted();
  const orders = rows.slice(0, range.limit).map(toOrder);
  return { orders, hasMore, total: Math.min(total, maxTotal), totalIsCapped: total > maxTotal };
}

/** The orders of the page, and one more if there is one. */
async function readSlice(db: Queryable, plan: OrderPlan, { limit, offset }: Range): Promise<OrderRow[]> {
  return await db.query<OrderRow>(
    `select ${orderColumns} from (${slice(plan, plan.branches, offset + limit + 1, offset)}) p
       join orders o on o.id = p.id order by ${orderOf(plan, "p")}`,
    plan.values,
  );
}

async function countOrders(db: Queryable, plan: OrderPlan): Promise<number> {
  const parts = plan.branches.map(({ where }) => `select 1 from ${plan.from} where ${where}`);
  const [row] = await db.query<{ total: number }>(
    `select count(*) as total from (${parts.join(" union all ")} limit ${maxTotal + 1}) c`,
    plan.values,
  );
  return row?.total ?? 0;
}

/**
 * A word that many orders have is found among the first ones at once; a rare one through the index of words; and one in
 * between among some more of the first ones. So the work is bounded, which the planner cannot promise: it does not know
 * how often the beginning of a word occurs.
 */
async function searchOrders(
  db: Queryable,
  orgId: string,
  plan: OrderPlan,
  words: WordQuery,
  range: Range,
): Promise<Found> {
  const end = range.offset + range.limit;
  // Further pages look further, so that they are found in the same way.
  const window = Math.min(searchWindow * Math.ceil(end / range.limit), maxSearchWindow);
  let near = await lookThrough(db, plan, words, window);
  if (near.isAll || near.ids.length > end) return await toFound(db, orgId, near, range);
  const rare = await findByWords(db, plan, words, range, maxRareHits);
  if (rare.total <= maxRareHits) return await toFound(db, orgId, { ...rare, isAll: true }, range);
  // As far as the page should reach at this rate.
  const needed = Math.ceil((window * (end + 1) * 1.3) / Math.max(1, near.ids.length));
  if (needed <= maxSearchWindow) near = await lookThrough(db, plan, words, needed);
  if (near.isAll || near.ids.length > end) return await toFound(db, orgId, near, range);
  return await toFound(db, orgId, { ...(await findByWords(db, plan, words, range)), isAll: true }, range);
}

/** Some of the orders with the words: from the first one on, or just those of the page with how many there are. */
type Hits = { ids: string[]; isAll: boolean; total?: number };

async function toFound(db: Queryable, orgId: string, { ids, isAll, total }: Hits, range: Range): Promise<Found> {
  const end = range.offset + range.limit;
  const count = total ?? ids.length;
  const orders = await readInOrder(db, orgId, total === undefined ? ids.slice(range.offset, end) : ids);
  const totalIsCapped = !isAll || count > maxTotal;
  return { orders, hasMore: count > end, total: Math.min(count, maxTotal), totalIsCapped };
}

/** Which of the first orders have the words. */
async function lookThrough(
  db: Queryable,
  plan: OrderPlan,
  { rarest, others }: WordQuery,
  window: number,
): Promise<Hits> {
  const [row] = await db.query<{ seen: number; ids: string[] }>(
    `with seen as materialized (${slice(plan, plan.branches, window + 1, 0, ", o.search")}),
          hits as (select * from seen where search @@ $${plan.values.length + 1}::tsquery)
     select (select count(*) from seen) as seen, array(select id from hits order by ${orderOf(plan)}) as ids`,
    [...plan.values, others === undefined ? rarest : `${rarest} & ${others}`],
  );
  return { ids: row!.ids, isAll: row!.seen <= window };
}

/** The page from all orders with the words; with a total above `most` it is not the page, since not all were read. */
async function findByWords(
  db: Queryable,
  plan: OrderPlan,
  words: WordQuery,
  { limit, offset }: Range,
  most?: number,
): Promise<{ total: number; ids: string[] }> {
  const { values, both } = bindWords(plan, words);
  const parts = plan.branches.map((branch) => select(plan, branch, both));
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `with hits as materialized (${parts.join(" union all ")}${most === undefined ? "" : ` limit ${most + 1}`})
     select (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(plan)} limit ${limit} offset ${offset}) as ids`,
    values,
  );
  return row!;
}

/** `strip` keeps the index from being asked for the frequent words too, which costs more than it saves. */
function bindWords(plan: OrderPlan, { rarest, others }: WordQuery): { values: unknown[]; both: string } {
  const values = [...plan.values, rarest];
  const first = ` and o.search @@ $${values.length}::tsquery`;
  if (others === undefined) return { values, both: first };
  values.push(others);
  return { values, both: `${first} and strip(o.search) @@ $${values.length}::tsquery` };
}

async function readInOrder(db: Queryable, orgId: string, ids: string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const byId = new Map((await readOrders(db, orgId, ids)).map((order) => [order.id, order]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The next orders after `after`, newest first; for reading all of them without keeping a transaction open. */
export async function readNextOrders(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  after: OrderKey | undefined,
  limit: number,
): Promise<{ orders: Order[]; last: OrderKey | undefined }> {
  const plan = planOrders(orgId, filter, "-createdAt", after);
  const { values, both } = plan.words === undefined ? { values: plan.values, both: "" } : bindWords(plan, plan.words);
  const branches = plan.branches.map(({ where, rank }) => ({ where: where + both, rank }));
  const rows = await db.query<OrderRow>(
    `select ${orderColumns} from (${slice(plan, branches, limit, 0)}) p
       join orders o on o.id = p.id order by ${orderOf(plan, "p")}`,
    values,
  );
  const last = rows.at(-1);
  return { orders: rows.map(toOrder), last: last && { id: last.id, createdAt: last.created_at } };
}

/** Per status, and how many are on hold whatever their status. */
export async function countByStatus(
  db: Queryable,
  orgId: string,
  archived: boolean[],
): Promise<{ name: string; count: number }[]> {
  return await db.query<{ name: string; count: number }>(
    `select status as name, count(*) as count from orders where org_id = $1 and is_archived = any($2) group by status
     union all
     select 'on_hold', count(*) from orders where org_id = $1 and is_archived = any($2) and on_hold`,
    [orgId, archived],
  );
}

/** Every branch is served by an index in the wanted order, so that each reads no more than it gives. */
function slice(plan: OrderPlan, branches: Branch[], end: number, offset: number, more = ""): string {
  const order = `order by ${plan.key} ${plan.direction}, ${plan.id} ${plan.direction}`;
  const parts = branches.map((branch) => `${select(plan, branch, "", more)} ${order}`);
  if (branches.length === 1) return `${parts[0]} limit ${end - offset} offset ${offset}`;
  const union = parts.map((part) => `(${part} limit ${end})`).join(" union all ");
  return `select * from (${union}) u order by ${orderOf(plan)} limit ${end - offset} offset ${offset}`;
}

function select(plan: OrderPlan, { where, rank }: Branch, match = "", more = ""): string {
  return `select ${plan.id} as id, ${plan.key} as k, ${rank} as r${more} from ${plan.from} where ${where}${match}`;
}

function orderOf({ direction }: OrderPlan, alias?: string): string {
  const at = alias === undefined ? "" : `${alias}.`;
  return `${at}r, ${at}k ${direction}, ${at}id ${direction}`;
}
