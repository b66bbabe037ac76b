import type { Queryable } from "../../db/database.ts";
import type { OrderPlan } from "./order-filter.store.ts";
import { orderOf, type Range, select, slice } from "./order-slice.store.ts";
import type { SearchWord } from "./search-words.ts";

/** Words in no more entries than this are rare: all orders with them are read, and counted. */
const maxRare = 2_000;
/** How many of the first orders are looked through for words that are not rare. */
const searchWindow = 1_000;
const maxSearchWindow = 50_000;

/** The ids of a page, how many orders there are, or, unless `isAll`, at least are. */
export type Hits = { ids: string[]; total: number; isAll: boolean };

/** The words of a search, and those of them that are rare. */
type Searched = { words: SearchWord[]; rare: SearchWord[] };

/**
 * Orders with rare words are read from the table of words, where all that begin alike lie together. A word that many
 * orders have is found among the first orders at once, and one in between in whichever way is shorter. So the work is
 * bounded, which the planner cannot promise: it does not know how often the beginning of a word occurs.
 */
export async function searchOrders(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  range: Range,
  maxTotal: number,
): Promise<Hits> {
  const rare = await findRare(db, plan, words, maxRare);
  if (rare.length > 0) return await readAll(db, plan, { words, rare }, range);
  const end = range.offset + range.limit;
  // Further pages look further, so that they are found in the same way.
  const window = Math.min(searchWindow * Math.ceil(end / range.limit), maxSearchWindow);
  const near = await lookThrough(db, plan, words, window);
  if (near.isAll || near.total > end) return pageOf(near, range);
  const lessRare = await findRare(db, plan, words, maxTotal);
  if (lessRare.length > 0) return await readAll(db, plan, { words, rare: lessRare }, range);
  // As far as the page should reach at this rate.
  const needed = Math.ceil((window * (end + 1) * 1.3) / Math.max(1, near.total));
  if (needed <= maxSearchWindow) {
    const far = await lookThrough(db, plan, words, needed);
    if (far.isAll || far.total > end) return pageOf(far, range);
  }
  return await readAll(db, plan, { words, rare: words }, range);
}

/** A condition on `o` that all and only orders with the words meet; binds its values to the plan's. */
export async function matchWords(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
): Promise<{ values: unknown[]; match: string }> {
  const rare = await findRare(db, plan, words, maxRare);
  const { values, bind } = binder(plan.values);
  const conditions = [matches(words, rare, bind)];
  if (rare.length > 0) conditions.push(`${plan.id} in (select f.id from (${listOf(plan, rare, bind)}) f)`);
  return { values, match: ` and ${conditions.join(" and ")}` };
}

async function findRare(db: Queryable, plan: OrderPlan, words: SearchWord[], most: number): Promise<SearchWord[]> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const counts = words.map((word) => {
    const entries = stretches(plan, word, bind, "1").join(" union all ");
    return `(select count(*) from (${entries} limit ${most + 1}) e)`;
  });
  const [row] = await db.query<{ counts: number[] }>(`select array[${counts.join(", ")}]::integer[] as counts`, values);
  return words.filter((_, i) => row!.counts[i]! <= most);
}

/** The page, out of all orders with the words. */
async function readAll(db: Queryable, plan: OrderPlan, { words, rare }: Searched, range: Range): Promise<Hits> {
  const { values, bind } = binder(plan.values);
  const found = `found as materialized (${listOf(plan, rare, bind)})`;
  const match = ` and ${plan.id} in (select f.id from found f) and ${matches(words, rare, bind)}`;
  // With nothing else asked for, the table of words says it all.
  const parts =
    plan.isOnlySearch && rare.length === words.length
      ? ["select id, k, 0 as r from found"]
      : plan.branches.map((branch) => select(plan, branch, match));
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `with ${found}, hits as materialized (${parts.join(" union all ")})
     select (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(plan)} limit ${range.limit} offset ${range.offset}) as ids`,
    values,
  );
  return { ...row!, isAll: true };
}

/** Which of the first orders have the words; all of their ids. */
async function lookThrough(db: Queryable, plan: OrderPlan, words: SearchWord[], window: number): Promise<Hits> {
  const { values, bind } = binder(plan.values);
  const [row] = await db.query<{ seen: number; ids: string[] }>(
    `with seen as materialized (${slice(plan, plan.branches, window + 1, 0, ", o.search")}),
          hits as (select * from seen where search @@ ${bind(toTsquery(words))}::tsquery)
     select (select count(*) from seen) as seen, array(select id from hits order by ${orderOf(plan)}) as ids`,
    values,
  );
  return { ids: row!.ids, total: row!.ids.length, isAll: row!.seen <= window };
}

function pageOf({ ids, ...hits }: Hits, { limit, offset }: Range): Hits {
  return { ...hits, ids: ids.slice(offset, offset + limit) };
}

type Bind = (value: unknown) => string;

function binder(bound: unknown[]): { values: unknown[]; bind: Bind } {
  const values = [...bound];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Each order that has all of these words, once. */
function listOf(plan: OrderPlan, words: SearchWord[], bind: Bind): string {
  const lists = words.map(
    (word) => `(${stretches(plan, word, bind, "w.order_id as id, w.created_at as k").join(" union ")})`,
  );
  return lists.length === 1 ? `select distinct * from ${lists[0]} l` : lists.join(" intersect ");
}

/** Where the word lies in its table: one stretch each for open and archived orders. */
function stretches(plan: OrderPlan, { from, until }: SearchWord, bind: Bind, columns: string): string[] {
  const [low, high] = [bind(from), until === undefined ? undefined : bind(until)];
  const bounds = `w.word >= ${low}${high === undefined ? "" : ` and w.word < ${high}`}`;
  return plan.archived.map(
    (isArchived) =>
      `select ${columns} from order_words w where w.org_id = $1 and w.is_archived = ${isArchived} and ${bounds}`,
  );
}

/** Those that are not looked up in their table are looked for in the order. */
function matches(words: SearchWord[], rare: SearchWord[], bind: Bind): string {
  const others = words.filter((word) => !rare.includes(word));
  return others.length === 0 ? "true" : `o.search @@ ${bind(toTsquery(others))}::tsquery`;
}

function toTsquery(words: SearchWord[]): string {
  return words.map(({ term }) => term).join(" & ");
}
