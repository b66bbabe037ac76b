import type { OrderPlan } from "./order-filter.store.ts";
import type { SearchWord } from "./search-words.ts";

/** So many entries of the table of words are read for a search, and so many orders are counted. */
export const maxEntries = 1_000;

export type Bind = (value: unknown) => string;

export function binder(bound: unknown[]): { values: unknown[]; bind: Bind } {
  const values = [...bound];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * Where a word lies in its table: one stretch for each week, those weeks first that the list has first. In a stretch
 * all that is the same word is in the order of the list, too.
 */
export function entriesOf(plan: OrderPlan, { from, until }: SearchWord, bind: Bind): string {
  const [low, high] = [bind(from), until === undefined ? undefined : bind(until)];
  const bounds = `w.word >= ${low}${high === undefined ? "" : ` and w.word < ${high}`}`;
  const { direction } = plan;
  const stretches = plan.archived.map(
    (isArchived) =>
      `(select w.order_id as id, w.created_at as k, w.word from order_words w
        where w.org_id = $1 and w.is_archived = ${isArchived} and w.week = m.week and ${bounds}
        order by w.word ${direction}, w.created_at ${direction}, w.order_id ${direction})`,
  );
  const edge = (which: "min" | "max"): string =>
    plan.archived
      .map((a) => `(select ${which}(week) from order_words where org_id = $1 and is_archived = ${a})`)
      .join(", ");
  const [newest, oldest] = [`greatest(${edge("max")})`, `least(${edge("min")})`];
  const weeks = direction === "desc" ? `${newest}, ${oldest}, -1` : `${oldest}, ${newest}, 1`;
  // `offset 0` keeps the planner from reading all weeks at once.
  return `select e.id, e.k, e.word, m.week from generate_series(${weeks}) as m (week)
    cross join lateral (${stretches.join(" union all ")} offset 0) e`;
}

/** The week in which the reading stopped, if it was not read to its end. */
export function lastWeek({ direction }: OrderPlan): string {
  return direction === "desc" ? "min(week)" : "max(week)";
}

/** Each order that has all of these words, once. */
export function listOf(plan: OrderPlan, words: SearchWord[], bind: Bind): string {
  return words.map((word) => `select distinct id, k from (${entriesOf(plan, word, bind)}) e`).join(" intersect ");
}

/** A condition on orders for the words that are not looked up in their table. */
export function matchOthers(words: SearchWord[], listed: SearchWord[], bind: Bind): string {
  const others = words.filter((word) => !listed.includes(word));
  return others.length === 0 ? "true" : matchAll(others, bind);
}

export function matchAll(words: SearchWord[], bind: Bind): string {
  return `o.search @@ ${bind(words.map(({ term }) => term).join(" & "))}::tsquery`;
}
