import type { Actor } from "../../core/actor.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { PauseReason, Schedule } from "./schedules.schemas.ts";

/** What it takes to fire one. */
export type ScheduleRow = Pick<Schedule, "id" | "cron" | "timezone" | "input" | "overlap" | "missed" | "owner"> & {
  org_id: string;
  bridge_id: string;
  task_name: string;
  next_run_at: Date | null;
  deferred_run_at: Date | null;
  deferred_until: Date | null;
};
const scheduleColumns = `s.id, s.org_id, s.bridge_id, s.task_name, s.cron, s.timezone, s.input, s.overlap, s.missed,
  s.next_run_at, s.deferred_run_at, s.deferred_until, s.owner`;

export type NextDue = { next_run_at: Date | null; is_waiting: boolean; is_released: boolean; now: Date };

/** With an occurrence that waits, and nothing left to wait for. */
const released = `s.deferred_run_at is not null
                and not exists (select from task_executions e
                                 where e.schedule_id = s.id and e.status in ('queued', 'running'))`;

/** One look tells how long a scheduler may sleep. */
export async function findNextDueAcrossOrgs(db: Queryable): Promise<NextDue> {
  const [row] = await db.query<NextDue>({
    name: "schedules_next_due",
    text: `select (select min(next_run_at) from schedules where next_run_at is not null) as next_run_at,
             exists (select from schedules where deferred_run_at is not null) as is_waiting,
             exists (select from schedules s where ${released}) as is_released, clock_timestamp() as now`,
  });
  return row!;
}

/** Those another node has in its hands are left to it. */
export async function lockDueAcrossOrgs(tx: Tx, now: Date, limit: number): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    {
      name: "schedules_lock_due",
      text: `select ${scheduleColumns} from schedules s where s.next_run_at <= $1
              order by s.next_run_at limit $2 for update skip locked`,
    },
    [now, limit],
  );
}

export async function lockWaitingAcrossOrgs(tx: Tx, limit: number): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    {
      name: "schedules_lock_waiting",
      text: `select ${scheduleColumns} from schedules s where ${released}
              order by s.deferred_run_at limit $1 for update skip locked`,
    },
    [limit],
  );
}

/** Asked after the rows are locked, so that no run that was made meanwhile is overlooked. */
export async function findOpenExecutionsAcrossOrgs(
  tx: Tx,
  scheduleIds: string[],
): Promise<{ id: string; schedule_id: string }[]> {
  return await tx.query(
    {
      name: "schedules_open_executions",
      text: `select id, schedule_id from task_executions
              where schedule_id = any($1::uuid[]) and status in ('queued', 'running')`,
    },
    [scheduleIds],
  );
}

/** What became of a schedule in one pass. */
export type FiringResult = {
  id: string;
  next_run_at: string | null;
  deferred_run_at: string | null;
  deferred_until: string | null;
  runs: number;
  skipped: number;
  missed: number;
  last_execution_id: string | null;
  last_skipped: Schedule["lastSkippedRun"];
};

export async function saveFiringsAcrossOrgs(tx: Tx, results: FiringResult[], at: Date): Promise<void> {
  await tx.query(
    {
      name: "schedules_save_firings",
      text: `update schedules s set next_run_at = u.next_run_at, deferred_run_at = u.deferred_run_at, deferred_until = u.deferred_until,
               run_count = s.run_count + u.runs, skipped_overlap_count = s.skipped_overlap_count + u.skipped,
               missed_count = s.missed_count + u.missed,
               last_run_at = case when u.runs > 0 then $2 else s.last_run_at end,
               last_execution_id = coalesce(u.last_execution_id, s.last_execution_id),
               last_skipped = coalesce(u.last_skipped, s.last_skipped)
              from jsonb_to_recordset($1::jsonb) as u (id uuid, next_run_at timestamptz, deferred_run_at timestamptz,
                deferred_until timestamptz, runs integer, skipped integer, missed integer, last_execution_id uuid, last_skipped jsonb)
             where s.id = u.id`,
    },
    [JSON.stringify(results), at],
  );
}

/** The rows are locked. */
export async function pauseSchedulesAcrossOrgs(
  tx: Tx,
  paused: readonly { id: string; reason: PauseReason }[],
  { by, at }: { by: Actor; at: Date },
): Promise<{ id: string; version: number }[]> {
  return await tx.query<{ id: string; version: number }>(
    `update schedules schedule
        set is_active = false, paused_at = $2, paused_by = $3, pause_reason = paused.reason, next_run_at = null,
            deferred_run_at = null, deferred_until = null, updated_at = $2, version = version + 1
       from jsonb_to_recordset($1::jsonb) as paused (id uuid, reason jsonb)
      where schedule.id = paused.id
     returning schedule.id, schedule.version`,
    [JSON.stringify(paused), at, by],
  );
}

/** After the clock of the preview was set back. */
export async function lockLaterAcrossOrgs(tx: Tx, now: Date): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    `select ${scheduleColumns} from schedules s where s.next_run_at > $1 order by s.id limit 10000 for update`,
    [now],
  );
}

export async function saveNextRunsAcrossOrgs(tx: Tx, ids: string[], nextRuns: Date[]): Promise<void> {
  await tx.query(
    `update schedules s set next_run_at = u.next_run_at
       from unnest($1::uuid[], $2::timestamptz[]) as u (id, next_run_at) where s.id = u.id`,
    [ids, nextRuns],
  );
}

/** In seconds, of the one that is due longest. */
export async function readLagAcrossOrgs(db: Queryable, now: Date): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    "select extract(epoch from $1::timestamptz - min(next_run_at))::float8 as seconds from schedules where next_run_at is not null",
    [now],
  );
  return Math.max(0, row?.seconds ?? 0);
}
