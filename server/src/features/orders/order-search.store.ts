import type { Queryable } from "../../db/database.ts";
import type { OrderPlan } from "./order-filter.store.ts";
import type { Range } from "./order-slice.store.ts";
import { orderOf, select, slice } from "./order-slice.store.ts";
import { binder, entriesOf, lastWeek, listOf, matchAll, matchOthers, maxEntries } from "./order-words.store.ts";
import type { SearchWord } from "./search-words.ts";

/** How many of the first orders are looked through for frequent words. */
const searchWindow = 1_000;
const maxSearchWindow = 50_000;
/** Words that have not met in so many orders hardly ever do: their lists are shorter than what would be looked through. */
const hopelessWindow = 8_000;

/** The ids of a page, and how many orders there are or, unless `isAll`, at least are. */
export type Hits = { ids: string[]; total: number; isAll: boolean };

/** How far the first entries of a word reach. */
type Reach = { word: SearchWord; entries: number; stopped_in: number | null };

/**
 * Orders with rare words are read from the table of words, where all that begin alike lie together, week by week. A
 * word that many orders have is found among the first orders at once. So the work is bounded, which the planner cannot
 * promise: it does not know how often the beginning of a word occurs.
 */
export async function searchOrders(db: Queryable, plan: OrderPlan, words: SearchWord[], range: Range): Promise<Hits> {
  return (
    (plan.isOnlySearch && words.length === 1
      ? await readFirst(db, plan, words[0]!, range)
      : await readByRarest(db, plan, words, range)) ??
    (await lookAround(db, plan, words, range)) ??
    (await readAll(db, plan, words, words, range))
  );
}

/** The page from the first entries of a word. Undefined when they do not reach far enough to be sure of it. */
async function readFirst(db: Queryable, plan: OrderPlan, word: SearchWord, range: Range): Promise<Hits | undefined> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const order = `order by k ${plan.direction}, id ${plan.direction}`;
  const [from, end] = [range.offset + 1, range.offset + range.limit + 1];
  type Row = { entries: number; total: number; ids: string[]; week: number; stopped_in: number; is_one_word: boolean };
  const [row] = await db.query<Row>(
    `select count(*) as entries, count(distinct id) as total, min(word) = max(word) as is_one_word,
       (array_agg(id ${order}))[${from}:${end}] as ids, (array_agg(week ${order}))[${end}] as week,
       ${lastWeek(plan)} as stopped_in
       from (${entriesOf(plan, word, bind)} limit ${maxEntries + 1}) e`,
    values,
  );
  const { entries, total, week, stopped_in, is_one_word } = row!;
  const ids = row!.ids ?? [];
  const isAll = entries <= maxEntries;
  // Some orders have several words that begin so.
  if (total < entries) return isAll ? await readAll(db, plan, [word], [word], range) : undefined;
  const isInOrder = is_one_word && plan.archived.length === 1;
  if (!isAll && (ids.length <= range.limit || (week === stopped_in && !isInOrder))) return undefined;
  return { ids: ids.slice(0, range.limit), total, isAll };
}

/** The page from all orders with the rare ones of the words, or from the first orders with the rarest one. */
async function readByRarest(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  range: Range,
): Promise<Hits | undefined> {
  const reaches = await findReaches(db, plan, words);
  const rare = rareOf(reaches);
  if (rare.length > 0) return await readAll(db, plan, words, rare, range);
  if (!plan.isByCreation) return undefined;
  const sign = plan.direction === "desc" ? 1 : -1;
  const [rarest] = reaches.toSorted((a, b) => sign * (a.stopped_in! - b.stopped_in!));
  const { values, bind } = binder(plan.values);
  const found = `with entries as materialized (${entriesOf(plan, rarest!.word, bind)} limit ${maxEntries + 1}),
    found as materialized (select distinct id from entries where week <> ${rarest!.stopped_in})`;
  const hits = await readFound(db, plan, found, ` and ${matchOthers(words, [rarest!.word], bind)}`, values, range);
  return hits.total > range.offset + range.limit ? { ...hits, isAll: false } : undefined;
}

/** The page from the first orders, looked through one by one; from more of them if it should be in reach. */
async function lookAround(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  range: Range,
): Promise<Hits | undefined> {
  const end = range.offset + range.limit;
  // Further pages look further, so that they are found in the same way.
  let window = Math.min(searchWindow * Math.ceil(end / range.limit), maxSearchWindow);
  while (window <= maxSearchWindow) {
    const { values, bind } = binder(plan.values);
    const isHit = `, ${matchAll(words, bind)} as is_hit`;
    const [row] = await db.query<{ seen: number; ids: string[] | null }>(
      `select count(*) as seen, array_agg(id order by ${orderOf(plan)}) filter (where is_hit) as ids
         from (${slice(plan, plan.branches, window + 1, 0, isHit)}) s`,
      values,
    );
    const ids = row!.ids ?? [];
    const isAll = row!.seen <= window;
    if (isAll || ids.length > end) return { ids: ids.slice(range.offset, end), total: ids.length, isAll };
    if (ids.length === 0 && window >= hopelessWindow) return undefined;
    window = Math.max(2 * window, Math.ceil((window * (end + 1) * 1.3) / Math.max(1, ids.length)));
  }
  return undefined;
}

/** The page from all orders with the words; `listed` are those of them that are looked up in their table. */
async function readAll(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  listed: SearchWord[],
  range: Range,
): Promise<Hits> {
  const isListOnly = plan.isOnlySearch && listed.length === words.length;
  const { values, bind } = binder(plan.values);
  const found = `with found as materialized (${listOf(plan, listed, bind)})`;
  const match = isListOnly ? undefined : ` and ${matchOthers(words, listed, bind)}`;
  return { ...(await readFound(db, plan, found, match, values, range)), isAll: true };
}

/** The page from the orders in `found`: those that match, or without looking at them. */
async function readFound(
  db: Queryable,
  plan: OrderPlan,
  found: string,
  match: string | undefined,
  values: unknown[],
  { limit, offset }: Range,
): Promise<{ total: number; ids: string[] }> {
  const own = (branch: OrderPlan["branches"][number]): string =>
    `select h.* from found f cross join lateral (${select(plan, branch, ` and ${plan.id} = f.id${match} offset 0`)}) h`;
  const parts = match === undefined ? ["select id, k, 0 as r from found"] : plan.branches.map(own);
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `${found}, hits as materialized (${parts.join(" union all ")})
     select (select count(*) from hits) as total,
       array(select id from hits order by ${orderOf(plan)} limit ${limit} offset ${offset}) as ids`,
    values,
  );
  return row!;
}

/** A condition that all and only orders with the words meet, and the values that it needs beside those of the plan. */
export async function matchWords(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
): Promise<{ values: unknown[]; match: string }> {
  const rare = rareOf(await findReaches(db, plan, words));
  const { values, bind } = binder(plan.values);
  const others = matchOthers(words, rare, bind);
  if (rare.length === 0) return { values, match: ` and ${others}` };
  const list = listOf(plan, rare, bind);
  return { values, match: ` and ${others} and ${plan.id} = any(array(select f.id from (${list}) f))` };
}

async function findReaches(db: Queryable, plan: OrderPlan, words: SearchWord[]): Promise<Reach[]> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const reaches = words.map(
    (word, i) =>
      `select ${i} as position, count(*) as entries, ${lastWeek(plan)} as stopped_in
         from (${entriesOf(plan, word, bind)} limit ${maxEntries + 1}) e`,
  );
  const rows = await db.query<Omit<Reach, "word"> & { position: number }>(reaches.join(" union all "), values);
  return rows.map(({ position, entries, stopped_in }) => ({ word: words[position]!, entries, stopped_in }));
}

/** Words in so few entries that all of them are read. */
function rareOf(reaches: Reach[]): SearchWord[] {
  return reaches.filter(({ entries }) => entries <= maxEntries).map(({ word }) => word);
}
