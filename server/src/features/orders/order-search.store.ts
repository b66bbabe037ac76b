import type { Queryable } from "../../db/database.ts";
import type { OrderPlan } from "./order-filter.store.ts";
import type { Range } from "./order-slice.store.ts";
import { orderOf, select, slice } from "./order-slice.store.ts";
import type { SearchWord } from "./search-words.ts";

/** So many entries of the table of words are read for a search, and orders with no more than these are counted. */
const maxEntries = 2_000;
/** How many of the first orders are looked through for words that are more frequent. */
const searchWindow = 1_000;
const maxSearchWindow = 50_000;

/** The ids of a page, and how many orders there are or, unless `isAll`, at least are. */
export type Hits = { ids: string[]; total: number; isAll: boolean };

/**
 * Orders with rare words are read from the table of words, where all that begin alike lie together, month by month. A
 * word that many orders have is found among the first orders at once. So the work is bounded, which the planner cannot
 * promise: it does not know how often the beginning of a word occurs.
 */
export async function searchOrders(db: Queryable, plan: OrderPlan, words: SearchWord[], range: Range): Promise<Hits> {
  const end = range.offset + range.limit;
  if (plan.isOnlySearch && words.length === 1) {
    const first = await readMonths(db, plan, words[0]!, range);
    if (first.isAll || first.total > end) return first;
  } else {
    const rare = await findRare(db, plan, words);
    if (rare.length > 0) return await readAll(db, plan, words, rare, range);
  }
  // Further pages look further, so that they are found in the same way.
  const window = Math.min(searchWindow * Math.ceil(end / range.limit), maxSearchWindow);
  const near = await lookThrough(db, plan, words, window, range);
  if (near.isAll || near.total > end) return near;
  // As far as the page should reach at this rate.
  const needed = Math.ceil((window * (end + 1) * 1.3) / Math.max(1, near.total));
  if (needed <= maxSearchWindow) {
    const far = await lookThrough(db, plan, words, needed, range);
    if (far.isAll || far.total > end) return far;
  }
  return await readAll(db, plan, words, words, range);
}

/** A condition that all and only orders with the words meet, and the values that it needs beside those of the plan. */
export async function matchWords(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
): Promise<{ values: unknown[]; match: string }> {
  const rare = await findRare(db, plan, words);
  const { values, bind } = binder(plan.values);
  const others = matchOthers(words, rare, bind);
  if (rare.length === 0) return { values, match: ` and ${others}` };
  return {
    values,
    match: ` and ${others} and ${plan.id} = any(array(select f.id from (${listOf(plan, rare, bind)}) f))`,
  };
}

/** Which of the words are in few enough entries for all of these to be read. */
async function findRare(db: Queryable, plan: OrderPlan, words: SearchWord[]): Promise<SearchWord[]> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const counts = words.map(
    (word) => `(select count(*) from (${entriesOf(plan, word, bind)} limit ${maxEntries + 1}) e)`,
  );
  const [row] = await db.query<{ counts: number[] }>(`select array[${counts.join(", ")}]::integer[] as counts`, values);
  return words.filter((_, i) => row!.counts[i]! <= maxEntries);
}

/** The page from as many of the first months as it takes; the month in which the reading stopped does not count. */
async function readMonths(db: Queryable, plan: OrderPlan, word: SearchWord, range: Range): Promise<Hits> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const [row] = await db.query<{ total: number; entries: number; ids: string[] }>(
    `with entries as materialized (${entriesOf(plan, word, bind)} limit ${maxEntries + 1}),
       read as (select count(*) as entries, ${plan.direction === "desc" ? "min" : "max"}(month) as last from entries),
       hits as materialized (
         select distinct id, k, 0 as r from entries, read where read.entries <= ${maxEntries} or month <> read.last)
     select (select entries from read) as entries, (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(plan)} limit ${range.limit} offset ${range.offset}) as ids`,
    values,
  );
  const { entries, total, ids } = row!;
  return { ids, total, isAll: entries <= maxEntries };
}

/** The page from all orders with the words; `listed` are those of them that are looked up in their table. */
async function readAll(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  listed: SearchWord[],
  range: Range,
): Promise<Hits> {
  const { values, bind } = binder(plan.values);
  const found = `found as materialized (${listOf(plan, listed, bind)})`;
  const match = ` and ${plan.id} = f.id and ${matchOthers(words, listed, bind)} offset 0`;
  const parts =
    plan.isOnlySearch && listed.length === words.length
      ? ["select id, k, 0 as r from found"]
      : plan.branches.map((branch) => `select h.* from found f cross join lateral (${select(plan, branch, match)}) h`);
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `with ${found}, hits as materialized (${parts.join(" union all ")})
     select (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(plan)} limit ${range.limit} offset ${range.offset}) as ids`,
    values,
  );
  return { ...row!, isAll: true };
}

/** Which of the first orders have the words. */
async function lookThrough(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  window: number,
  { limit, offset }: Range,
): Promise<Hits> {
  const { values, bind } = binder(plan.values);
  const isHit = `, o.search @@ ${bind(toTsquery(words))}::tsquery as is_hit`;
  const [row] = await db.query<{ seen: number; ids: string[] | null }>(
    `select count(*) as seen, array_agg(id order by ${orderOf(plan)}) filter (where is_hit) as ids
       from (${slice(plan, plan.branches, window + 1, 0, isHit)}) s`,
    values,
  );
  const ids = row!.ids ?? [];
  return { ids: ids.slice(offset, offset + limit), total: ids.length, isAll: row!.seen <= window };
}

type Bind = (value: unknown) => string;

function binder(bound: unknown[]): { values: unknown[]; bind: Bind } {
  const values = [...bound];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Each order that has all of these words, once. */
function listOf(plan: OrderPlan, words: SearchWord[], bind: Bind): string {
  return words.map((word) => `select distinct id, k from (${entriesOf(plan, word, bind)}) e`).join(" intersect ");
}

/** Where a word lies in its table: one stretch for each month, those first that the list has first. */
function entriesOf(plan: OrderPlan, { from, until }: SearchWord, bind: Bind): string {
  const [low, high] = [bind(from), until === undefined ? undefined : bind(until)];
  const bounds = `w.word >= ${low}${high === undefined ? "" : ` and w.word < ${high}`}`;
  const stretches = plan.archived.map(
    (isArchived) =>
      `select w.order_id as id, w.created_at as k from order_words w
        where w.org_id = $1 and w.is_archived = ${isArchived} and w.month = m.month and ${bounds}`,
  );
  const edge = (which: "min" | "max"): string =>
    plan.archived
      .map((a) => `(select ${which}(month) from order_words where org_id = $1 and is_archived = ${a})`)
      .join(", ");
  const [newest, oldest] = [`greatest(${edge("max")})`, `least(${edge("min")})`];
  const months = plan.direction === "desc" ? `${newest}, ${oldest}, -1` : `${oldest}, ${newest}, 1`;
  // `offset 0` keeps the planner from reading all months at once.
  return `select e.id, e.k, m.month from generate_series(${months}) as m (month)
    cross join lateral (${stretches.join(" union all ")} offset 0) e`;
}

/** Words that are not looked up in their table are looked for in the order. */
function matchOthers(words: SearchWord[], listed: SearchWord[], bind: Bind): string {
  const others = words.filter((word) => !listed.includes(word));
  return others.length === 0 ? "true" : `o.search @@ ${bind(toTsquery(others))}::tsquery`;
}

function toTsquery(words: SearchWord[]): string {
  return words.map(({ term }) => term).join(" & ");
}
