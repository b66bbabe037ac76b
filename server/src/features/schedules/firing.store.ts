import type { Actor } from "../../core/actor.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { PauseReason, Schedule } from "./schedules.schemas.ts";

/** The columns that firing needs. */
export type ScheduleRow = Pick<Schedule, "id" | "cron" | "timezone" | "input" | "overlap" | "missed" | "owner"> & {
  org_id: string;
  bridge_id: string;
  task_name: string;
  next_run_at: Date | null;
  deferred_run_at: Date | null;
  deferred_until: Date | null;
};
const scheduleColumns = `schedule.id, schedule.org_id, schedule.bridge_id, schedule.task_name, schedule.cron, schedule.timezone,
  schedule.input, schedule.overlap, schedule.missed, schedule.next_run_at, schedule.deferred_run_at, schedule.deferred_until,
  schedule.owner`;

export type NextDue = { next_run_at: Date | null; has_deferred: boolean; is_released: boolean; now: Date };

/**
 * A run was deferred, and the run before it has ended. Reads schedules_deferred, which is nearly always empty, and for each of its rows
 * task_executions_open_by_schedule.
 */
const isReleased = `schedule.deferred_run_at is not null
                and not exists (
                  select from task_executions execution
                   where execution.schedule_id = schedule.id and execution.status in ('queued', 'running'))`;

/** How long a scheduler may sleep. Three lookups in partial indexes: schedules_due and twice schedules_deferred. */
export async function findNextDueAcrossOrgs(db: Queryable): Promise<NextDue> {
  const [row] = await db.query<NextDue>({
    name: "schedules_next_due",
    text: `select (select min(next_run_at) from schedules where next_run_at is not null) as next_run_at,
             exists (select from schedules where deferred_run_at is not null) as has_deferred,
             exists (select from schedules schedule where ${isReleased}) as is_released,
             clock_timestamp() as now`,
  });
  return row!;
}

/** Skips schedules that another node is firing. */
export async function lockDueAcrossOrgs(tx: Tx, now: Date, limit: number): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    {
      name: "schedules_lock_due",
      text: `select ${scheduleColumns}
               from schedules schedule
              where schedule.next_run_at <= $1
              order by schedule.next_run_at
              limit $2
                for update skip locked`,
    },
    [now, limit],
  );
}

export async function lockReleasedAcrossOrgs(tx: Tx, limit: number): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    {
      name: "schedules_lock_released",
      text: `select ${scheduleColumns}
               from schedules schedule
              where ${isReleased}
              order by schedule.deferred_run_at
              limit $1
                for update skip locked`,
    },
    [limit],
  );
}

/** Call after locking the schedules: runs that were queued before that are visible then. */
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

/** Changes of one schedule by one pass. */
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

/** Updates up to a hundred locked schedules in one statement, each by primary key: the record set drives a nested loop. */
export async function saveFiringsAcrossOrgs(tx: Tx, results: FiringResult[], at: Date): Promise<void> {
  await tx.query(
    {
      name: "schedules_save_firings",
      text: `update schedules schedule
                set next_run_at = fired.next_run_at,
                    deferred_run_at = fired.deferred_run_at,
                    deferred_until = fired.deferred_until,
                    run_count = schedule.run_count + fired.runs,
                    skipped_overlap_count = schedule.skipped_overlap_count + fired.skipped,
                    missed_count = schedule.missed_count + fired.missed,
                    last_run_at = case when fired.runs > 0 then $2 else schedule.last_run_at end,
                    last_execution_id = coalesce(fired.last_execution_id, schedule.last_execution_id),
                    last_skipped = coalesce(fired.last_skipped, schedule.last_skipped)
               from jsonb_to_recordset($1::jsonb) as fired (
                      id uuid, next_run_at timestamptz, deferred_run_at timestamptz, deferred_until timestamptz,
                      runs integer, skipped integer, missed integer, last_execution_id uuid, last_skipped jsonb)
              where schedule.id = fired.id`,
    },
    [JSON.stringify(results), at],
  );
}

/** The caller has locked the rows. */
export async function pauseSchedulesAcrossOrgs(
  tx: Tx,
  paused: readonly { id: string; reason: PauseReason }[],
  { by, at }: { by: Actor; at: Date },
): Promise<{ id: string; version: number }[]> {
  return await tx.query<{ id: string; version: number }>(
    `update schedules schedule
        set is_active = false,
            paused_at = $2,
            paused_by = $3,
            pause_reason = paused.reason,
            next_run_at = null,
            deferred_run_at = null,
            deferred_until = null,
            updated_at = $2,
            version = version + 1
       from jsonb_to_recordset($1::jsonb) as paused (id uuid, reason jsonb)
      where schedule.id = paused.id
     returning schedule.id, schedule.version`,
    [JSON.stringify(paused), at, by],
  );
}

/** Schedules whose next run has moved into the future, because the preview clock was set back. */
export async function lockLaterAcrossOrgs(tx: Tx, now: Date): Promise<ScheduleRow[]> {
  return await tx.query<ScheduleRow>(
    `select ${scheduleColumns}
       from schedules schedule
      where schedule.next_run_at > $1
      order by schedule.id
      limit 10000
        for update`,
    [now],
  );
}

export async function saveNextRunsAcrossOrgs(tx: Tx, ids: string[], nextRuns: Date[]): Promise<void> {
  await tx.query(
    `update schedules schedule
        set next_run_at = rewound.next_run_at
       from unnest($1::uuid[], $2::timestamptz[]) as rewound (id, next_run_at)
      where schedule.id = rewound.id`,
    [ids, nextRuns],
  );
}

/** Seconds since the oldest due run. */
export async function readLagAcrossOrgs(db: Queryable, now: Date): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    "select extract(epoch from $1::timestamptz - min(next_run_at))::float8 as seconds from schedules where next_run_at is not null",
    [now],
  );
  return Math.max(0, row?.seconds ?? 0);
}
