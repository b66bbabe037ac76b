import {
  mask,
  maskFailure as inOurWords,
  maskFailuresWithin,
  maskPersonsWithin,
  maskProblem,
  maskTexts,
  maySeePersonalData,
} from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { ExecutionRow } from "./executions.store.ts";
import type { LogLine } from "./execution-logs.store.ts";
import { presentTaskInput } from "./present-input.ts";
import type { Execution, ExecutionSummary, Failure } from "./tasks.schemas.ts";

type Caller = Pick<Ctx, "principal">;

export function presentSummary(ctx: Caller, row: ExecutionRow): ExecutionSummary {
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
    isPartial: row.is_partial,
    runId: row.run_id,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    progress: row.progress,
    error: maySeePersonalData(ctx) ? row.error : maskFailure(row.error, isFilledIn(row)),
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    cancelRequestedAt: row.cancel_requested_at?.toISOString() ?? null,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: duration,
  };
}

export function presentExecution(
  ctx: Caller,
  row: ExecutionRow,
  retries: { id: string }[] = [],
  logs: LogLine[] = [],
): Execution {
  const execution: Execution = {
    ...presentSummary(ctx, row),
    input: presentTaskInput(ctx, row.input, isFilledIn(row)),
    transformedInput: presentTaskInput(ctx, row.sent_input, isFilledIn(row)),
    result: row.result ?? soFar(row),
    attempts: row.attempts,
    retriedBy: retries.map(({ id }) => id),
    transformations: row.transformations ?? { outbound: null, inbound: null },
    logs: presentLogs(ctx, row, logs),
  };
  return maySeePersonalData(ctx) ? execution : maskExecution(execution, isFilledIn(row));
}

/** Without `pii:read` warnings and errors are masked, since they often quote data; info lines hold only counts. */
export function presentLogs(ctx: Caller, row: ExecutionRow, lines: LogLine[]): Execution["logs"] {
  const mayRead = maySeePersonalData(ctx);
  return lines.map(({ at, attempt, level, message }) => {
    const isHidden = !mayRead && (isFilledIn(row) || level !== "info");
    return { at: at.toISOString(), attempt, level, message: isHidden ? mask : message };
  });
}

/** The counts of the pages that an unfinished pull has stored so far. */
function soFar({ checkpoint }: ExecutionRow): Record<string, unknown> | null {
  if (!checkpoint) return null;
  const { counts, failures, conflicts = [], failedSince } = checkpoint;
  return {
    ...counts,
    ...(failures.length > 0 ? { failures } : {}),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(failedSince === undefined ? {} : { failedSince }),
  };
}

type Members = Record<string, unknown>;

/** The action run_task fills any field of an order into the input; other actions only name orders. */
export function isFilledIn({ run_id, follow_up }: ExecutionRow): boolean {
  return run_id !== null && follow_up === null;
}

/** Masks personal data by field name. Where order fields were filled into the input any text may be personal, so all are masked. */
function maskExecution(execution: Execution, isFilled: boolean): Execution {
  const { result, attempts } = execution;
  const named = maskPersonsWithin(result);
  return {
    ...execution,
    result: withMaskedFailures(maskFailuresWithin(isFilled ? maskTexts(named) : named)),
    attempts: attempts.map((attempt) => ({ ...attempt, error: maskFailure(attempt.error, isFilled) })),
  };
}

function maskFailure(failure: Failure | null, isFilled: boolean): Failure | null {
  if (!failure) return null;
  const errors = failure.errors ? { errors: failure.errors.map(maskProblem) } : {};
  return { ...inOurWords(failure), ...errors, ...(isFilled ? { message: mask } : {}) };
}

/** Masks the rejected records of a pull. */
function withMaskedFailures(result: unknown): unknown {
  const failures = (result as { failures?: unknown } | null)?.failures;
  if (!Array.isArray(failures)) return result;
  const hide = (failure: Members & { errors?: Members[] }): Members => ({
    ...failure,
    ...(failure.errors ? { errors: failure.errors.map(maskProblem) } : {}),
  });
  return { ...(result as Members), failures: failures.map(hide) };
}
