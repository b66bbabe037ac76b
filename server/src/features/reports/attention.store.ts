import type { Queryable } from "../../db/database.ts";

/** Newest first; more are only counted. */
const mostRecords = 5;
const runDays = 7;

type Counted<Row> = { total: number; rows: Row[] };

function toCounted<Row>(rows: (Row & { total: number })[]): Counted<Row> {
  return { total: rows[0]?.total ?? 0, rows };
}

export type FailingBridge = {
  id: string;
  name: string;
  failures: number;
  since: Date | null;
  message: string | null;
};

/** Reads all bridges of the organization, of which there are few. */
export async function listFailingBridges(db: Queryable, orgId: string): Promise<Counted<FailingBridge>> {
  return toCounted(
    await db.query<FailingBridge & { total: number }>(
      `select id, name, consecutive_failures as failures, coalesce(last_success_at, last_failure_at) as since,
              last_error ->> 'message' as message, count(*) over () as total
         from bridges
        where org_id = $1 and deleted_at is null and is_active and consecutive_failures > 0
        order by last_failure_at desc nulls last, id limit ${mostRecords}`,
      [orgId],
    ),
  );
}

export type FailedRun = {
  id: string;
  name: string | null;
  actionTypes: string[];
  failed: number;
  orderCount: number;
  createdAt: Date;
};

/** Runs of the last days with failed orders that were neither retried nor undone. Reads the range of operation_runs_by_org. */
export async function listFailedRuns(db: Queryable, orgId: string, now: Date): Promise<Counted<FailedRun>> {
  return toCounted(
    await db.query<FailedRun & { total: number }>(
      `select run.id, pipeline.name, run.failed, run.order_count as "orderCount", run.created_at as "createdAt",
              array(select jsonb_array_elements(run.actions) ->> 'type') as "actionTypes", count(*) over () as total
         from operation_runs run
         left join operation_pipelines pipeline on pipeline.id = run.pipeline_id
        where run.org_id = $1 and run.created_at >= $2::timestamptz - interval '${runDays} days' and run.failed > 0
          and run.finished_at is not null
          and not exists (select from operation_runs later where later.retry_of = run.id)
          and not exists (select from operation_runs later where later.undo_of = run.id)
        order by run.created_at desc, run.id desc limit ${mostRecords}`,
      [orgId, now],
    ),
  );
}

export type PausedAutomation = { id: string; name: string; since: Date | null; message: string | null };

/** Paused by the hub, not by a user. Reads all automations of the organization, of which there are few. */
export async function listPausedAutomations(db: Queryable, orgId: string): Promise<Counted<PausedAutomation>> {
  return toCounted(
    await db.query<PausedAutomation & { total: number }>(
      `select id, name, paused_at as since, pause_reason ->> 'message' as message, count(*) over () as total
         from automations
        where org_id = $1 and not is_active and pause_reason ->> 'code' <> 'manual'
        order by paused_at desc nulls last, id limit ${mostRecords}`,
      [orgId],
    ),
  );
}

export type ExceptionGroup = { kind: string; code: string; count: number; since: Date };

/** Open exceptions by cause. Reads the index exceptions_open. */
export async function groupOpenExceptions(db: Queryable, orgId: string): Promise<ExceptionGroup[]> {
  return await db.query<ExceptionGroup>(
    `select kind, code, count(*) as count, min(opened_at) as since
       from exceptions
      where org_id = $1 and status = 'open'
      group by kind, code order by count desc, kind, code`,
    [orgId],
  );
}

/** The order that is late for the longest time. The index orders_open_by_ship_by gives the first of each status. */
export async function findLatestOrder(
  db: Queryable,
  orgId: string,
  statuses: readonly string[],
): Promise<{ id: string; number: string; shipBy: Date } | undefined> {
  const [row] = await db.query<{ id: string; number: string; shipBy: Date }>(
    `select first.id, first.number, first.ship_by as "shipBy"
       from unnest($2::text[]) as wanted (status)
       cross join lateral (
         select id, number, ship_by from orders
          where org_id = $1 and not is_archived and orders.status = wanted.status and ship_by is not null
          order by ship_by, id limit 1) as first
      order by first.ship_by, first.id limit 1`,
    [orgId, statuses],
  );
  return row;
}

/** Failed orders of these runs by error code, most first. Reads the index operation_results_failed. */
export async function groupFailures(
  db: Queryable,
  runIds: string[],
): Promise<{ runId: string; code: string; count: number }[]> {
  if (runIds.length === 0) return [];
  return await db.query<{ runId: string; code: string; count: number }>(
    `select run_id as "runId", coalesce(error_code, 'failed') as code, count(*) as count
       from operation_results
      where run_id = any($1::uuid[]) and status = 'failed'
      group by 1, 2 order by count desc, 2`,
    [runIds],
  );
}
