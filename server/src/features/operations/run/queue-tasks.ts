import { HubError } from "../../../core/errors.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { CheckedTask, QueueOptions } from "../../tasks/tasks.ts";
import { enqueueExecutions, loadTasks } from "../../tasks/tasks.ts";
import type { ExternalCall } from "../action.ts";
import type { Evaluation, StepResult } from "../evaluate.ts";

type Queued = { call: ExternalCall; orderIds: string[]; steps: StepResult[] };

/**
 * Queues the bridge tasks of the steps in the transaction that changes the orders. One execution for all orders if the task takes
 * orders, otherwise one per order.
 */
export async function queueTasks(tx: Tx, ctx: Ctx, runId: string, evaluations: Evaluation[]): Promise<void> {
  const wanted = evaluations.flatMap(({ order, calls }) => calls.map((one) => ({ ...one, orderId: order.id })));
  if (wanted.length === 0) return;
  const wantedCalls = wanted.map(({ call }) => call);
  const tasks = await loadTasks(tx, ctx, wantedCalls);
  const groups = new Map<string, Queued>();
  for (const [index, { call, step, orderId }] of wanted.entries()) {
    const isShared = tasks.get(call)?.task.mode === "push";
    const key = isShared ? JSON.stringify([step.index, call]) : String(index);
    const group = groups.get(key) ?? { call, orderIds: [], steps: [] };
    group.orderIds.push(orderId);
    group.steps.push(step);
    groups.set(key, group);
  }
  const queued = [...groups.values()];
  const requests = queued.map(({ call, orderIds, steps }): CheckedTask & QueueOptions => {
    const found = tasks.get(call);
    // Deleted after the steps were checked: the batch is rolled back.
    if (!found) throw new HubError("conflict", "The bridge was deleted concurrently.");
    const { bridge, task } = found;
    const input = task.mode === "push" ? { ...call.input, orderIds } : call.input;
    const { followUp, maxAttempts } = call;
    return { bridge, task, input, trigger: "operation", runId, runStep: steps[0]!.index, followUp, maxAttempts };
  });
  const executions = await enqueueExecutions(tx, ctx, requests);
  for (const [index, { steps }] of queued.entries()) {
    for (const step of steps) {
      step.execution_id = executions[index]!.id;
      step.warning = pending;
    }
  }
}

const pending = { code: "pending", message: "The task is queued; see its execution." };
