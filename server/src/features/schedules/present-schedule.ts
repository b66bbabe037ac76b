import { storedCron } from "./cron/cron.ts";
import { describeCron } from "./cron/cron-describe.ts";
import { upcomingRuns } from "./cron/cron-upcoming.ts";
import type { Schedule } from "./schedules.schemas.ts";
import type { ShownScheduleRow } from "./schedules.store.ts";

const shownRuns = 5;

export function presentSchedule(row: ShownScheduleRow): Schedule {
  const cron = storedCron(row.cron);
  return {
    id: row.id,
    name: row.name,
    bridgeId: row.bridge_id,
    taskName: row.task_name,
    cron: row.cron,
    timezone: row.timezone,
    description: describeCron(cron, row.timezone),
    input: row.input,
    isActive: row.is_active,
    overlap: row.overlap,
    missed: row.missed,
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    upcoming: row.next_run_at ? upcomingRuns(cron, row.timezone, row.next_run_at.getTime() - 1, shownRuns) : [],
    waitingFor: row.waiting_for?.toISOString() ?? null,
    lastRunAt: row.last_run_at?.toISOString() ?? null,
    lastExecution:
      row.last_execution_id && row.last_status ? { id: row.last_execution_id, status: row.last_status } : null,
    lastSkipped: row.last_skipped,
    counters: {
      runs: row.run_count,
      failures: row.failure_count,
      skippedOverlap: row.skipped_overlap_count,
      missed: row.missed_count,
    },
    pausedAt: row.paused_at?.toISOString() ?? null,
    pausedBy: row.paused_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
