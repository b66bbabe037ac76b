import { HubError } from "../../../core/errors.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import { requireAgentOrderLimit } from "../agent-limits.ts";
import { mayOverride } from "../compile-pipeline.ts";
import type { Pipeline } from "../evaluate.ts";
import type { ActionRequest } from "../operations.schemas.ts";
import type { RunnablePipeline } from "../saved-pipelines.ts";
import type { PlannedOrders } from "./plan-run.ts";
import { toBatches } from "./plan-run.ts";
import { toCause } from "./run-work.ts";
import type { NewRun, RunRow, SelectedOrders } from "./runs.store.ts";
import * as runs from "./runs.store.ts";

export type RunPlan = Pick<NewRun, "actions" | "on_error" | "is_atomic" | "note"> & Partial<NewRun>;

/** `owner` leases the run at once; null leaves it to a worker. */
export async function insertRun(
  tx: Tx,
  ctx: Ctx,
  pipeline: Pipeline,
  planned: PlannedOrders | SelectedOrders,
  plan: RunPlan,
  owner: string | null,
): Promise<RunRow> {
  const id = ctx.newId();
  const made: NewRun = {
    id,
    root_run_id: id,
    retry_of: null,
    undo_of: null,
    attempt: 1,
    drifted: null,
    excluded_count: 0,
    pipeline_id: null,
    selection_id: null,
    filter: null,
    condition: null,
    cause: null,
    ...plan,
    may_override: mayOverride(ctx),
    created_by: ctx.actor,
    request_id: ctx.requestId,
    order_count: "refs" in planned ? planned.refs.length : planned.matched,
    duplicates_removed: "refs" in planned ? planned.duplicatesRemoved : 0,
    created_at: ctx.clock.now(),
  };
  requireAgentOrderLimit(ctx, made.order_count);
  const chosen = "refs" in planned ? toBatches(planned, pipeline) : planned;
  const row = await runs.insertRun(tx, ctx.orgId, made, chosen, owner);
  if (row.order_count === 0) throw new HubError("empty_selection");
  recordEvent(
    tx,
    { ...ctx, cause: toCause(row.cause) },
    {
      type: "operation_run.created",
      objectId: row.id,
      data: {
        order_count: row.order_count,
        actions: row.actions.map(({ type }) => type),
        retry_of: row.retry_of,
        undo_of: row.undo_of,
      },
    },
  );
  if (owner === null) await ctx.signals.publish(tx, "operation_run", row.id);
  return row;
}

/** A run that an automation or a packing station starts. */
export type QueuedRun = Pick<NewRun, "cause" | "condition" | "filter" | "note"> & { orderIds: string[] };

/** Queues a run in the caller's transaction. */
export async function queueRun(
  tx: Tx,
  ctx: Ctx,
  { saved, pipeline }: RunnablePipeline,
  { orderIds, ...about }: QueuedRun,
): Promise<string> {
  const { actions, on_error, atomic: is_atomic } = saved;
  const orders = { refs: orderIds, orderIds, duplicatesRemoved: 0 };
  const plan = { actions: actions as ActionRequest[], on_error, is_atomic, pipeline_id: saved.id, ...about };
  return (await insertRun(tx, ctx, pipeline, orders, plan, null)).id;
}
