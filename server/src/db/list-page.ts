import type { Page, PageRequest } from "../core/page.ts";
import { offsetOf, toPage } from "../core/page.ts";
import type { Queryable } from "./database.ts";

/** One condition of a list. `?` stands for the value, each time it occurs; without a value there is no condition. */
export type Condition = string | readonly [text: string, value: unknown];

/** All that have to be met, for `where`. The values are added to those that the statement has already. */
export function meetAll(conditions: readonly Condition[], values: unknown[]): string {
  const texts = conditions.flatMap((condition) => {
    if (typeof condition === "string") return condition;
    const [text, value] = condition;
    return value == null ? [] : text.replaceAll("?", `$${values.push(value)}`);
  });
  return texts.length === 0 ? "true" : texts.join(" and ");
}

type List = {
  select: string;
  from: string;
  /** What `from` calls $1, $2 and so on. */
  values?: readonly unknown[];
  where: readonly Condition[];
  orderBy: string;
  /** Where it is known without counting. */
  total?: number | undefined;
};

export async function listPage<Row>(db: Queryable, query: PageRequest, list: List): Promise<Page<Row>> {
  const values = [...(list.values ?? [])];
  const from = `from ${list.from} where ${meetAll(list.where, values)}`;
  const rows = await db.query<Row>(
    `select ${list.select} ${from} order by ${list.orderBy} limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  return toPage(rows, countedBy(rows, query) ?? list.total ?? (await count(db, from, values)), query);
}

/** A page that is not full is the last one and tells how many there are; one behind the end tells nothing. */
function countedBy(rows: unknown[], query: PageRequest): number | undefined {
  const isLast = rows.length < query.limit && (rows.length > 0 || query.page === 1);
  return isLast ? offsetOf(query) + rows.length : undefined;
}

async function count(db: Queryable, from: string, values: unknown[]): Promise<number> {
  const [row] = await db.query<{ total: number }>(`select count(*) as total ${from}`, values);
  return row!.total;
}

/** "Contains this text" for LIKE, with the text's own % _ \ taken literally. */
export function likePattern(text: string): string;
export function likePattern(text: string | undefined): string | undefined;
export function likePattern(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
