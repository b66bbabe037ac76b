import type { Queryable } from "../../../db/database.ts";
import { executionStatuses } from "../../tasks/tasks.schemas.ts";
import { countEndsOfRun } from "../../tasks/tasks.ts";
import { actionCatalog } from "../action-catalog.ts";
import type { TaskEnds } from "../operations.schemas.ts";
import type { RunRow } from "./runs.store.ts";

const queueing = new Set(actionCatalog.filter(({ needsBridges }) => needsBridges).map(({ type }) => type));

/** How what the steps of a run have queued ended, or stands now. */
export async function listTaskEnds(db: Queryable, orgId: string, run: RunRow): Promise<TaskEnds[]> {
  if (!run.actions.some(({ type }) => queueing.has(type))) return [];
  const rows = await countEndsOfRun(db, orgId, run.id);
  const groups = Map.groupBy(rows, ({ step, bridgeId, taskName }) => `${step} ${bridgeId} ${taskName}`);
  return [...groups.values()].map((of) => {
    const { step, bridgeId, taskName } = of[0]!;
    const counted = new Map(of.map(({ status, executions }) => [status, executions]));
    const executions = executionStatuses.map((status) => [status, counted.get(status) ?? 0]);
    return {
      step,
      type: step === null ? null : (run.actions[step]?.type ?? null),
      bridge_id: bridgeId,
      task_name: taskName,
      executions: Object.fromEntries(executions) as TaskEnds["executions"],
      failed_orders: of.reduce((sum, { failedOrders }) => sum + failedOrders, 0),
      unknown_orders: of.reduce((sum, { unknownOrders }) => sum + unknownOrders, 0),
    };
  });
}
