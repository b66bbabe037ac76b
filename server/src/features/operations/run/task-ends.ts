import type { Queryable } from "../../../db/database.ts";
import { executionStatuses } from "../../tasks/tasks.schemas.ts";
import { countEndsOfRun, listStatuses } from "../../tasks/tasks.ts";
import { actionCatalog } from "../action-catalog.ts";
import type { RunResult, TaskEnds } from "../operations.schemas.ts";
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

type Step = RunResult["steps"][number];

/** The steps say how what they queued stands now: that it was pending is true only until it has ended. */
export async function tellTaskEnds(db: Queryable, orgId: string, results: RunResult[]): Promise<RunResult[]> {
  const ids = results.flatMap(({ steps }) => steps.flatMap(({ execution_id }) => execution_id ?? []));
  if (ids.length === 0) return results;
  const statuses = await listStatuses(db, orgId, [...new Set(ids)]);
  const tell = (step: Step): Step =>
    step.execution_id === undefined ? step : told(step, statuses.get(step.execution_id));
  return results.map((result) => ({ ...result, steps: result.steps.map(tell) }));
}

function told({ warning, ...step }: Step, status: Step["execution_status"]): Step {
  if (status === undefined) return step;
  const now = { ...step, execution_status: status };
  if (status === "succeeded") return now;
  if (status === "queued" || status === "running") return warning ? { ...now, warning } : now;
  const message = `What was queued at the bridge ended as ${status}; GET /tasks/executions/${step.execution_id} says why.`;
  return { ...now, warning: { code: `task_${status}`, message } };
}
