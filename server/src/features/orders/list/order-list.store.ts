import type { Queryable } from "../../../db/database.ts";
import type { Order } from "../order.ts";
import type { OrderRow } from "../order-columns.ts";
import { orderColumns, toOrder } from "../order-columns.ts";
import type { SortName } from "../order-answers.schemas.ts";
import type { OrderFilter, OrderKey, OrderPlan } from "./order-filter.store.ts";
import { planOrders } from "./order-filter.store.ts";
import { matchWords, searchOrders } from "./order-search.store.ts";
import type { Range } from "./order-slice.store.ts";
import { orderOf, slice } from "./order-slice.store.ts";
import { readOrders } from "../orders.store.ts";
import type { SearchWord } from "./search-words.ts";

/** Totals are counted up to here: beyond, nobody needs the figure as much as a fast answer. */
export const maxTotal = 10_000;
const worthCounting = 500;

export type Found = { orders: Order[]; hasMore: boolean; total: number; totalIsCapped: boolean };

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
  if (plan.words !== undefined) return await findBySearch(db, orgId, plan, plan.words, range);
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

async function findBySearch(
  db: Queryable,
  orgId: string,
  plan: OrderPlan,
  words: SearchWord[],
  range: Range,
): Promise<Found> {
  const { ids, total, isAll } = await searchOrders(db, plan, words, range);
  const orders = await readInOrder(db, orgId, ids);
  const hasMore = total > range.offset + range.limit;
  return { orders, hasMore, total: Math.min(total, maxTotal), totalIsCapped: !isAll || total > maxTotal };
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
  const { values, match } =
    plan.words === undefined ? { values: plan.values, match: "" } : await matchWords(db, plan, plan.words);
  const branches = plan.branches.map(({ where, rank }) => ({ where: where + match, rank }));
  const rows = await db.query<OrderRow>(
    `select ${orderColumns} from (${slice(plan, branches, limit, 0)}) p
       join orders o on o.id = p.id order by ${orderOf(plan, "p")}`,
    values,
  );
  const last = rows.at(-1);
  return { orders: rows.map(toOrder), last: last && { id: last.id, createdAt: last.created_at } };
}
