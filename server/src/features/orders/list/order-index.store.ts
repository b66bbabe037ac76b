import type { Queryable, Tx } from "../../../db/database.ts";
import type { OrderFilter } from "../order-filter.schemas.ts";
import type { Order, OrderFields } from "../order.ts";
import { archivedOptions } from "./order-filter.store.ts";
import { failedFacet, foldTag, facetsOf } from "./order-facets.ts";
import { indexWords, searchParts } from "./search-words.ts";

/** An order before and after a change; new orders have no `before`. */
export type OrderMove = { before?: Order; after: Order };

/** Updates the tag table for these orders. */
export function keepTags(tx: Tx, orgId: string, moves: OrderMove[]): void {
  keepListed(tx, orgId, ["order_tags", "tag"], moves, ({ tags }) => tags.map(foldTag));
}

/** Updates the facet table for these orders, except the facets set by runs. */
export function updateFacets(tx: Tx, orgId: string, moves: OrderMove[]): void {
  keepListed(tx, orgId, ["order_facets", "facet"], moves, facetsOf);
  const moved = moves.filter(({ before, after }) => before && isArchived(before) !== isArchived(after));
  if (moved.length === 0) return;
  tx.queue(
    `update order_facets m set is_archived = u.is_archived from unnest($2::uuid[], $3::boolean[]) as u (id, is_archived)
      where m.org_id = $1 and m.order_id = u.id and m.facet = '${failedFacet}' and m.is_archived <> u.is_archived`,
    [orgId, moved.map(({ after }) => after.id), moved.map(({ after }) => isArchived(after))],
  );
}

const isArchived = ({ archivedAt }: Order): boolean => archivedAt !== null;

type Listed = { order: Order; name: string };

/** Writes only added and removed values. */
function keepListed(
  tx: Tx,
  orgId: string,
  [table, column]: ["order_tags", "tag"] | ["order_facets", "facet"],
  moves: OrderMove[],
  namesOf: (order: Order) => string[],
): void {
  const [gone, come]: [Listed[], Listed[]] = [[], []];
  for (const { before, after } of moves) {
    const names = new Set(namesOf(after));
    const known = new Set(before ? namesOf(before) : []);
    const isMoved = before !== undefined && isArchived(before) !== isArchived(after);
    for (const name of known) if (isMoved || !names.has(name)) gone.push({ order: before!, name });
    for (const name of names) if (isMoved || !known.has(name)) come.push({ order: after, name });
  }
  if (gone.length > 0) {
    tx.queue(
      `delete from ${table} t using unnest($2::uuid[], $3::text[], $4::boolean[]) as u (id, name, is_archived)
        where t.org_id = $1 and t.order_id = u.id and t.${column} = u.name and t.is_archived = u.is_archived`,
      [orgId, ...columnsOf(gone)],
    );
  }
  if (come.length === 0) return;
  tx.queue(
    `insert into ${table} (org_id, is_archived, ${column}, created_at, order_id)
     select $1::uuid, u.is_archived, u.name, u.created_at, u.id
       from unnest($2::uuid[], $3::text[], $4::boolean[], $5::timestamptz[]) as u (id, name, is_archived, created_at)
     on conflict do nothing`,
    [orgId, ...columnsOf(come), come.map(({ order }) => order.createdAt)],
  );
}

const columnsOf = (listed: Listed[]): [ids: string[], names: string[], archived: boolean[]] => [
  listed.map(({ order }) => order.id),
  listed.map(({ name }) => name),
  listed.map(({ order }) => isArchived(order)),
];

/** Records whether the last run failed for these orders, which the run has locked. */
export function markLastRun(
  tx: Tx,
  orgId: string,
  { failed, succeeded }: { failed: string[]; succeeded: string[] },
): void {
  if (succeeded.length > 0) {
    tx.queue(`delete from order_facets where org_id = $1 and order_id = any($2::uuid[]) and facet = '${failedFacet}'`, [
      orgId,
      succeeded,
    ]);
  }
  if (failed.length === 0) return;
  tx.queue(
    `insert into order_facets (org_id, is_archived, facet, created_at, order_id)
     select org_id, is_archived, '${failedFacet}', created_at, id from (
       select * from orders where org_id = $1 and id = any($2::uuid[]) order by id for no key update) o
     on conflict do nothing`,
    [orgId, failed],
  );
}

/** Updates the search index for these fields. New orders have no entries yet. */
export function keepWords(
  tx: Tx,
  orgId: string,
  orders: Order[],
  fields: ReadonlySet<keyof OrderFields> | "new",
): void {
  const records = searchParts.flatMap((searched, part) => {
    if (fields !== "new" && !searched.fields.some((field) => fields.has(field))) return [];
    const rows = orders.map((order) => ({
      id: order.id,
      part,
      created_at: order.createdAt,
      is_archived: isArchived(order),
      words: indexWords(orgId, searched.texts(order)).join(" "),
    }));
    return fields === "new" ? rows.filter(({ words }) => words !== "") : rows;
  });
  if (records.length > 0) {
    tx.queue(
      `insert into order_search as s (org_id, order_id, part, created_at, is_archived, words)
       select $1::uuid, u.id, u.part, u.created_at, u.is_archived, array_to_tsvector(string_to_array(u.words, ' '))
         from jsonb_to_recordset($2::jsonb) as u (id uuid, part smallint, created_at timestamptz, is_archived boolean, words text)
       on conflict (order_id, part) do update set words = excluded.words where s.words <> excluded.words`,
      [orgId, JSON.stringify(records)],
    );
  }
  if (fields === "new" || !fields.has("archivedAt")) return;
  const archived = orders.map(isArchived);
  tx.queue(
    `update order_search s set is_archived = u.is_archived from unnest($2::uuid[], $3::boolean[]) as u (id, is_archived)
      where s.org_id = $1 and s.order_id = u.id and s.is_archived <> u.is_archived`,
    [orgId, orders.map(({ id }) => id), archived],
  );
}

const worthFolding = 50;

/** Merges counter rows, so that counting reads only a few. */
export async function foldCountsAcrossOrgs(db: Queryable): Promise<void> {
  await db.query(
    `with many as (select org_id from order_counts group by org_id having count(*) > ${worthFolding}),
          gone as (delete from order_counts c using many m where c.org_id = m.org_id returning c.*)
     insert into order_counts (org_id, is_archived, status, on_hold, orders)
     select org_id, is_archived, status, on_hold, sum(orders) from gone
      group by org_id, is_archived, status, on_hold having sum(orders) <> 0`,
  );
}

/** Counts per status, and of orders on hold in any status. */
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

const countedBy = new Set(["archived", "status", "statusNot"]);

/** Whether the counters answer this filter without counting orders. */
export function isCounted(filter: OrderFilter): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || countedBy.has(name));
}

export async function sumCounts(
  db: Queryable,
  orgId: string,
  { archived, status, statusNot = [] }: OrderFilter,
): Promise<number> {
  // An order on hold also has a status.
  const [row] = await db.query<{ total: number }>(
    `select coalesce(sum(orders), 0)::integer as total from order_counts
      where org_id = $1 and is_archived = any($2)
        and ($3::text[] is null or status = any($3) or (on_hold and 'on_hold' = any($3)))
        and not (status = any($4::text[]) or (on_hold and 'on_hold' = any($4)))`,
    [orgId, archivedOptions(archived), status ?? null, statusNot],
  );
  return row!.total;
}
