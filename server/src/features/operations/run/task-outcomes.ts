import type { Queryable } from "../../../db/database.ts";
import { executionStatuses } from "../../tasks/tasks.schemas.ts";
import { countEndsOfRun, listStatuses } from "../../tasks/tasks.ts";
import { actionCatalog } from "../action-catalog.ts";
import type { RunResult, TaskOutcomes } from "../run.schemas.ts";
import type { RunRow } from "./runs.store.ts";

const queueing = new Set(actionCatalog.filter(({ needsBridges }) => needsBridges).map(({ type }) => type));

/** Current outcome of the bridge tasks that a run queued, by step and task. */
export async function listTaskOutcomes(db: Queryable, orgId: string, run: RunRow): Promise<TaskOutcomes[]> {
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
      executions: Object.fromEntries(executions) as TaskOutcomes["executions"],
      failed_orders: of.reduce((sum, { failedOrders }) => sum + failedOrders, 0),
      unknown_orders: of.reduce((sum, { unknownOrders }) => sum + unknownOrders, 0),
    };
  });
}

type Step = RunResult["steps"][number];

/** Adds the current execution status to steps, and replaces their pending warning once the execution has ended. */
export async function withTaskStatuses(db: Queryable, orgId: string, results: RunResult[]): Promise<RunResult[]> {
  const ids = results.flatMap(({ steps }) => steps.flatMap(({ execution_id }) => execution_id ?? []));
  if (ids.length === 0) return results;
  const statuses = await listStatuses(db, orgId, [...new Set(ids)]);
  const update = (step: Step): Step =>
    step.execution_id === undefined ? step : withStatus(step, statuses.get(step.execution_id));
  return results.map((result) => ({ ...result, steps: result.steps.map(update) }));
}

function withStatus({ warning, ...step }: Step, status: Step["execution_status"]): Step {
  if (status === undefined) return step;
  const now = { ...step, execution_status: status };
  if (status === "succeeded") return now;
  if (status === "queued" || status === "running") return warning ? { ...now, warning } : now;
  const message = `The bridge task ended with status ${status}; see GET /tasks/executions/${step.execution_id}.`;
  return { ...now, warning: { code: `task_${status}`, message } };
}
