import type { Queryable, Tx } from "../../../db/database.ts";
import type { Order } from "../order.ts";
import { searchWords } from "../order.ts";
import { markLength, scopeWord } from "./search-words.ts";

/** The table of tags says afterwards what these orders say. */
export async function keepTags(tx: Tx, orgId: string, orders: Order[]): Promise<void> {
  if (orders.length === 0) return;
  const records = orders.map(({ id, tags, createdAt, archivedAt }) => ({
    id,
    tags,
    created_at: createdAt,
    is_archived: archivedAt !== null,
  }));
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset($2::jsonb) as u (id uuid, tags text[], created_at timestamptz, is_archived boolean)),
     gone as (
       delete from order_tags t using given g where t.org_id = $1 and t.order_id = g.id
          and not (t.tag = any(g.tags) and t.is_archived = g.is_archived))
     insert into order_tags (org_id, is_archived, tag, created_at, order_id)
     select $1::uuid, g.is_archived, tag, g.created_at, g.id from given g, unnest(g.tags) as tag on conflict do nothing`,
    [orgId, JSON.stringify(records)],
  );
}

/** To be called before the orders are written: what they are found by until then is read from them. */
export async function keepWords(tx: Tx, orgId: string, orders: Order[]): Promise<void> {
  if (orders.length === 0) return;
  const records = orders.map((order) => ({
    id: order.id,
    words: searchWords(order).map((word) => scopeWord(orgId, word)),
    is_archived: order.archivedAt !== null,
  }));
  await tx.query(
    `with stored as materialized (
       select o.id, o.created_at, o.is_archived, o.search, g.words, g.is_archived as will_be, o.is_archived <> g.is_archived as moves
         from jsonb_to_recordset($2::jsonb) as g (id uuid, words text[], is_archived boolean)
         join orders o on o.org_id = $1 and o.id = g.id),
     gone as (
       delete from order_words w using stored s, unnest(s.search) as l
        where w.org_id = $1 and w.is_archived = s.is_archived and w.week = order_week(s.created_at) and w.word = ${wordOf("l.lexeme")}
          and w.created_at = s.created_at and w.order_id = s.id and (s.moves or l.lexeme <> all(s.words)))
     insert into order_words (org_id, order_id, created_at, week, is_archived, word)
     select $1::uuid, s.id, s.created_at, order_week(s.created_at), s.will_be, ${wordOf("word")} from stored s, unnest(s.words) as word
      where s.moves or word <> all(tsvector_to_array(s.search))`,
    [orgId, JSON.stringify(records)],
  );
}

/** SQL for a word without the mark that it has in the column of an order. */
export function wordOf(lexeme: string): string {
  return `substr(${lexeme}, ${markLength + 1})`;
}

const worthFolding = 50;

/** Adds up what changes have left, so that counting stays a matter of a few rows. */
export async function foldCountsAcrossOrgs(db: Queryable): Promise<void> {
  await db.query(
    `with many as (select org_id from order_counts group by org_id having count(*) > ${worthFolding}),
          gone as (delete from order_counts c using many m where c.org_id = m.org_id returning c.*)
     insert into order_counts (org_id, is_archived, status, on_hold, orders)
     select org_id, is_archived, status, on_hold, sum(orders) from gone
      group by org_id, is_archived, status, on_hold having sum(orders) <> 0`,
  );
}

/** Per status, and how many are on hold whatever their status. */
export async function countByStatus(
  db: Queryable,
  orgId: string,
  archived: boolean[],
): Promise<{ name: string; count: number }[]> {
  return await db.query<{ name: string; count: number }>(
    `with counted as materialized (select * from order_counts where org_id = $1 and is_archived = any($2))
     select status as name, sum(orders)::integer as count from counted group by status
     union all
     select 'on_hold', coalesce(sum(orders), 0)::integer from counted where on_hold`,
    [orgId, archived],
  );
}
