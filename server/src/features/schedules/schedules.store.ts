import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type { PauseReason, Schedule, ScheduleQuery } from "./schedules.schemas.ts";

/** Without the fields derived from the cron expression. */
export type StoredSchedule = Omit<Schedule, "description" | "upcoming">;

/** The counters are only read here; firing.store.ts updates them. */
const columns = defineColumns<StoredSchedule>("t", {
  name: "text",
  bridgeId: "uuid",
  taskName: "text",
  cron: "text",
  timezone: "text",
  input: "jsonb",
  isActive: "boolean",
  overlap: "text",
  missed: "text",
  nextRunAt: moment,
  deferredRunAt: moment,
  lastRunAt: { ...moment, selected: "t.last_run_at" },
  lastExecution: {
    type: "json",
    selected: `(select json_build_object('id', e.id, 'status', e.status) from task_executions e
      where e.id = t.last_execution_id)`,
  },
  lastSkippedRun: { type: "jsonb", selected: "t.last_skipped" },
  counters: {
    type: "json",
    selected: `json_build_object('runs', t.run_count, 'skippedForOverlap', t.skipped_overlap_count, 'missed', t.missed_count,
      'failures', (select count(*) from task_executions e
        where e.schedule_id = t.id and e.status in ('failed', 'timed_out', 'expired')))`,
  },
  pausedAt: moment,
  pausedBy: "jsonb",
  pauseReason: "jsonb",
  owner: "jsonb",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
const schedules = recordsIn("schedules", "schedule", columns);
/** Changing, pausing, triggering and firing a schedule lock its row first, so that they cannot run at the same time. */
export const {
  get: getSchedule,
  lock: lockSchedule,
  insert: insertSchedule,
  update: updateSchedule,
  remove: deleteSchedule,
} = schedules;

export async function listSchedules(db: Queryable, orgId: string, query: ScheduleQuery): Promise<Page<StoredSchedule>> {
  return await schedules.list(db, orgId, query, [
    ["t.bridge_id = ?", query.bridgeId],
    ["t.task_name = ?", query.taskName],
    ["t.is_active = ?", query.isActive],
    ["t.name ilike ?", likePattern(query.search)],
  ]);
}

/** Schedules with a run before `to`, by their next run. */
export async function findSchedulesBefore(
  db: Queryable,
  orgId: string,
  { to, bridgeId, limit }: { to: Date; bridgeId: string | undefined; limit: number },
): Promise<
  Array<Pick<StoredSchedule, "id" | "name" | "bridgeId" | "taskName" | "cron" | "timezone"> & { next: Date }>
> {
  return await db.query(
    `select id, name, bridge_id as "bridgeId", task_name as "taskName", cron, timezone, next_run_at as next from schedules
      where org_id = $1 and is_active and next_run_at < $2 and ($3::uuid is null or bridge_id = $3)
      order by next_run_at, id limit $4`,
    [orgId, to, bridgeId ?? null, limit],
  );
}

/** Pauses the active schedules of a bridge. */
export async function pauseSchedulesOf(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  { by, reason, at }: { by: Actor; reason: PauseReason; at: Date },
): Promise<{ id: string; version: number }[]> {
  return await tx.query<{ id: string; version: number }>(
    `update schedules set is_active = false, paused_at = $4, paused_by = $3, pause_reason = $5, next_run_at = null,
       deferred_run_at = null, updated_at = $4, version = version + 1 where org_id = $1 and bridge_id = $2 and is_active
     returning id, version`,
    [orgId, bridgeId, by, at, reason],
  );
}

/** Counts runs that were triggered or backfilled. They do not move the next run. */
export async function noteRuns(
  tx: Tx,
  orgId: string,
  id: string,
  runs: { count: number; lastExecutionId: string; at: Date },
): Promise<void> {
  await tx.query(
    `update schedules set run_count = run_count + $3, last_execution_id = $4, last_run_at = $5
      where org_id = $1 and id = $2`,
    [orgId, id, runs.count, runs.lastExecutionId, runs.at],
  );
}

/** The occurrences that already have an execution. */
export async function findOccurrences(
  db: Queryable,
  orgId: string,
  id: string,
  occurrences: Date[],
): Promise<{ scheduled_for: Date; id: string }[]> {
  return await db.query(
    `select scheduled_for, id from task_executions
      where org_id = $1 and schedule_id = $2 and scheduled_for = any($3::timestamptz[])`,
    [orgId, id, occurrences],
  );
}

/** The clock of the database, which all nodes share, decides what is due. */
export async function readDatabaseClock(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>("select clock_timestamp() as now");
  return row!.now;
}
