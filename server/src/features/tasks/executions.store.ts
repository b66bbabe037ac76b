import type { Actor } from "../../core/actor.ts";
import type { Cause } from "../../core/cause.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import type { Condition } from "../../db/list-page.ts";
import { listPage, meetAll } from "../../db/list-page.ts";
import { eventsInsert } from "../../events/record-event.ts";
import type { Attempt, Execution, ExecutionQuery, Failure } from "./tasks.schemas.ts";
import type { ExecutionStatus, FollowUp, Trigger } from "./tasks.states.ts";

export type Checkpoint = {
  cursor: unknown;
  counts: Record<string, number>;
  failures: unknown[];
  conflicts?: unknown[];
  /** Records changed since this time are read again, instead of those after the cursor. */
  since?: string;
  /** When the oldest rejected record that was not read again was changed at its source. */
  failedSince?: string;
};

export type ExecutionRow = {
  id: string;
  org_id: string;
  bridge_id: string;
  task_name: string;
  status: ExecutionStatus;
  mode: "async" | "sync";
  trigger: Trigger;
  schedule_id: string | null;
  scheduled_for: Date | null;
  retry_of: string | null;
  /** Retries only the failed orders or records of `retry_of`. */
  is_partial: boolean;
  run_id: string | null;
  /** The step of the run that queued it. */
  run_step: number | null;
  follow_up: FollowUp | null;
  /** The first execution of the chain of retries, which share their effects: what one has sent no other sends again. */
  effect_root: string;
  input: Record<string, unknown>;
  sent_input: Record<string, unknown> | null;
  result: unknown;
  error: Failure | null;
  progress: { processed: number; total: number | null } | null;
  checkpoint: Checkpoint | null;
  transformations: Execution["transformations"] | null;
  /** `processedBefore`: progress of the execution when the attempt began. */
  attempts: (Attempt & { processedBefore?: number })[];
  attempt: number;
  max_attempts: number;
  retry_delay_ms: number;
  timeout_ms: number;
  expires_at: Date | null;
  next_attempt_at: Date | null;
  cancel_requested_at: Date | null;
  lease_attempts: number;
  bridge_limit: number;
  created_by: Actor;
  request_id: string;
  /** The automation that caused it. */
  cause: Cause | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

const summaryColumns = `id, org_id, bridge_id, task_name, status, mode, trigger, schedule_id, scheduled_for, retry_of, is_partial, run_id, run_step,
  follow_up, effect_root, error, progress, attempt, max_attempts, next_attempt_at, cancel_requested_at, created_by, request_id, cause, created_at,
  started_at, finished_at`;
export const executionColumns = `${summaryColumns}, input, sent_input, result, checkpoint, transformations, attempts, retry_delay_ms,
  timeout_ms, expires_at, lease_attempts, bridge_limit`;

const findStatement: Prepared = {
  name: "task_executions_find",
  text: `select ${executionColumns} from task_executions where org_id = $1 and id = $2`,
};

export async function findExecution(db: Queryable, orgId: string, id: string): Promise<ExecutionRow | undefined> {
  const [row] = await db.query<ExecutionRow>(findStatement, [orgId, id]);
  return row;
}

export async function lockExecution(tx: Tx, orgId: string, id: string): Promise<ExecutionRow | undefined> {
  const [row] = await tx.query<ExecutionRow>(`${findStatement.text} for update`, [orgId, id]);
  return row;
}

/** Input and result of an execution, for replays. Null: too large to load many of them. */
export type Recording = Pick<ExecutionRow, "id" | "status" | "created_at" | "transformations"> & {
  input: Record<string, unknown> | null;
  sent_input: Record<string, unknown> | null;
  result: unknown;
};

const maxRecordingBytes = 1_000_000;

export async function listRecordings(
  db: Queryable,
  orgId: string,
  { bridgeId, taskName, limit }: { bridgeId: string; taskName: string; limit: number },
): Promise<Recording[]> {
  const small = (column: string): string =>
    `case when octet_length(${column}::text) <= $5 then ${column} end as ${column}`;
  return await db.query<Recording>(
    `select id, status, created_at, transformations, ${["input", "sent_input", "result"].map(small).join(", ")}
       from task_executions where org_id = $1 and bridge_id = $2 and task_name = $3 and finished_at is not null
      order by created_at desc, id desc limit $4`,
    [orgId, bridgeId, taskName, limit, maxRecordingBytes],
  );
}

export type NewExecution = Pick<
  ExecutionRow,
  | "id"
  | "org_id"
  | "created_by"
  | "request_id"
  | "cause"
  | "bridge_id"
  | "task_name"
  | "mode"
  | "trigger"
  | "schedule_id"
  | "retry_of"
  | "is_partial"
  | "run_id"
  | "run_step"
  | "follow_up"
  | "effect_root"
  | "input"
  | "max_attempts"
  | "retry_delay_ms"
  | "timeout_ms"
  | "bridge_limit"
> & { scheduled_for: string | null; expires_at: string | null; next_attempt_at: string | null; due_in_ms: number };

const newShape = `id uuid, org_id uuid, created_by jsonb, request_id text, cause jsonb, bridge_id uuid, task_name text, mode text, trigger text,
  schedule_id uuid, scheduled_for timestamptz, retry_of uuid, is_partial boolean, run_id uuid, run_step smallint, follow_up text, effect_root uuid, input jsonb,
  max_attempts integer, retry_delay_ms integer, timeout_ms integer, expires_at timestamptz, next_attempt_at timestamptz,
  bridge_limit integer`;
const newNames = newShape.replaceAll(/ (uuid|text|timestamptz|jsonb|integer|smallint|boolean)/g, "");

const insertStatement: Prepared = {
  name: "task_executions_insert",
  text: `
    with inserted as (
      insert into task_executions (status, created_at, due_at, ${newNames})
      select 'queued', $2, now() + requested.due_in_ms * interval '1 ms', ${newNames.replaceAll(/(\w+)/g, "requested.$1")}
        from jsonb_to_recordset($1::jsonb) as requested (${newShape}, due_in_ms integer)
      on conflict (schedule_id, scheduled_for) where schedule_id is not null and scheduled_for is not null do nothing
      returning ${executionColumns}
    ),
    recorded as (${eventsInsert("$3", "$2", "u.object_id in (select id from inserted)")})
    select * from inserted`,
};

/**
 * Inserts executions, possibly of several organizations, with their events. A schedule occurrence that already has an execution is
 * skipped and missing from the result. One statement, so that one round trip does both.
 */
export async function insertExecutions(
  tx: Tx,
  executions: NewExecution[],
  at: Date,
  events: string,
): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(insertStatement, [JSON.stringify(executions), at, events]);
}

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

/** The executions among `ids` that have not ended. */
export async function listUnfinished(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    "select id from task_executions where org_id = $1 and id = any($2::uuid[]) and finished_at is null",
    [orgId, ids],
  );
  return new Set(rows.map(({ id }) => id));
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

export type LogLine = { at: Date; attempt: number; level: "info" | "warn" | "error"; message: string };

export async function listLogs(db: Queryable, id: string, limit: number): Promise<LogLine[]> {
  const rows = await db.query<LogLine>(
    `select at, attempt, level, message from task_logs where execution_id = $1 order by position desc limit $2`,
    [id, limit],
  );
  return rows.toReversed();
}

export async function listLogsAfter(db: Queryable, id: string, after: number, limit: number): Promise<LogLine[]> {
  return await db.query<LogLine>(
    `select at, attempt, level, message from task_logs where execution_id = $1 order by position offset $2 limit $3`,
    [id, after, limit],
  );
}

/** Ends executions at once. Later writes of their attempts are fenced, since they require the status `running`. */
export async function cancelExecutions(tx: Tx, orgId: string, ids: string[], at: Date): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `update task_executions
        set status = 'cancelled',
            cancel_requested_at = $3,
            finished_at = $3,
            next_attempt_at = null,
            due_at = null,
            lease_owner = null,
            lease_until = null,
            attempts = case
              when status = 'running' then
                jsonb_set(attempts, '{-1}', attempts -> -1 || jsonb_build_object('status', 'cancelled', 'finishedAt', $4::text))
              else attempts
            end
      where org_id = $1
        and id = any($2::uuid[])
        and status in ('queued', 'running')
     returning ${executionColumns}`,
    [orgId, ids, at, at.toISOString()],
  );
}

/** For the request that queued the execution and waits for it; it has checked the organization. */
export async function findStatusAcrossOrgs(db: Queryable, id: string): Promise<ExecutionStatus | undefined> {
  const [row] = await db.query<{ status: ExecutionStatus }>(
    { name: "task_executions_status", text: "select status from task_executions where id = $1" },
    [id],
  );
  return row?.status;
}

const oldExecutionsAtOnce = 500;
const isNotNeeded = `not exists (select from task_effects effect where effect.execution_id = e.id)
  and not exists (select from task_executions retry where retry.retry_of = e.id)`;

/**
 * Deletes old executions with their logs and samples. Executions with effects stay, since the hub needs them to know what not to send
 * again, and a retried execution stays until its retry is deleted.
 */
export async function deleteOldExecutionsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select e.id from task_executions e where e.finished_at < $1 and ${isNotNeeded}
      order by e.finished_at limit ${oldExecutionsAtOnce} for update skip locked`,
    [before],
  );
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? [] : await deleteUnneededAcrossOrgs(tx, ids);
}

/** Checks again after locking: a retry may have been queued after the statement that locked them had begun. */
export async function deleteUnneededAcrossOrgs(tx: Tx, ids: string[]): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `delete from task_executions e where e.id = any($1::uuid[]) and ${isNotNeeded} returning e.org_id`,
    [ids],
  );
  return rows.map(({ org_id }) => org_id);
}
