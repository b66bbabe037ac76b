import type { Actor } from "../../../core/actor.ts";
import type { Page } from "../../../core/page.ts";
import { arrayLiteral } from "../../../db/array-literal.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { listPage } from "../../../db/list-page.ts";
import type { LeasedRow } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import type { ActionRequest, OnError } from "../operations.schemas.ts";
import type { RunCause, RunQuery, RunStatus } from "../run.schemas.ts";
import { seenOrders } from "../selections.store.ts";
import type { OrderFilter } from "../../orders/order-filter.schemas.ts";
import type { NewBatch } from "./run-results.store.ts";

export type RunRow = LeasedRow & {
  status: RunStatus;
  actions: ActionRequest[];
  on_error: OnError;
  is_atomic: boolean;
  may_override: boolean;
  note: string | null;
  created_by: Actor;
  request_id: string | null;
  retry_of: string | null;
  undo_of: string | null;
  root_run_id: string;
  attempt: number;
  order_count: number;
  duplicates_removed: number;
  succeeded: number;
  failed: number;
  skipped: number;
  no_change: number;
  /** Of an undo: succeeded orders with steps that could not be undone. */
  partially_undone: number;
  drifted: string[] | null;
  selection_id: string | null;
  /** Orders must still match this filter when they are processed. */
  filter: OrderFilter | null;
  /** Orders must still meet this condition when they are processed. */
  condition: Record<string, unknown> | null;
  cause: RunCause | null;
  excluded_count: number;
  pipeline_id: string | null;
  cancel_requested: boolean;
  lease_owner: string | null;
  /** Claims since the last completed batch. */
  tries: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

const given = [
  "id",
  "actions",
  "on_error",
  "is_atomic",
  "may_override",
  "note",
  "created_by",
  "request_id",
  "retry_of",
  "undo_of",
  "root_run_id",
  "attempt",
  "order_count",
  "duplicates_removed",
  "drifted",
  "selection_id",
  "filter",
  "condition",
  "cause",
  "excluded_count",
  "pipeline_id",
  "created_at",
] as const;
export type NewRun = Pick<RunRow, (typeof given)[number]>;

export const runLeases = leasesOn<RunRow>({
  table: "operation_runs",
  columns: "t.*",
  attempts: "tries",
  onClaim: (value) => `status = 'running', started_at = coalesce(t.started_at, ${value(1)})`,
  clock: "database",
  leaseMs: 10_000,
});
export const leaseEnd = `now() + interval '${runLeases.leaseMs} ms'`;

/** The orders of a selection, without those for which the preflight reported an excluded code. */
export type SelectedOrders = {
  selectionId: string;
  matched: number;
  /** Orders per batch. */
  size: number;
  preflightId: string | null;
  excludeCodes: string[];
  /** Orders must still have the version that the preflight saw. */
  checksVersions: boolean;
  todo: number;
};

/** One statement for 100,000 orders would be so large that it blocks the event loop. */
const batchesPerStatement = 20;

/** `owner` leases the run at once; null leaves it to any worker. */
export async function insertRun(
  tx: Tx,
  orgId: string,
  run: NewRun,
  orders: NewBatch[] | SelectedOrders,
  owner: string | null,
): Promise<RunRow> {
  if (!Array.isArray(orders)) return await insertSelected(tx, orgId, run, orders, owner);
  const batchesFrom = (from: number): string => writeBatches(orders.slice(from, from + batchesPerStatement));
  const row = await insertWith(tx, givenBatches, [run.id, batchesFrom(0)], { orgId, run, owner });
  for (let from = batchesPerStatement; from < orders.length; from += batchesPerStatement) {
    await tx.query(`with ${givenBatches} select`, [run.id, batchesFrom(from)]);
  }
  return row;
}

function writeBatches(batches: NewBatch[]): string {
  return JSON.stringify(
    batches.map(({ position, refs, orderIds, todo, versions }) => ({
      position,
      refs: arrayLiteral(refs),
      order_ids: arrayLiteral(orderIds),
      todo: arrayLiteral(todo),
      versions: versions && arrayLiteral(versions),
    })),
  );
}

const givenBatches = `batches as (
  insert into operation_run_batches (run_id, position, refs, order_ids, todo, versions)
  select $1, p.position, p.refs::text[], p.order_ids::uuid[], p.todo::integer[], p.versions::integer[]
    from jsonb_to_recordset($2::jsonb) as p (position integer, refs text, order_ids text, todo text, versions text))`;

/** Copies the orders within the database: their IDs are not loaded. */
async function insertSelected(
  tx: Tx,
  orgId: string,
  run: NewRun,
  { selectionId, preflightId, excludeCodes, size, todo, checksVersions }: SelectedOrders,
  owner: string | null,
): Promise<RunRow> {
  const batches = `chosen as materialized (
      select u.order_id, u.version, (row_number() over (order by c.position, u.n) - 1)::integer as n
        from ${seenOrders}
       where c.selection_id = $1 and (u.codes is null or not string_to_array(u.codes, ' ') && $4::text[])),
    batches as (
      insert into operation_run_batches (run_id, position, refs, order_ids, todo, versions)
      select $3::uuid, n / $5 * $5, array_agg(order_id::text order by n), array_agg(order_id order by n),
        array_fill($6::integer, array[count(*)::integer]), case when $7 then array_agg(version order by n) end
        from chosen group by n / $5)`;
  const values = [selectionId, preflightId, run.id, excludeCodes, size, todo, checksVersions];
  return await insertWith(tx, batches, values, { orgId, run, owner }, "(select count(*) from chosen)");
}

/** Inserts the run and its batches in one statement. `count`: the number of orders, if some were excluded. */
async function insertWith(
  tx: Tx,
  batches: string,
  first: unknown[],
  { orgId, run, owner }: { orgId: string; run: NewRun; owner: string | null },
  count?: string,
): Promise<RunRow> {
  const values = [...first];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const own = `${bind(owner)}::text`;
  const counted: Partial<Record<keyof NewRun, string>> =
    count === undefined ? {} : { order_count: count, excluded_count: `r.order_count - ${count}` };
  const [row] = await tx.query<RunRow>(
    `with ${batches}
     insert into operation_runs (org_id, due_at, ${given.join(", ")}, lease_owner, status, started_at, lease_until, tries)
     select ${bind(orgId)}::uuid, now(), ${given.map((name) => counted[name] ?? `r.${name}`).join(", ")}, ${own}, w.*
       from jsonb_populate_record(null::operation_runs, ${bind(JSON.stringify(run))}::jsonb) as r, lateral (
         select 'queued', null::timestamptz, null::timestamptz, 0 where ${own} is null
         union all select 'running', r.created_at, ${leaseEnd}, 1 where ${own} is not null) as w
     returning *, false as taken_over`,
    values,
  );
  return row!;
}

export async function findRun(db: Queryable, orgId: string, id: string): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>("select * from operation_runs where org_id = $1 and id = $2", [orgId, id]);
  return row;
}

export async function lockRun(tx: Tx, orgId: string, id: string): Promise<RunRow | undefined> {
  const text = "select * from operation_runs where org_id = $1 and id = $2 for update";
  return (await tx.query<RunRow>(text, [orgId, id]))[0];
}

export async function listRuns(db: Queryable, orgId: string, query: RunQuery): Promise<Page<RunRow>> {
  const action = query.action_type === undefined ? undefined : JSON.stringify([{ type: query.action_type }]);
  return await listPage<RunRow>(db, query, {
    select: "r.*",
    from: "operation_runs r",
    where: [
      ["r.org_id = ?", orgId],
      ["r.status = ?", query.status],
      ["r.retry_of = ?", query.retry_of],
      ["r.cause ->> 'automation_id' = ?", query.automation_id],
      ["r.created_by ->> 'id' = ? and r.cause is null", query.created_by],
      ["r.created_at >= ?", query.from],
      ["r.created_at < ?", query.to],
      ["r.actions @> ?::jsonb", action],
      ["exists (select 1 from operation_results o where o.run_id = r.id and o.order_id = ?)", query.order_id],
    ],
    orderBy: "r.created_at desc, r.id desc",
  });
}

export async function requestCancel(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("update operation_runs set cancel_requested = true where org_id = $1 and id = $2", [orgId, id]);
}

type RelatedRuns = { retried_by: string[]; undone_by: string[] };

export async function listRelatedRuns(db: Queryable, orgId: string, id: string): Promise<RelatedRuns> {
  const [row] = await db.query<RelatedRuns>(
    `select array(select id from operation_runs where org_id = $1 and retry_of = $2 order by created_at) as retried_by,
            array(select id from operation_runs where org_id = $1 and undo_of = $2 order by created_at) as undone_by`,
    [orgId, id],
  );
  return row!;
}

/** It has ended, or only waits for carriers. */
export function isProcessed({ finished_at, succeeded, failed, skipped, order_count }: RunRow): boolean {
  return finished_at !== null || succeeded + failed + skipped === order_count;
}

/** A run of the same chain with orders to process. */
export async function findUnfinishedInChain(
  db: Queryable,
  orgId: string,
  rootRunId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `select id from operation_runs
      where org_id = $1 and root_run_id = $2 and finished_at is null and succeeded + failed + skipped < order_count limit 1`,
    [orgId, rootRunId],
  );
  return row?.id;
}
