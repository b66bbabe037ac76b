import type { ExecutionRow, LogLine } from "./executions.store.ts";
import type { Execution, ExecutionSummary } from "./tasks.schemas.ts";

export function presentSummary(row: ExecutionRow): ExecutionSummary {
  const duration = row.started_at && row.finished_at ? row.finished_at.getTime() - row.started_at.getTime() : null;
  return {
    id: row.id,
    bridgeId: row.bridge_id,
    taskName: row.task_name,
    status: row.status,
    mode: row.mode,
    trigger: row.trigger,
    scheduleId: row.schedule_id,
    scheduledFor: row.scheduled_for?.toISOString() ?? null,
    retryOf: row.retry_of,
    runId: row.run_id,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    progress: row.progress,
    error: row.error,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    cancelRequestedAt: row.cancel_requested_at?.toISOString() ?? null,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: duration,
  };
}

export function presentExecution(row: ExecutionRow, retries: { id: string }[] = [], logs: LogLine[] = []): Execution {
  return {
    ...presentSummary(row),
    input: row.input,
    transformedInput: row.sent_input,
    result: row.result ?? null,
    attempts: row.attempts,
    retriedBy: retries.map(({ id }) => id),
    transformations: row.transformations ?? { outbound: null, inbound: null },
    logs: logs.map((line) => ({ ...line, at: line.at.toISOString() })),
  };
}
