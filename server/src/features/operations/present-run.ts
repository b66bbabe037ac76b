import { mask, maySeePersonalData } from "../../core/mask-person.ts";
import { fromCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { FieldChange } from "../orders/order-changes.ts";
import { isPersonalPath, maskChange } from "../orders/orders.ts";
import { presentTaskInput } from "../tasks/tasks.ts";
import type { LabelCounts } from "./run-labels.ts";
import { noLabels } from "./run-labels.ts";
import type { RunDetail, RunRecord, RunResult } from "./run.schemas.ts";
import type { SavedPipeline } from "./saved-pipelines.schemas.ts";
import type { RunRow } from "./run/runs.store.ts";

type Caller = Pick<Ctx, "principal">;

/** The run without fields that need further queries. */
export function presentWithoutResults(ctx: Caller, run: RunRow, labels: LabelCounts = noLabels): RunDetail {
  const preflight = run.drifted === null ? null : { drifted_orders: run.drifted };
  const none = {
    errors_by_code: {},
    retried_by: [],
    undone_by: [],
    tasks: [],
    task_summary: { failed_orders: 0, unknown_orders: 0 },
    label_services: [],
    results: [],
  };
  return { ...presentRun(ctx, run, labels), ...none, preflight };
}

export function presentRun(ctx: Caller, run: RunRow, labels: LabelCounts): RunRecord {
  const { succeeded, failed, skipped, no_change, partially_undone } = run;
  return {
    id: run.id,
    status: run.status,
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
    duration_ms:
      run.started_at && run.finished_at ? Math.max(0, run.finished_at.getTime() - run.started_at.getTime()) : null,
    created_by: run.created_by,
    cause: run.cause,
    note: run.note,
    retry_of: run.retry_of,
    undo_of: run.undo_of,
    root_run_id: run.root_run_id,
    attempt: run.attempt,
    on_error: run.on_error,
    atomic: run.is_atomic,
    actions: presentActions(ctx, run.actions),
    order_count: run.order_count,
    duplicates_removed: run.duplicates_removed,
    selection_id: run.selection_id,
    pipeline_id: run.pipeline_id,
    excluded_count: run.excluded_count,
    summary: {
      total: run.order_count,
      succeeded,
      failed,
      skipped,
      cancelled: notReached(run),
      no_change,
      partially_undone,
    },
    labels: {
      requested: labels.requested,
      bought: labels.bought,
      failed: labels.failed,
      refunds_pending: labels.refundsPending,
      voided: labels.voided,
      printed: labels.printed,
      costs: labels.costs.map(({ currency, cents, labels: count }) => ({
        currency,
        total: fromCents(cents),
        labels: count,
      })),
    },
    open_label_requests: labels.open,
  };
}

function notReached({ status, order_count, succeeded, failed, skipped }: RunRow): number {
  return status === "cancelled" ? order_count - succeeded - failed - skipped : 0;
}

export function presentPipeline(ctx: Caller, pipeline: SavedPipeline): SavedPipeline {
  return { ...pipeline, actions: presentActions(ctx, pipeline.actions) };
}

/** Params can contain task input, which is masked as in executions. */
function presentActions(ctx: Caller, actions: RunRecord["actions"]): RunRecord["actions"] {
  const shown = presentTaskInput(ctx, actions);
  return maySeePersonalData(ctx) ? shown : (maskConditions(shown) as RunRecord["actions"]);
}

/** Masked for callers without pii:read. */
export function presentCondition<T extends object | null>(ctx: Caller, condition: T): T {
  return maySeePersonalData(ctx) ? condition : (maskConditions(condition) as T);
}

/** Masks the values of conditions on personal fields: they can name a person. */
function maskConditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskConditions);
  if (typeof value !== "object" || value === null) return value;
  const { path } = value as { path?: unknown };
  if (typeof path === "string" && isPersonalPath(path) && "value" in value) return { ...value, value: mask };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskConditions(member)]));
}

/** Steps record fields before and after; personal fields are masked as in the order itself. */
export function presentSteps<Step extends { changes?: FieldChange[] }>(ctx: Caller, steps: Step[]): Step[] {
  if (maySeePersonalData(ctx)) return steps;
  return steps.map((step) => (step.changes ? { ...step, changes: step.changes.map(maskChange) } : step));
}

export function presentResults(ctx: Caller, results: RunResult[]): RunResult[] {
  if (maySeePersonalData(ctx)) return results;
  return results.map((result) => ({
    ...result,
    ...(result.recipient ? { recipient: mask } : {}),
    steps: presentSteps(ctx, result.steps),
  }));
}
