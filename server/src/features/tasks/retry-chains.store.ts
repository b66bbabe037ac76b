import type { Queryable, Tx } from "../../db/database.ts";
import type { ExecutionStatus } from "./tasks.states.ts";

/** Locks these executions in the order of their ids and returns those that have no retry. */
export async function lockToRetry(tx: Tx, orgId: string, ids: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    "select id from task_executions where org_id = $1 and id = any($2::uuid[]) order by id for update",
    [orgId, ids],
  );
  // A statement of its own: the one above does not see retries that were queued while it waited for the locks.
  const retried = await tx.query<{ id: string }>(
    "select retry_of as id from task_executions where org_id = $1 and retry_of = any($2::uuid[])",
    [orgId, ids],
  );
  return new Set(rows.map(({ id }) => id)).difference(new Set(retried.map(({ id }) => id)));
}

export async function listRetries(db: Queryable, orgId: string, id: string): Promise<{ id: string; status: string }[]> {
  return await db.query("select id, status from task_executions where org_id = $1 and retry_of = $2 order by id", [
    orgId,
    id,
  ]);
}

type EndsOfRun = {
  step: number | null;
  bridgeId: string;
  taskName: string;
  status: ExecutionStatus;
  executions: number;
  failedOrders: number;
  unknownOrders: number;
};

/** Executions queued by a run, counted by step, task and status. Of a chain of retries only the last one counts. */
export async function countEndsOfRun(db: Queryable, orgId: string, runId: string): Promise<EndsOfRun[]> {
  const orders = (name: string): string =>
    `coalesce(sum(case when jsonb_typeof(result #> '{summary,${name}}') = 'number' then (result #>> '{summary,${name}}')::integer end), 0)::integer`;
  return await db.query<EndsOfRun>(
    `select run_step as step, bridge_id as "bridgeId", task_name as "taskName", status, count(*)::integer as executions,
            ${orders("failed")} as "failedOrders", ${orders("outcomeUnknown")} as "unknownOrders"
       from task_executions e
      where org_id = $1
        and run_id = $2
        and not exists (select from task_executions retry where retry.retry_of = e.id)
      group by 1, 2, 3, 4 order by 1, 2, 3`,
    [orgId, runId],
  );
}

/** Current status of each execution, taken from its last retry. Deleted executions are missing. */
export async function listStatuses(db: Queryable, orgId: string, ids: string[]): Promise<Map<string, ExecutionStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ asked: string; status: ExecutionStatus }>(
    `with recursive chain as (
       select id as asked, id, status from task_executions where org_id = $1 and id = any($2::uuid[])
       union all
       select chain.asked, retry.id, retry.status from chain join task_executions retry on retry.retry_of = chain.id)
     select distinct on (asked) asked, status from chain order by asked, id desc`,
    [orgId, ids],
  );
  return new Map(rows.map(({ asked, status }) => [asked, status]));
}

/** The execution and the ones it retries, newest first. */
export async function listChain(db: Queryable, orgId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `with recursive chain as (
       select id, retry_of from task_executions where org_id = $1 and id = $2
       union
       select retried.id, retried.retry_of
         from chain join task_executions retried on retried.org_id = $1 and retried.id = chain.retry_of)
     select id from chain`,
    [orgId, id],
  );
  return rows.map((row) => row.id);
}
