import type { Page, PageRequest } from "../core/page.ts";
import { offsetOf, toPage } from "../core/page.ts";
import type { Queryable } from "./database.ts";

/** A condition of a list. Each `?` is the value; a condition whose value is null or undefined is omitted. */
export type Condition = string | readonly [text: string, value: unknown];

/** The conjunction for `where`. Appends the values to those of the statement. */
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
  /** Values of $1, $2 and so on in `from`. */
  values?: readonly unknown[];
  where: readonly Condition[];
  orderBy: string;
  /** The number of rows, if it is known without counting. */
  total?: number | undefined;
};

export async function listPage<Row>(db: Queryable, query: PageRequest, list: List): Promise<Page<Row>> {
  const values = [...(list.values ?? [])];
  const from = `from ${list.from} where ${meetAll(list.where, values)}`;
  const rows = await db.query<Row>(
    `select ${list.select} ${from} order by ${list.orderBy} limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  return toPage(rows, totalFrom(rows, query) ?? list.total ?? (await count(db, from, values)), query);
}

/** The total, if the page is the last one: it is not full, and not past the end. */
function totalFrom(rows: unknown[], query: PageRequest): number | undefined {
  const isLast = rows.length < query.limit && (rows.length > 0 || query.page === 1);
  return isLast ? offsetOf(query) + rows.length : undefined;
}

async function count(db: Queryable, from: string, values: unknown[]): Promise<number> {
  const [row] = await db.query<{ total: number }>(`select count(*) as total ${from}`, values);
  return row!.total;
}

/** LIKE pattern for "contains this text", with % _ \ escaped. */
export function likePattern(text: string): string;
export function likePattern(text: string | undefined): string | undefined;
export function likePattern(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
