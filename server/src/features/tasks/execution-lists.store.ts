import type { Page, PageRequest } from "../../core/page.ts";
import type { Queryable } from "../../db/database.ts";
import type { Condition } from "../../db/list-page.ts";
import { listPage, meetAll } from "../../db/list-page.ts";
import type { ExecutionQuery } from "./tasks.schemas.ts";
import type { ExecutionStatus } from "./tasks.states.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { executionColumns, summaryColumns } from "./executions.store.ts";

type TaskCount = { bridgeId: string; taskName: string; status: ExecutionStatus; count: number; lastAt: Date };

export async function countByTask(
  db: Queryable,
  orgId: string,
  { from, to, bridgeId }: { from: Date; to: Date; bridgeId: string | undefined },
): Promise<TaskCount[]> {
  return await db.query<TaskCount>(
    `select bridge_id as "bridgeId", task_name as "taskName", status, count(*)::integer as count, max(created_at) as "lastAt"
       from task_executions
      where org_id = $1 and created_at >= $2 and created_at < $3 and ($4::uuid is null or bridge_id = $4)
      group by 1, 2, 3`,
    [orgId, from, to, bridgeId ?? null],
  );
}

export type ExecutionFilter = Omit<ExecutionQuery, "page" | "limit" | "status"> & {
  statuses: ExecutionStatus[];
  /** Excludes executions that may have taken effect. */
  isKnownOutcome?: boolean;
};

function meets(orgId: string, { statuses, ...filter }: ExecutionFilter): Condition[] {
  // Implied by the statuses, but spelled out: only so can the planner use the partial index of unsuccessful executions.
  const unsuccessful = statuses.length > 0 && !statuses.includes("succeeded") ? ["status <> 'succeeded'"] : [];
  const hasRetry = "exists (select from task_executions retry where retry.retry_of = e.id)";
  return [
    ["org_id = ?", orgId],
    ["bridge_id = ?", filter.bridgeId],
    ["task_name = ?", filter.taskName],
    ["schedule_id = ?", filter.scheduleId],
    ["retry_of = ?", filter.retryOf],
    ["run_id = ?", filter.runId],
    ["trigger = ?", filter.trigger],
    ["error->>'code' = ?", filter.code],
    ["created_at >= ?", filter.from],
    ["created_at < ?", filter.to],
    ...unsuccessful,
    statuses.length === 1 ? ["status = ?", statuses[0]] : ["status = any(?)", statuses.length > 1 ? statuses : null],
    ...(filter.isKnownOutcome ? ["error->>'code' is distinct from 'outcome_unknown'"] : []),
    ...(filter.isRetried === undefined ? [] : [filter.isRetried ? hasRetry : `not ${hasRetry}`]),
  ];
}

export async function listExecutions(
  db: Queryable,
  orgId: string,
  query: ExecutionFilter & PageRequest,
): Promise<Page<ExecutionRow>> {
  return await listPage<ExecutionRow>(db, query, {
    select: summaryColumns,
    from: "task_executions e",
    where: meets(orgId, query),
    orderBy: "created_at desc, id desc",
  });
}

type FailureGroup = { bridgeId: string; taskName: string; code: string; count: number };

/** Number of executions that match the filter, by task and error code; largest group first. */
export async function groupExecutions(db: Queryable, orgId: string, filter: ExecutionFilter): Promise<FailureGroup[]> {
  const values: unknown[] = [];
  return await db.query<FailureGroup>(
    `select bridge_id as "bridgeId", task_name as "taskName", coalesce(error->>'code', status) as code, count(*)::integer as count
       from task_executions e
      where ${meetAll(meets(orgId, filter), values)}
      group by 1, 2, 3
      order by count desc, 1, 2, 3`,
    values,
  );
}

/** The oldest matches, limited by count and by the size of their inputs, which are loaded whole. */
export async function listToRetry(
  db: Queryable,
  orgId: string,
  filter: ExecutionFilter,
  most: { count: number; bytes: number },
): Promise<ExecutionRow[]> {
  const values: unknown[] = [];
  const where = meetAll(meets(orgId, filter), values);
  return await db.query<ExecutionRow>(
    `select ${executionColumns}
       from task_executions
      where org_id = $1
        and id in (
          select id
            from (
              select id, sum(pg_column_size(input)) over (order by created_at, id) - pg_column_size(input) as bytes_before
                from (select * from task_executions e where ${where} order by created_at, id limit ${most.count}) matched
            ) sized
           where bytes_before < ${most.bytes})
      order by created_at, id`,
    values,
  );
}
