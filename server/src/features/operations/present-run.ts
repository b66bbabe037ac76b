import type { RunDetail, RunRecord } from "./operations.schemas.ts";
import type { RunRow } from "./runs.store.ts";

/** The run without what has to be looked up. */
export function presentWithoutResults(run: RunRow): RunDetail {
  const preflight = run.drifted === null ? null : { drifted_orders: run.drifted };
  return { ...presentRun(run), errors_by_code: {}, retried_by: [], undone_by: [], preflight, results: [] };
}

export function presentRun(run: RunRow): RunRecord {
  const { succeeded, failed, skipped, no_change } = run;
  return {
    id: run.id,
    status: run.status,
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
    duration_ms:
      run.started_at && run.finished_at ? Math.max(0, run.finished_at.getTime() - run.started_at.getTime()) : null,
    created_by: run.created_by,
    note: run.note,
    retry_of: run.retry_of,
    undo_of: run.undo_of,
    root_run_id: run.root_run_id,
    attempt: run.attempt,
    on_error: run.on_error,
    atomic: run.is_atomic,
    actions: run.actions,
    order_count: run.order_count,
    duplicates_removed: run.duplicates_removed,
    summary: { total: run.order_count, succeeded, failed, skipped, no_change },
  };
}
