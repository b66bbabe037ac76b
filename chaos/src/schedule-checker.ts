import type { Reader } from "./findings.ts";

export const minuteMs = 60_000;

/** A schedule as acknowledged at creation: every n minutes of the hour, starting with its first run. */
export type KnownSchedule = { id: string; everyMinutes: number; firstRunAt: number };

/** Each list must be empty. */
type ScheduleFindings = {
  /** An occurrence without an execution. */
  lost: string[];
  /** An occurrence with several executions, or an execution that was queued or announced twice. */
  doubled: string[];
  /** An execution for a time that is not an occurrence. */
  unexpected: string[];
  broken: string[];
};

export type ScheduleCheck = { findings: ScheduleFindings; occurrences: number; madeUpFor: number };

/** Occurrences up to `until`, computed minute by minute, independent of the hub's cron code. */
function expectedTimes({ everyMinutes, firstRunAt }: KnownSchedule, until: number): number[] {
  const times: number[] = [];
  for (let at = firstRunAt; at <= until; at += minuteMs) {
    if (new Date(at).getUTCMinutes() % everyMinutes === 0) times.push(at);
  }
  return times;
}

type Row = { id: string; schedule_id: string; at: Date | null; status: string; attempts: { status: string }[] };

/** Compares the expected occurrences with the executions in the database, without using a hub. */
export async function checkSchedules(db: Reader, schedules: KnownSchedule[], until: number): Promise<ScheduleCheck> {
  const findings: ScheduleFindings = { lost: [], doubled: [], unexpected: [], broken: [] };
  const { rows } = await db.query<Row>(
    "select id, schedule_id, scheduled_for as at, status, attempts from task_executions where schedule_id is not null",
  );
  const found = Map.groupBy(rows, ({ schedule_id }) => schedule_id);
  let occurrences = 0;
  for (const schedule of schedules) {
    const ofSchedule = (found.get(schedule.id) ?? []).filter(({ at }) => at === null || at.getTime() <= until);
    occurrences += checkOne(schedule, ofSchedule, until, findings);
  }
  for (const { id, status, attempts } of rows) {
    // An execution that was killed in every attempt may fail; that is checked by the task session.
    const wasLost = status === "failed" && attempts.every((attempt) => attempt.status === "worker_lost");
    if (status !== "succeeded" && !wasLost) findings.broken.push(`execution ${id} is ${status}`);
  }
  const madeUpFor = await checkRows(db, found, schedules, findings);
  return { findings, occurrences, madeUpFor };
}

function checkOne(schedule: KnownSchedule, rows: Row[], until: number, findings: ScheduleFindings): number {
  const expected = new Set(expectedTimes(schedule, until));
  const byTime = Map.groupBy(rows, ({ at }) => at?.getTime());
  for (const at of expected) {
    const count = byTime.get(at)?.length ?? 0;
    const what = `schedule ${schedule.id} at ${new Date(at).toISOString()}`;
    if (count === 0) findings.lost.push(what);
    if (count > 1) findings.doubled.push(`${what}: ${count} executions`);
  }
  for (const at of byTime.keys()) {
    if (at === undefined || !expected.has(at))
      findings.unexpected.push(`schedule ${schedule.id}: ${at === undefined ? "no time" : new Date(at).toISOString()}`);
  }
  return expected.size;
}

/** Schedules, audit log and queue must agree with the executions. */
async function checkRows(
  db: Reader,
  found: Map<string, Row[]>,
  schedules: KnownSchedule[],
  findings: ScheduleFindings,
): Promise<number> {
  const { rows } = await db.query<{ id: string; runs: number; missed: number; overlapped: number }>(
    "select id, run_count as runs, missed_count as missed, skipped_overlap_count as overlapped from schedules",
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const { id } of schedules) {
    const row = known.get(id);
    const count = found.get(id)?.length ?? 0;
    if (row?.runs !== count) findings.broken.push(`schedule ${id} counts ${row?.runs} runs and has ${count}`);
    if (row && row.overlapped > 0) findings.broken.push(`schedule ${id} left out ${row.overlapped} runs`);
  }
  const { rows: announced } = await db.query<{ id: string; n: number }>(
    `select object_id as id, count(*)::int as n from recorded_events where type = 'task_execution.queued'
      group by object_id having count(*) > 1`,
  );
  for (const { id, n } of announced) findings.doubled.push(`execution ${id} was announced ${n} times`);
  const { rows: held } = await db.query<{ n: number }>(
    "select count(*)::int as n from task_executions where due_at is not null or lease_owner is not null",
  );
  if (held[0]!.n > 0) findings.broken.push(`${held[0]!.n} executions are still queued or leased`);
  return rows.reduce((sum, { missed }) => sum + missed, 0);
}
