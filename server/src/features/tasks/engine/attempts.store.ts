import type { Queryable, Tx } from "../../../db/database.ts";
import type { LeasedRow } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import { eventsInsert } from "../../../events/record-event.ts";
import type { Checkpoint, ExecutionRow } from "../executions.store.ts";
import type { LogLine } from "../execution-logs.store.ts";
import { executionColumns } from "../executions.store.ts";
import type { Attempt, Failure } from "../tasks.schemas.ts";

/** A worker that does not renew its lease for this long is considered dead. */
const leaseMs = 12_000;

export type TaskRow = ExecutionRow & LeasedRow;

/** An execution whose worker died keeps its state: the worker that claims it next decides whether it may be repeated. */
export const taskLeases = leasesOn<TaskRow>({
  table: "task_executions",
  columns: executionColumns,
  attempts: "lease_attempts",
  queue: { column: "bridge_id", limit: () => "t.bridge_limit" },
  clock: "database",
  leaseMs,
  isReady: (now) => `(t.expires_at is null or t.expires_at > ${now} or t.status = 'running')`,
  onClaim: (
    value,
  ) => `status = 'running', next_attempt_at = null, started_at = coalesce(t.started_at, ${value(1)}::timestamptz),
    attempt = t.attempt + case when t.status = 'queued' then 1 else 0 end,
    attempts = case when t.status = 'running' then t.attempts else t.attempts || jsonb_build_array(jsonb_build_object(
      'number', t.attempt + 1, 'status', 'running', 'startedAt', ${value(2)}::text, 'finishedAt', null, 'error', null,
      'processedBefore', coalesce((t.progress ->> 'processed')::int, 0))) end`,
});

/** Outcome of one attempt. `queued`: there will be another one. */
export type Settlement = {
  id: string;
  attempt: number;
  status: "queued" | "succeeded" | "completed_with_errors" | "failed" | "timed_out";
  attempt_status: Attempt["status"];
  result: unknown;
  error: Failure | null;
  sent_input: unknown;
  transformations: unknown;
  progress: unknown;
  next_attempt_at: string | null;
  due_in_ms: number | null;
};

/**
 * Plan: both steps read task_executions by primary key; `any(array(...))` passes the ids as one array, so that the planner does not
 * join. `status || ''` keeps it off the partial index of running executions: until vacuum has run, that index holds an entry for every
 * execution that ran before. Rows are locked in the order of their ids, as renewing leases does, so that the two cannot deadlock.
 * Not a prepared statement: a generic plan from when the table was small would read the whole table later.
 */
const settleStatement = `
  with locked as (
    select execution.id
      from task_executions execution
     where execution.id = any(array(select (settlement ->> 'id')::uuid from jsonb_array_elements($1::jsonb) settlement))
       and execution.status || '' = 'running'
     order by execution.id
       for update
  ),
  settled as (
    update task_executions execution
       set status = settlement.status,
           result = settlement.result,
           error = settlement.error,
           progress = settlement.progress,
           sent_input = settlement.sent_input,
           transformations = settlement.transformations,
           next_attempt_at = settlement.next_attempt_at,
           due_at = now() + settlement.due_in_ms * interval '1 ms',
           finished_at = case when settlement.status = 'queued' then null else $2::timestamptz end,
           lease_attempts = 0,
           lease_owner = null,
           lease_until = null,
           attempts = jsonb_set(
             execution.attempts,
             '{-1}',
             execution.attempts -> -1 || jsonb_build_object(
               'status', settlement.attempt_status,
               'finishedAt', $3::text,
               'error', settlement.error))
      from jsonb_to_recordset($1::jsonb) as settlement (
             id uuid, attempt integer, status text, attempt_status text, result jsonb, error jsonb, sent_input jsonb,
             transformations jsonb, progress jsonb, next_attempt_at timestamptz, due_in_ms integer)
     where execution.id = settlement.id
       and execution.id = any(array(select id from locked))
       and execution.attempt = settlement.attempt
    returning execution.id
  ),
  recorded as (${eventsInsert("$4", "$2::timestamptz", "u.object_id in (select id from settled)")})
  select id from settled`;

/**
 * Fenced by the attempt number: a worker that was considered dead settles nothing, and its events are not recorded. Returns the ids of
 * the executions that were settled.
 */
export async function settleAttempts(
  tx: Tx,
  settlements: Settlement[],
  at: Date,
  events: string,
): Promise<Set<string>> {
  const values = [JSON.stringify(settlements), at, at.toISOString(), events];
  const rows = await tx.query<{ id: string }>(settleStatement, values);
  return new Set(rows.map(({ id }) => id));
}

/** False: the attempt was superseded. True: it can be neither cancelled nor taken over until the transaction ends. */
export async function holdAttempt(tx: Tx, { id, attempt }: ExecutionRow): Promise<boolean> {
  const rows = await tx.query(
    "select from task_executions where id = $1 and attempt = $2 and status = 'running' for share",
    [id, attempt],
  );
  return rows.length === 1;
}

/** False: the attempt was superseded, and the transaction must not be committed. */
export async function saveCheckpoint(
  tx: Tx,
  { id, attempt }: ExecutionRow,
  checkpoint: Checkpoint,
  progress: ExecutionRow["progress"],
): Promise<boolean> {
  const rows = await tx.query(
    `update task_executions set checkpoint = $3, progress = $4
      where id = $1 and attempt = $2 and status = 'running' returning id`,
    [id, attempt, checkpoint, progress],
  );
  return rows.length === 1;
}

export async function saveProgress(
  db: Queryable,
  rows: { id: string; attempt: number; progress: ExecutionRow["progress"] }[],
): Promise<void> {
  await db.query(
    `with locked as (select id from task_executions where id = any($2::uuid[]) order by id for update)
     update task_executions execution
        set progress = reported.progress
       from jsonb_to_recordset($1::jsonb) as reported (id uuid, attempt integer, progress jsonb), locked
      where execution.id = locked.id
        and execution.id = reported.id
        and execution.attempt = reported.attempt
        and execution.status = 'running'`,
    [JSON.stringify(rows), rows.map(({ id }) => id)],
  );
}

export type NewLogLine = Omit<LogLine, "at"> & { execution_id: string; at: string };

export async function insertLogs(db: Queryable, lines: NewLogLine[]): Promise<void> {
  await db.query(
    `insert into task_logs (execution_id, attempt, level, message, at)
     select line.execution_id, line.attempt, line.level, line.message, line.at
       from jsonb_to_recordset($1::jsonb) as line (execution_id uuid, attempt integer, level text, message text, at timestamptz)
      where exists (select from task_executions execution where execution.id = line.execution_id)`,
    [JSON.stringify(lines)],
  );
}

/** Polled every few seconds, mostly without result: both conditions read small partial indexes. */
export async function findOverdueAcrossOrgs(
  db: Queryable,
  at: Date,
): Promise<{ hasExpired: boolean; isAnyDue: boolean }> {
  const [row] = await db.query<{ hasExpired: boolean; isAnyDue: boolean }>(
    `select exists (
              select from task_executions
               where status = 'queued' and expires_at <= $1::timestamptz) as "hasExpired",
            exists (
              select from task_executions
               where due_at <= now() and (lease_owner is null or lease_until <= now())) as "isAnyDue"`,
    [at],
  );
  return row!;
}

/**
 * Locks the executions that these owners hold and their worker does not know of. One that was taken over from a dead worker is not
 * returned: it gets a random owner and an expired lease, so that the next claim takes it over again.
 */
export async function lockUnknownAcrossOrgs(tx: Tx, owners: string[], known: string[]): Promise<ExecutionRow[]> {
  await tx.query(
    `update task_executions set lease_owner = gen_random_uuid(), lease_until = now()
      where lease_owner = any($1::uuid[]) and not (id = any($2::uuid[])) and lease_attempts > 1`,
    [owners, known],
  );
  return await tx.query<ExecutionRow>(
    `select ${executionColumns}
       from task_executions
      where lease_owner = any($1::uuid[])
        and not (id = any($2::uuid[]))
        for update skip locked`,
    [owners, known],
  );
}

/** Ends executions that did not start in time. */
export async function expireAcrossOrgs(tx: Tx, at: Date, limit: number): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `update task_executions
        set status = 'expired', finished_at = $1, next_attempt_at = null, due_at = null
      where id in (
              select id from task_executions
               where status = 'queued' and expires_at <= $1
               limit $2
                 for update skip locked)
     returning ${executionColumns}`,
    [at, limit],
  );
}

export type CursorRow = { bridgeId: string; taskName: string; site: string; cursor: unknown; executionId: string };

/** Where the last incremental pull ended, and the oldest record that it rejected. */
export type LastPull = {
  cursor: unknown;
  failedSince: string | null;
  mapping: { id: string; version: number } | null;
};

export async function findLastPull(
  db: Queryable,
  { bridgeId, taskName, site }: Pick<CursorRow, "bridgeId" | "taskName" | "site">,
): Promise<LastPull | undefined> {
  const [row] = await db.query<LastPull>(
    `select last.cursor,
            execution.checkpoint ->> 'failedSince' as "failedSince",
            execution.transformations -> 'inbound' as mapping
       from bridge_cursors last
       left join task_executions execution on execution.id = last.execution_id
      where last.bridge_id = $1 and last.task_name = $2 and coalesce(last.site, $3) = $3`,
    [bridgeId, taskName, site],
  );
  return row;
}

export async function saveCursor(tx: Tx, cursor: CursorRow, at: Date): Promise<void> {
  await tx.query(
    `insert into bridge_cursors (bridge_id, task_name, cursor, execution_id, updated_at, site) values ($1, $2, $3, $4, $5, $6)
     on conflict (bridge_id, task_name) do update set cursor = excluded.cursor, execution_id = excluded.execution_id,
       updated_at = excluded.updated_at, site = excluded.site`,
    [cursor.bridgeId, cursor.taskName, JSON.stringify(cursor.cursor), cursor.executionId, at, cursor.site],
  );
}
