import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Queryable } from "../../db/database.ts";
import { findByKind } from "./item-kinds.store.ts";
import type { ItemQuery } from "./rate-comparisons.schemas.ts";
import type { FoundItems, ItemRow, Shown } from "./rate-item-list.store.ts";
import { findItems, readItems } from "./rate-item-list.store.ts";

/** First which items, then all about these. Undefined: another revision took the place of this one meanwhile. */
export async function listItems(db: Queryable, shown: Shown, query: ItemQuery): Promise<Page<ItemRow> | undefined> {
  const { positions, total } = await findPage(db, shown, query);
  const rows = await readItems(db, shown, positions);
  return rows && toPage(rows, total, query);
}

/** Items are numbered, and their kinds tell which are meant; all of them are looked at where that is not enough. */
async function findPage(db: Queryable, shown: Shown, query: ItemQuery): Promise<FoundItems> {
  const { search, minSavings, sort = "position", page, limit, ...filter } = query;
  const from = offsetOf({ page, limit });
  if (search !== undefined || minSavings !== undefined) return await findItems(db, shown, query);
  if (Object.values(filter).every((value) => value === undefined) && sort === "position") {
    const total = shown.itemCount;
    return { total, positions: Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, i) => from + i) };
  }
  if (!shown.isListed) return await findItems(db, shown, query);
  const found = await findByKind(db, shown, filter, sort === "position" ? from + limit : 0);
  if (sort === "position") return { ...found, positions: found.positions.slice(from) };
  return await findItems(db, shown, query, found.total);
}
