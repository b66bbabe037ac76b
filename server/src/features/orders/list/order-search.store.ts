import type { Queryable } from "../../../db/database.ts";
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

/** How far the first entries of a word reach; `sure` are those in weeks that were read to their end. */
type Reach = { word: SearchWord; entries: number; sure: number; stopped_in: number | null };

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
  const { reaches, hits } = plan.isOnlySearch
    ? await readTogether(db, plan, words, range)
    : { reaches: await findReaches(db, plan, words) };
  if (hits) return hits;
  const rare = rareOf(reaches);
  if (rare.length > 0) return await readAll(db, plan, words, rare, range);
  if (!plan.isByCreation) return undefined;
  const sign = plan.direction === "desc" ? 1 : -1;
  const [rarest] = reaches.toSorted((a, b) => sign * (a.stopped_in! - b.stopped_in!));
  const isWorthIt = rarest!.sure > range.offset + range.limit;
  return isWorthIt ? await readFirstOf(db, plan, words, rarest!.word, range) : undefined;
}

/**
 * How far the first entries of each word reach, and the page, if it can be told from what they have in common: where
 * all of them were read, nothing is missing.
 */
async function readTogether(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  { limit, offset }: Range,
): Promise<{ reaches: Reach[]; hits?: Hits }> {
  const { values, bind } = binder(plan.values.slice(0, 1));
  const lists = words.map(
    (word, i) => `e${i} as materialized (${entriesOf(plan, word, bind)} limit ${maxEntries + 1})`,
  );
  const reaches = words.map((_, i) => reachOf(plan, i, `e${i}`));
  const [edge, isBefore] = plan.direction === "desc" ? ["max", ">"] : ["min", "<"];
  const order = `order by k ${plan.direction}, id ${plan.direction}`;
  type Row = Omit<Reach, "word"> & { position: number; total: number; ids: string[] };
  const rows = await db.query<Row>(
    `with ${lists.join(", ")}, reaches as materialized (${reaches.join(" union all ")}),
       hits as materialized (
         select id, k from (${words.map((_, i) => `select id, k, week from e${i}`).join(" intersect ")}) b
         where coalesce(
           week ${isBefore} (select ${edge}(stopped_in) from reaches where entries > ${maxEntries}), true))
     select position, entries, sure, stopped_in, (select count(*) from hits) as total,
       array(select id from hits ${order} limit ${limit} offset ${offset}) as ids from reaches`,
    values,
  );
  const { ids, total } = rows[0]!;
  const found = rows.map(({ position, entries, sure, stopped_in }) => {
    return { word: words[position]!, entries, sure, stopped_in };
  });
  const rare = rareOf(found).length;
  if (rare === words.length) return { reaches: found, hits: { ids, total, isAll: true } };
  // With a rare word among them the total can be told, and so it has to be.
  const isEnough = rare === 0 && total > offset + limit;
  return isEnough ? { reaches: found, hits: { ids, total, isAll: false } } : { reaches: found };
}

/** The page from the first orders with this one of the words, of which no more are looked at than it needs. */
async function readFirstOf(
  db: Queryable,
  plan: OrderPlan,
  words: SearchWord[],
  word: SearchWord,
  { limit, offset }: Range,
): Promise<Hits | undefined> {
  const { values, bind } = binder(plan.values);
  const end = offset + limit;
  const isHit = matchOthers(words, [word], bind);
  const order = `order by f.k ${plan.direction}, f.id ${plan.direction}`;
  // An order is in one of the branches at most: which one is all the same here.
  const own = plan.branches.map(
    (branch) => `(${select(plan, branch, ` and ${plan.id} = f.id and ${isHit} offset 0`)})`,
  );
  const [row] = await db.query<{ ids: string[] }>(
    `with entries as materialized (${entriesOf(plan, word, bind)} limit ${maxEntries + 1}),
       found as materialized (
         select distinct id, k from entries where week <> (select ${lastWeek(plan)} from entries))
     select array(
       select h.id from (select f.id, f.k from found f ${order}) f cross join lateral (${own.join(" union all ")}) h
        ${order} limit ${end + 1}) as ids`,
    values,
  );
  const { ids } = row!;
  return ids.length > end ? { ids: ids.slice(offset, end), total: ids.length, isAll: false } : undefined;
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
  const reaches = words.map((word, i) => reachOf(plan, i, `(${entriesOf(plan, word, bind)} limit ${maxEntries + 1})`));
  const rows = await db.query<Omit<Reach, "word"> & { position: number }>(reaches.join(" union all "), values);
  return rows.map(({ position, ...reach }) => ({ ...reach, word: words[position]! }));
}

function reachOf(plan: OrderPlan, position: number, entries: string): string {
  const lastFirst = plan.direction === "desc" ? "asc" : "desc";
  return `select ${position} as position, coalesce(sum(n), 0)::int as entries, ${lastWeek(plan)} as stopped_in,
    coalesce(sum(n) - (array_agg(n order by week ${lastFirst}))[1], 0)::int as sure
    from (select week, count(*) as n from ${entries} e group by week) w`;
}

/** Words in so few entries that all of them are read. */
function rareOf(reaches: Reach[]): SearchWord[] {
  return reaches.filter(({ entries }) => entries <= maxEntries).map(({ word }) => word);
}
