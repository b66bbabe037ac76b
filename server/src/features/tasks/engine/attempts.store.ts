import type { Prepared, Queryable, Tx } from "../../../db/database.ts";
import { eventsInsert } from "../../../events/record-event.ts";
import type { Checkpoint, ExecutionRow, LogLine } from "../executions.store.ts";
import { executionColumns } from "../executions.store.ts";
import type { Attempt, Failure } from "../tasks.schemas.ts";

/** A worker that is not heard of for this long is taken for dead. */
export const leaseMs = 12_000;

const claimStatement: Prepared = {
  name: "task_attempts_claim",
  text: `update task_executions set status = 'running', attempt = attempt + 1, lease_owner = $2,
       lease_until = now() + $3 * interval '1 ms', started_at = coalesce(started_at, $4::timestamptz), next_attempt_at = null,
       attempts = attempts || jsonb_build_array(jsonb_build_object('number', attempt + 1, 'status', 'running',
         'startedAt', $5::text, 'finishedAt', null, 'error', null, 'doneBefore', coalesce((progress ->> 'done')::int, 0)))
      where id = any($1::uuid[]) and status = 'queued' and (expires_at is null or expires_at > $4)
     returning ${executionColumns}`,
};

export async function claimAcrossOrgs(tx: Tx, ids: string[], owner: string, at: Date): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(claimStatement, [ids, owner, leaseMs, at, at.toISOString()]);
}

/** Renews the leases that are still ours; those that are missing in the answer are somebody else's business by now. */
export async function renewLeases(db: Queryable, ids: string[], owner: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update task_executions set lease_until = now() + $3 * interval '1 ms'
      where id = any($1::uuid[]) and lease_owner = $2 and status = 'running' returning id`,
    [ids, owner, leaseMs],
  );
  return rows.map(({ id }) => id);
}

/** What became of one attempt. `queued`: there will be another. */
export type Settlement = {
  id: string;
  attempt: number;
  status: "queued" | "succeeded" | "failed" | "timed_out";
  attempt_status: Attempt["status"];
  result: unknown;
  error: Failure | null;
  sent_input: unknown;
  transformations: unknown;
  progress: unknown;
  next_attempt_at: string | null;
  job_id: string | null;
};

/** Found by id: an index of what runs is full of what ran, until PostgreSQL has cleaned it; hence `status || ''`. */
const settleStatement: Prepared = {
  name: "task_attempts_settle",
  text: `with settled as (update task_executions e set status = u.status, result = u.result, error = u.error, progress = u.progress,
       sent_input = u.sent_input, transformations = u.transformations, next_attempt_at = u.next_attempt_at, job_id = u.job_id,
       finished_at = case when u.status = 'queued' then null else $2::timestamptz end, lease_owner = null, lease_until = null,
       attempts = jsonb_set(e.attempts, '{-1}', e.attempts -> -1
         || jsonb_build_object('status', u.attempt_status, 'finishedAt', $3::text, 'error', u.error))
      from jsonb_to_recordset($1::jsonb) as u (id uuid, attempt integer, status text, attempt_status text, result jsonb,
         error jsonb, sent_input jsonb, transformations jsonb, progress jsonb, next_attempt_at timestamptz, job_id uuid)
     where e.id = u.id and e.attempt = u.attempt and e.status || '' = 'running' returning e.id),
    noted as (${eventsInsert("$4", "$2::timestamptz", "u.object_id in (select id from settled)")})
    select id from settled`,
};

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
    `update task_executions e set progress = u.progress
       from jsonb_to_recordset($1::jsonb) as u (id uuid, attempt integer, progress jsonb)
      where e.id = u.id and e.attempt = u.attempt and e.status = 'running'`,
    [JSON.stringify(rows)],
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

export type Overdue = { hasLost: boolean; hasExpired: boolean; isReady: boolean };

/** Asked every few seconds, mostly in vain: one look into a few small indexes. */
export async function findOverdueAcrossOrgs(db: Queryable, at: Date, isReady: string): Promise<Overdue> {
  const [row] = await db.query<Overdue>(
    {
      name: "task_attempts_overdue",
      text: `select exists (select from task_executions where status = 'running' and lease_until < now()) as "hasLost",
        exists (select from task_executions where status = 'queued' and expires_at <= $1) as "hasExpired",
        ${isReady} as "isReady"`,
    },
    [at],
  );
  return row!;
}

/** Executions whose worker was not heard of in time, locked; nobody else takes the same ones. */
export async function lockLostAcrossOrgs(tx: Tx, limit: number): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `select ${executionColumns} from task_executions where status = 'running' and lease_until < now()
      order by lease_until limit $1 for update skip locked`,
    [limit],
  );
}

/** Those that this worker holds besides the ones it knows. */
export async function lockUnknownAcrossOrgs(tx: Tx, owner: string, known: string[]): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `select ${executionColumns} from task_executions
      where status = 'running' and lease_owner = $1 and not (id = any($2::uuid[])) for update skip locked`,
    [owner, known],
  );
}

/** Only when no other process can be at work on this database. */
export async function endAllLeasesAcrossOrgs(db: Queryable): Promise<void> {
  await db.query("update task_executions set lease_until = now() where status = 'running'");
}

/** Those that did not start in time. */
export async function expireAcrossOrgs(tx: Tx, at: Date, limit: number): Promise<ExecutionRow[]> {
  return await tx.query<ExecutionRow>(
    `update task_executions set status = 'expired', finished_at = $1, next_attempt_at = null
      where id in (select id from task_executions where status = 'queued' and expires_at <= $1 limit $2
                      for update skip locked) returning ${executionColumns}`,
    [at, limit],
  );
}

export type CursorRow = { bridgeId: string; taskName: string; cursor: unknown; executionId: string };

/** How far the last execution that read on from the one before it came, and what it had to leave out. */
export type LastPull = {
  cursor: unknown;
  failedSince: string | null;
  mapping: { id: string; version: number } | null;
};

export async function findLastPull(db: Queryable, bridgeId: string, taskName: string): Promise<LastPull | undefined> {
  const [row] = await db.query<LastPull>(
    `select c.cursor, e.checkpoint ->> 'failedSince' as "failedSince", e.transformations -> 'inbound' as mapping
       from bridge_cursors c left join task_executions e on e.id = c.execution_id
      where c.bridge_id = $1 and c.task_name = $2`,
    [bridgeId, taskName],
  );
  return row;
}

export async function saveCursor(tx: Tx, cursor: CursorRow, at: Date): Promise<void> {
  await tx.query(
    `insert into bridge_cursors (bridge_id, task_name, cursor, execution_id, updated_at) values ($1, $2, $3, $4, $5)
     on conflict (bridge_id, task_name) do update
       set cursor = excluded.cursor, execution_id = excluded.execution_id, updated_at = excluded.updated_at`,
    [cursor.bridgeId, cursor.taskName, JSON.stringify(cursor.cursor), cursor.executionId, at],
  );
}
