import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { OnError } from "./evaluate.ts";
import type { ActionRequest, RunQuery, RunStatus } from "./operations.schemas.ts";

export type RunRow = {
  id: string;
  org_id: string;
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
  drifted: string[] | null;
  cancel_requested: boolean;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

export type NewRun = {
  id: string;
  actions: ActionRequest[];
  onError: OnError;
  isAtomic: boolean;
  mayOverride: boolean;
  note: string | null;
  createdBy: Actor;
  requestId: string;
  retryOf: string | null;
  undoOf: string | null;
  rootRunId: string;
  attempt: number;
  orderCount: number;
  duplicatesRemoved: number;
  drifted: string[] | null;
  at: Date;
  /** Who starts to work on it at once; null leaves it to any worker. */
  worker: string | null;
};

/** How long a silent worker is believed to be alive. By the clock of the database, the only one all nodes share. */
const lease = "now() + interval '10 seconds'";

export async function insertRun(tx: Tx, orgId: string, run: NewRun): Promise<RunRow> {
  const [row] = await tx.query<RunRow>(
    `insert into operation_runs (id, org_id, status, actions, on_error, is_atomic, may_override, note, created_by, request_id,
       retry_of, undo_of, root_run_id, attempt, order_count, duplicates_removed, drifted, created_at, worker, lease_until)
     values ($1, $2, 'queued', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
       case when $18::text is null then null else ${lease} end) returning *`,
    [
      run.id,
      orgId,
      JSON.stringify(run.actions),
      run.onError,
      run.isAtomic,
      run.mayOverride,
      run.note,
      run.createdBy,
      run.requestId,
      run.retryOf,
      run.undoOf,
      run.rootRunId,
      run.attempt,
      run.orderCount,
      run.duplicatesRemoved,
      run.drifted === null ? null : JSON.stringify(run.drifted),
      run.at,
      run.worker,
    ],
  );
  return row!;
}

export async function findRun(db: Queryable, orgId: string, id: string): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>("select * from operation_runs where org_id = $1 and id = $2", [orgId, id]);
  return row;
}

export async function lockRun(tx: Tx, orgId: string, id: string): Promise<RunRow | undefined> {
  const [row] = await tx.query<RunRow>("select * from operation_runs where org_id = $1 and id = $2 for update", [
    orgId,
    id,
  ]);
  return row;
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
      ["r.created_at >= ?", query.from],
      ["r.created_at < ?", query.to],
      ["r.actions @> ?::jsonb", action],
      ["exists (select 1 from operation_results o where o.run_id = r.id and o.order_id = ?)", query.order_id],
    ],
    orderBy: "r.created_at desc, r.id desc",
  });
}

/** Takes the run for this worker, unless another one that is alive has it. */
export async function claimRunAcrossOrgs(
  db: Queryable,
  id: string,
  worker: string,
  now: Date,
): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>(
    `update operation_runs set status = 'running', worker = $2, lease_until = ${lease}, started_at = coalesce(started_at, $3)
      where id = $1 and finished_at is null and (worker is null or worker = $2 or lease_until < now()) returning *`,
    [id, worker, now],
  );
  return row;
}

export async function releaseRunAcrossOrgs(db: Queryable, id: string, worker: string): Promise<void> {
  await db.query("update operation_runs set worker = null, lease_until = null where id = $1 and worker = $2", [
    id,
    worker,
  ]);
}

export async function releaseAllAcrossOrgs(db: Queryable): Promise<void> {
  await db.query("update operation_runs set worker = null, lease_until = null where finished_at is null");
}

/** Runs that nobody alive works on. */
export async function listAbandonedAcrossOrgs(db: Queryable): Promise<{ id: string; org_id: string }[]> {
  return await db.query<{ id: string; org_id: string }>(
    `select id, org_id from operation_runs
      where finished_at is null and (lease_until is null or lease_until < now()) order by created_at limit 20`,
  );
}

export type Counts = { succeeded: number; failed: number; skipped: number; noChange: number };

/** Counters and lease in one go, with every portion that is done. */
export async function addProgress(tx: Tx, orgId: string, id: string, counts: Counts): Promise<void> {
  await tx.query(
    `update operation_runs set succeeded = succeeded + $3, failed = failed + $4, skipped = skipped + $5,
       no_change = no_change + $6, lease_until = ${lease} where org_id = $1 and id = $2`,
    [orgId, id, counts.succeeded, counts.failed, counts.skipped, counts.noChange],
  );
}

type FinishedRun = RunRow & { status: Exclude<RunStatus, "queued" | "running"> };

/** Ends the run; the status follows from its counters. Undefined when somebody ended it already. */
export async function finishRun(tx: Tx, orgId: string, id: string, at: Date): Promise<FinishedRun | undefined> {
  const [row] = await tx.query<FinishedRun>(
    `update operation_runs set finished_at = $3, worker = null, lease_until = null,
       status = case when exists (select 1 from operation_results o where o.run_id = $2 and o.status = 'cancelled')
                       then 'cancelled'
                     when failed = 0 and skipped = 0 then 'succeeded'
                     when succeeded = 0 then 'failed' else 'partially_failed' end
      where org_id = $1 and id = $2 and finished_at is null returning *`,
    [orgId, id, at],
  );
  return row;
}

export async function requestCancel(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("update operation_runs set cancel_requested = true where org_id = $1 and id = $2", [orgId, id]);
}

export async function listRelatedRuns(
  db: Queryable,
  orgId: string,
  id: string,
): Promise<{ retriedBy: string[]; undoneBy: string[] }> {
  const rows = await db.query<{ id: string; is_undo: boolean }>(
    `select id, undo_of = $2 as is_undo from operation_runs
      where org_id = $1 and (retry_of = $2 or undo_of = $2) order by created_at`,
    [orgId, id],
  );
  return {
    retriedBy: rows.filter((row) => !row.is_undo).map((row) => row.id),
    undoneBy: rows.filter((row) => row.is_undo).map((row) => row.id),
  };
}

/** A retry or undo of the same chain that has not ended yet. */
export async function findUnfinishedInChain(
  db: Queryable,
  orgId: string,
  rootRunId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    "select id from operation_runs where org_id = $1 and root_run_id = $2 and finished_at is null limit 1",
    [orgId, rootRunId],
  );
  return row?.id;
}
