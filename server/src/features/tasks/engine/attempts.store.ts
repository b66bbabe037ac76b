import type { Queryable, Tx } from "../../../db/database.ts";
import type { LeasedRow } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import { eventsInsert } from "../../../events/record-event.ts";
import type { Checkpoint, ExecutionRow, LogLine } from "../executions.store.ts";
import { executionColumns } from "../executions.store.ts";
import type { Attempt, Failure } from "../tasks.schemas.ts";

/** A worker that is not heard of for this long is taken for dead. */
const leaseMs = 12_000;

export type TaskRow = ExecutionRow & LeasedRow;

/** What a dead worker left behind stays as it is until somebody has said what that means. */
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
      'doneBefore', coalesce((t.progress ->> 'done')::int, 0))) end`,
});

/** What became of one attempt. `queued`: there will be another. */
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
 * Locked in the order of the ids, as whoever renews their leases does. Found by id: an index of what runs is full of what ran, until PostgreSQL has cleaned it; hence `status || ''`. Planned anew
 * each time: a plan from when the table was small would read all of it from then on.
 */
const settleStatement = `with held as (select id from task_executions
      where id = any(array(select (x ->> 'id')::uuid from jsonb_array_elements($1::jsonb) x)) and status || '' = 'running'
      order by id for update),
    settled as (update task_executions e set status = u.status, result = u.result, error = u.error, progress = u.progress,
       sent_input = u.sent_input, transformations = u.transformations, next_attempt_at = u.next_attempt_at,
       due_at = now() + u.due_in_ms * interval '1 ms', lease_attempts = 0,
       finished_at = case when u.status = 'queued' then null else $2::timestamptz end, lease_owner = null, lease_until = null,
       attempts = jsonb_set(e.attempts, '{-1}', e.attempts -> -1
         || jsonb_build_object('status', u.attempt_status, 'finishedAt', $3::text, 'error', u.error))
      from jsonb_to_recordset($1::jsonb) as u (id uuid, attempt integer, status text, attempt_status text, result jsonb,
         error jsonb, sent_input jsonb, transformations jsonb, progress jsonb, next_attempt_at timestamptz,
         due_in_ms integer)
     where e.id = u.id and e.id = any(array(select id from held)) and e.attempt = u.attempt returning e.id),
    noted as (${eventsInsert("$4", "$2::timestamptz", "u.object_id in (select id from settled)")})
    select id from settled`;

/**
 * Fenced by the number of the attempt: a worker that was taken for dead settles nothing, and its events are not written
 * either. Returns what was settled.
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

/** False when the attempt is no longer the one that counts. True: until the transaction ends nobody cancels it or takes over. */
export async function holdAttempt(tx: Tx, { id, attempt }: ExecutionRow): Promise<boolean> {
  const rows = await tx.query(
    "select from task_executions where id = $1 and attempt = $2 and status = 'running' for share",
    [id, attempt],
  );
  return rows.length === 1;
}

/** False when the attempt is no longer the one that counts: whatever it was about to write must not be written. */
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
    `with held as (select id from task_executions where id = any($2::uuid[]) order by id for update)
     update task_executions e set progress = u.progress
       from jsonb_to_recordset($1::jsonb) as u (id uuid, attempt integer, progress jsonb), held
      where e.id = held.id and e.id = u.id and e.attempt = u.attempt and e.status = 'running'`,
    [JSON.stringify(rows), rows.map(({ id }) => id)],
  );
}

export type NewLogLine = Omit<LogLine, "at"> & { execution_id: string; at: string };

export async function insertLogs(db: Queryable, lines: NewLogLine[]): Promise<void> {
  await db.query(
    `insert into task_logs (execution_id, attempt, level, message, at)
     select u.execution_id, u.attempt, u.level, u.message, u.at
       from jsonb_to_recordset($1::jsonb) as u (execution_id uuid, attempt integer, level text, message text, at timestamptz)
      where exists (select from task_executions e where e.id = u.execution_id)`,
    [JSON.stringify(lines)],
  );
}

/** Asked every few seconds, mostly in vain: a look into a few small indexes. */
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

/** Those that these owners hold besides the ones their worker knows; what it had taken over is left for the next to take over. */
export async function lockUnknownAcrossOrgs(tx: Tx, owners: string[], known: string[]): Promise<ExecutionRow[]> {
  await tx.query(
    `update task_executions set lease_owner = gen_random_uuid(), lease_until = now()
      where lease_owner = any($1::uuid[]) and not (id = any($2::uuid[])) and lease_attempts > 1`,
    [owners, known],
  );
  return await tx.query<ExecutionRow>(
    `select ${executionColumns} from task_executions
      where lease_owner = any($1::uuid[]) and not (id = any($2::uuid[])) for update skip locked`,
    [owners, known],
  );
}

/** Those that did not start in time. */
export async function expireAcrossOrgs(tx: Tx, at: Date, limit: number): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `update task_executions set status = 'expired', finished_at = $1, next_attempt_at = null, due_at = null
      where id in (select id from task_executions where status = 'queued' and expires_at <= $1 limit $2
                      for update skip locked) returning ${executionColumns}`,
    [at, limit],
  );
}

export type CursorRow = { bridgeId: string; taskName: string; site: string; cursor: unknown; executionId: string };

/** How far the last execution that read on from the one before it came, and what it had to leave out. */
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
    `select c.cursor, e.checkpoint ->> 'failedSince' as "failedSince", e.transformations -> 'inbound' as mapping
       from bridge_cursors c left join task_executions e on e.id = c.execution_id
      where c.bridge_id = $1 and c.task_name = $2 and coalesce(c.site, $3) = $3`,
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
