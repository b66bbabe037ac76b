import type { Actor } from "../../core/actor.ts";
import type { Cause } from "../../core/cause.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { eventsInsert } from "../../events/record-event.ts";
import type { Attempt, Execution, Failure } from "./tasks.schemas.ts";
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

export const summaryColumns = `id, org_id, bridge_id, task_name, status, mode, trigger, schedule_id, scheduled_for, retry_of, is_partial, run_id, run_step,
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

/** The executions among `ids` that have not ended. */
export async function listUnfinished(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    "select id from task_executions where org_id = $1 and id = any($2::uuid[]) and finished_at is null",
    [orgId, ids],
  );
  return new Set(rows.map(({ id }) => id));
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
