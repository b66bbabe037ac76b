import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { Schedule, ScheduleQuery } from "./schedules.schemas.ts";

export type ScheduleRow = {
  id: string;
  org_id: string;
  name: string | null;
  bridge_id: string;
  task_name: string;
  cron: string;
  timezone: string;
  input: Record<string, unknown>;
  overlap: Schedule["overlap"];
  missed: Schedule["missed"];
  is_active: boolean;
  paused_at: Date | null;
  paused_by: Actor | null;
  next_run_at: Date | null;
  waiting_for: Date | null;
  last_run_at: Date | null;
  last_execution_id: string | null;
  last_skipped: Schedule["lastSkipped"];
  run_count: number;
  skipped_overlap_count: number;
  missed_count: number;
  created_at: Date;
  updated_at: Date;
  version: number;
};

/** Its last execution and its failures are looked up where it is shown. */
export type ShownScheduleRow = ScheduleRow & {
  last_status: NonNullable<Schedule["lastExecution"]>["status"] | null;
  failure_count: number;
};

export const scheduleColumns = `s.id, s.org_id, s.name, s.bridge_id, s.task_name, s.cron, s.timezone, s.input, s.overlap, s.missed,
  s.is_active, s.paused_at, s.paused_by, s.next_run_at, s.waiting_for, s.last_run_at, s.last_execution_id, s.last_skipped,
  s.run_count, s.skipped_overlap_count, s.missed_count, s.created_at, s.updated_at, s.version`;
const shownColumns = `${scheduleColumns},
  (select e.status from task_executions e where e.id = s.last_execution_id) as last_status,
  (select count(*) from task_executions e where e.schedule_id = s.id and e.status in ('failed', 'timed_out', 'expired')
  ) as failure_count`;

export async function findSchedule(db: Queryable, orgId: string, id: string): Promise<ShownScheduleRow | undefined> {
  const [row] = await db.query<ShownScheduleRow>(
    `select ${shownColumns} from schedules s where s.org_id = $1 and s.id = $2`,
    [orgId, id],
  );
  return row;
}

/** Whoever changes, pauses, triggers or fires a schedule does so one after the other. */
export async function lockSchedule(tx: Tx, orgId: string, id: string): Promise<ShownScheduleRow | undefined> {
  const [row] = await tx.query<ShownScheduleRow>(
    `select ${shownColumns} from schedules s where s.org_id = $1 and s.id = $2 for update of s`,
    [orgId, id],
  );
  return row;
}

export async function listSchedules(
  db: Queryable,
  orgId: string,
  query: ScheduleQuery,
): Promise<Page<ShownScheduleRow>> {
  return await listPage<ShownScheduleRow>(db, query, {
    select: shownColumns,
    from: "schedules s",
    where: [
      ["s.org_id = ?", orgId],
      ["s.bridge_id = ?", query.bridgeId],
      ["s.task_name = ?", query.taskName],
      ["s.is_active = ?", query.isActive],
      ["s.name ilike ?", likePattern(query.search)],
    ],
    orderBy: "s.created_at desc, s.id desc",
  });
}

/** What its owner decides about a schedule, and what follows from it. */
export type ScheduleValues = Pick<
  ScheduleRow,
  | "id"
  | "name"
  | "bridge_id"
  | "task_name"
  | "cron"
  | "timezone"
  | "input"
  | "overlap"
  | "missed"
  | "is_active"
  | "paused_at"
  | "paused_by"
  | "next_run_at"
  | "waiting_for"
> & { at: Date };

export async function insertSchedule(tx: Tx, orgId: string, values: ScheduleValues): Promise<ShownScheduleRow> {
  const [row] = await tx.query<ShownScheduleRow>(
    `insert into schedules as s (id, org_id, name, bridge_id, task_name, cron, timezone, input, overlap, missed, is_active,
       paused_at, paused_by, next_run_at, waiting_for, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16) returning ${shownColumns}`,
    listed(orgId, values),
  );
  return row!;
}

export async function updateSchedule(tx: Tx, orgId: string, values: ScheduleValues): Promise<ShownScheduleRow> {
  const [row] = await tx.query<ShownScheduleRow>(
    `update schedules s set name = $3, bridge_id = $4, task_name = $5, cron = $6, timezone = $7, input = $8, overlap = $9,
       missed = $10, is_active = $11, paused_at = $12, paused_by = $13, next_run_at = $14, waiting_for = $15,
       updated_at = $16, version = s.version + 1
      where s.id = $1 and s.org_id = $2 returning ${shownColumns}`,
    listed(orgId, values),
  );
  return row!;
}

function listed(orgId: string, values: ScheduleValues): unknown[] {
  const { id, name, bridge_id, task_name, cron, timezone, input, overlap, missed } = values;
  const { is_active, paused_at, paused_by, next_run_at, waiting_for, at } = values;
  const task: unknown[] = [id, orgId, name, bridge_id, task_name, cron, timezone, input, overlap, missed];
  return task.concat([is_active, paused_at, paused_by, next_run_at, waiting_for, at]);
}

export async function deleteSchedule(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from schedules where org_id = $1 and id = $2", [orgId, id]);
}

/** Those of a bridge that are active, and not any more. */
export async function pauseSchedulesOf(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  { by, at }: { by: Actor; at: Date },
): Promise<{ id: string; version: number }[]> {
  return await tx.query<{ id: string; version: number }>(
    `update schedules set is_active = false, paused_at = $4, paused_by = $3, next_run_at = null, waiting_for = null,
       updated_at = $4, version = version + 1 where org_id = $1 and bridge_id = $2 and is_active
     returning id, version`,
    [orgId, bridgeId, by, at],
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
