import type { Queryable } from "../../db/database.ts";
import { failedStepOf } from "./run/run-results.store.ts";
import { selectMatching } from "../orders/orders.ts";
import type { OrderFilter } from "../orders/order-filter.schemas.ts";
import type { SampledOrder, SelectionRequest } from "./selections.schemas.ts";

/** Orders per batch of a selection. */
export const selectionBatch = 1_000;
const sampleSize = 10;
/** Selections kept per organization; the oldest are deleted. */
const maxKept = 100;

export type SelectionRow = {
  id: string;
  /** Null: the orders were listed by `refs`. */
  filter: OrderFilter | null;
  matched: number;
  not_found: number;
  by_status: Record<string, number>;
  sample: SampledOrder[];
  as_of: Date;
  expires_at: Date;
};

export type NewSelection = Pick<SelectionRow, "id" | "filter" | "not_found" | "as_of" | "expires_at"> & {
  /** Instead of a filter. */
  named: string[];
  /** Instead of both. */
  run?: SelectedResults | undefined;
  excluded: string[];
  max: number;
};

type SelectedResults = NonNullable<SelectionRequest["run"]>;

/** By the primary key of results; with a code or status other than succeeded by operation_results_failed. */
function selectResults(
  orgId: string,
  { id, status, code, step }: SelectedResults,
): { text: string; values: unknown[] } {
  const text = `select o.id, o.created_at as k
    from operation_results result
    join orders o on o.org_id = $1 and o.id = result.order_id
   where result.run_id = $2
     and ($3::text is null or result.status = $3)
     and ($4::text is null or result.status <> 'succeeded' and coalesce(result.error_code, result.status) = $4)
     and ($5::boolean or ${failedStepOf("result.steps")} is not distinct from $6::integer)`;
  return { text, values: [orgId, id, status ?? null, code ?? null, step === undefined, step ?? null] };
}

function selectNamed(orgId: string, ids: string[]): { text: string; values: unknown[] } {
  const text = "select o.id, o.created_at as k from orders o where o.org_id = $1 and o.id = any($2::uuid[])";
  return { text, values: [orgId, ids] };
}

/**
 * Stores the matching orders, oldest first, as of one statement; nothing when there are more than `max`. The filter runs once, by the
 * index of its list (`hits`, materialized); only then are orders joined by primary key for number and status.
 */
export async function insertSelection(
  db: Queryable,
  orgId: string,
  { id, filter, not_found, as_of, expires_at, named, run, excluded, max }: NewSelection,
): Promise<{ matched: number; row: SelectionRow | undefined }> {
  const { text, values } = filter
    ? selectMatching(orgId, filter)
    : run
      ? selectResults(orgId, run)
      : selectNamed(orgId, named);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const [own, most] = [`${bind(id)}::uuid`, `${bind(max)}::integer`];
  const [made] = await db.query<{ counted: number } & SelectionRow>(
    `with hits as materialized (select h.id, h.k from (${text}) h where h.id <> all(${bind(excluded)}::uuid[])),
     total as (select count(*)::integer as counted from hits),
     chosen as materialized (
       select o.id, o.number, o.status, (row_number() over (order by h.k, h.id) - 1)::integer as n
         from hits h join orders o on o.id = h.id where (select counted from total) <= ${most}),
     batches as (
       insert into operation_selection_batches (selection_id, position, order_ids)
       select ${own}, n / ${selectionBatch} * ${selectionBatch}, array_agg(id order by n) from chosen
        group by n / ${selectionBatch}),
     made as (
       insert into operation_selections (id, org_id, filter, matched, not_found, by_status, sample, as_of, expires_at)
       select ${own}, ${bind(orgId)}::uuid, ${bind(filter && JSON.stringify(filter))}::jsonb, t.counted, ${bind(not_found)}::integer,
         (select jsonb_object_agg(s.status, s.count) from (select status, count(*) from chosen group by status) s),
         (select jsonb_agg(jsonb_build_object('id', id, 'number', number, 'status', status) order by n)
            from chosen where n < ${sampleSize}), ${bind(as_of)}::timestamptz, ${bind(expires_at)}::timestamptz
         from total t where t.counted between 1 and ${most} returning *)
     select t.counted, m.* from total t left join made m on true`,
    values,
  );
  const { counted, ...row } = made!;
  return { matched: counted, row: row.id === null ? undefined : row };
}

export async function deleteOldestSelections(db: Queryable, orgId: string): Promise<void> {
  await db.query(
    `delete from operation_selections where org_id = $1 and id in (
       select id from operation_selections where org_id = $1 order by as_of desc, id desc offset ${maxKept})`,
    [orgId],
  );
}

export async function deleteExpiredSelectionsAcrossOrgs(db: Queryable, now: Date): Promise<void> {
  await db.query("delete from operation_selections where expires_at <= $1", [now]);
}

export async function findSelection(
  db: Queryable,
  orgId: string,
  id: string,
  now: Date,
): Promise<SelectionRow | undefined> {
  const [row] = await db.query<SelectionRow>(
    "select * from operation_selections where org_id = $1 and id = $2 and expires_at > $3",
    [orgId, id, now],
  );
  return row;
}

/** The IDs of one batch of a selection; empty if it has been deleted. */
export async function readSelected(db: Queryable, orgId: string, id: string, position: number): Promise<string[]> {
  const [row] = await db.query<{ order_ids: string[] }>(
    `select c.order_ids from operation_selection_batches c join operation_selections s on s.id = c.selection_id
      where s.org_id = $1 and s.id = $2 and c.position = $3`,
    [orgId, id, position],
  );
  return row?.order_ids ?? [];
}

export async function insertPreflight(db: Queryable, orgId: string, id: string, selectionId: string): Promise<void> {
  await db.query("insert into operation_preflights (id, org_id, selection_id) values ($1, $2, $3)", [
    id,
    orgId,
    selectionId,
  ]);
}

/** Versions and codes (separated by blanks) that a preflight saw for each order of a batch. */
export type SeenBatch = { versions: (number | null)[]; codes: string[] };

export async function insertSeen(
  db: Queryable,
  preflightId: string,
  position: number,
  { versions, codes }: SeenBatch,
): Promise<void> {
  await db.query(
    "insert into operation_preflight_batches (preflight_id, position, versions, codes) values ($1, $2, $3::integer[], $4::text[])",
    [preflightId, position, versions, codes],
  );
}

/** Every order of a selection as `u`, with the version and codes of a preflight: `$1` selection, `$2` preflight or null. */
export const seenOrders = `operation_selection_batches c
  left join operation_preflight_batches p on p.preflight_id = $2::uuid and p.position = c.position
  cross join lateral unnest(c.order_ids, p.versions, p.codes) with ordinality as u (order_id, version, codes, n)`;

/** The first orders whose version differs from the preflight's, without those with excluded codes. */
export async function listDrifted(
  db: Queryable,
  orgId: string,
  { selectionId, preflightId, excludeCodes }: { selectionId: string; preflightId: string; excludeCodes: string[] },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ order_id: string }>(
    `select u.order_id from ${seenOrders} left join orders o on o.org_id = $3 and o.id = u.order_id
      where c.selection_id = $1 and o.version is distinct from u.version and not string_to_array(u.codes, ' ') && $4::text[]
      order by c.position, u.n limit $5`,
    [selectionId, preflightId, orgId, excludeCodes, limit],
  );
  return rows.map(({ order_id }) => order_id);
}
