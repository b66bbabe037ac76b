import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type { PauseReason, Schedule, ScheduleQuery } from "./schedules.schemas.ts";

/** Without what its cron expression says. */
export type StoredSchedule = Omit<Schedule, "description" | "upcoming">;

/** What became of its runs is only read here: it is counted where they are made. */
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
/** Whoever changes, pauses, triggers or fires a schedule locks it first, and does so one after the other. */
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

/** Those that run before a moment, the next one first. */
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

/** Those of a bridge that are active, and not any more. */
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

/** Runs outside of the cadence: they count, and change nothing else. */
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

/** Those of these occurrences that have their execution. */
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

/** The clock that decides what is due: that of the database, which all nodes share. */
export async function readDatabaseClock(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>("select clock_timestamp() as now");
  return row!.now;
}
