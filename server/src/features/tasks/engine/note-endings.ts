import type { ConnectorTask } from "../../../connectors/connector.ts";
import type { World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { NewException } from "../../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../../exceptions/exceptions.ts";
import { fulfillmentHold } from "../../orders/order-rules.ts";
import type { PushResult } from "../attempt/run-push.ts";
import { isLeft, resultsOf } from "../attempt/run-push.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { Failure } from "../tasks.schemas.ts";
import type { ExecutionStatus } from "../tasks.states.ts";

/** An execution that has ended, with what its worker knows about it. */
export type Ended = {
  execution: ExecutionRow;
  status: ExecutionStatus;
  result: unknown;
  error: Failure | null;
  task: ConnectorTask | undefined;
  bridgeName: string | undefined;
};

/** Opens exceptions for failed executions and resolves those of successful ones, in the transaction that stores the outcomes. */
export async function noteEndings(tx: Tx, world: World, ended: Ended[]): Promise<void> {
  const outcomes = ended.map((one) => ({ one, exceptions: exceptionsOf(one), settled: settledBy(one) }));
  const notable = outcomes.filter(({ exceptions, settled }) => exceptions.length + settled.length > 0);
  // Grouped by cause, because an automation must not be triggered by its own effects.
  const groupOf = ({ one: { execution } }: (typeof outcomes)[number]): string =>
    JSON.stringify([execution.org_id, execution.cause]);
  for (const group of Map.groupBy(notable, groupOf).values()) {
    const { org_id: orgId, cause } = group[0]!.one.execution;
    const ctx = { ...systemContext(world, orgId, "task engine"), cause: cause ?? undefined };
    const exceptions = group.flatMap((one) => one.exceptions);
    // Opened first: another execution of the group may have resolved the same problem.
    await openExceptions(tx, ctx, exceptions);
    await resolveExceptions(
      tx,
      ctx,
      group.flatMap((one) => one.settled),
    );
  }
}

const failures: readonly ExecutionStatus[] = ["failed", "timed_out", "expired"];

function exceptionsOf(ended: Ended): NewException[] {
  const orders = pushedBy(ended).filter(({ status }) => status === "failed" || status === "outcome_unknown");
  if (orders.length > 0) return orders.map((order) => exceptionOfOrder(ended, order));
  const { execution, status, error, result, task, bridgeName = "A deleted bridge" } = ended;
  const failed = task?.mode === "pull" && status === "completed_with_errors" ? countWhole(task, result) : 0;
  // A sync execution reports its failure in the response.
  if (failed === 0 && (!failures.includes(status) || execution.mode === "sync")) return [];
  const { id, bridge_id: bridgeId, task_name: taskName } = execution;
  const what = failed > 0 ? `left out ${failed} records` : status === "expired" ? "was not begun in time" : "failed";
  return [
    {
      key: keyOf(ended),
      kind: "execution",
      code: failed > 0 ? "records_rejected" : (error?.code ?? status),
      message: `${taskName} of ${bridgeName} ${what}.`,
      reason: error?.message ?? null,
      subject: { type: "execution", id, name: taskName },
      bridgeId,
      taskName,
      executionId: id,
      details: error?.errors && error.errors.length > 0 ? { errors: error.errors } : {},
    },
  ];
}

/** Records that are stored all at once share one exception; others have one each. */
function countWhole(task: ConnectorTask, result: unknown): number {
  const isWhole = task.mode === "pull" && task.recordType === "locations";
  return isWhole ? ((result as { failed?: number } | null)?.failed ?? 0) : 0;
}

/** Executions with the same key have the same problem. */
function keyOf({ execution, task }: Pick<Ended, "execution" | "task">): string {
  const { bridge_id, task_name, schedule_id, effect_root } = execution;
  if (task?.mode === "pull") return exceptionKeys.task(bridge_id, task_name);
  return schedule_id === null ? exceptionKeys.execution(effect_root) : exceptionKeys.schedule(schedule_id);
}

function pushedBy({ task, result }: Ended): PushResult[] {
  return task?.mode === "push" ? resultsOf(result) : [];
}

const refOf = ({ orderId, ref }: PushResult): string => orderId ?? ref;

function exceptionOfOrder({ execution, bridgeName }: Ended, order: PushResult): NewException {
  const { id: executionId, bridge_id: bridgeId, task_name: taskName, follow_up } = execution;
  const error = "error" in order ? order.error : undefined;
  const isUnknown = order.status === "outcome_unknown";
  const isRecall = taskName === "orders.recall" || follow_up === "fulfillment_recall";
  const whom = bridgeName ?? "a deleted bridge";
  const name = order.number ?? order.ref;
  const refused = isRecall ? `${whom} did not give ${name} back.` : `${name} did not arrive at ${whom}.`;
  const unknown = isRecall
    ? `It is unknown whether ${whom} gave ${name} back.`
    : `It is unknown whether ${name} arrived at ${whom}.`;
  return {
    key: exceptionKeys.push(bridgeId, taskName, refOf(order)),
    kind: isRecall ? "recall" : "push",
    code: isUnknown ? "outcome_unknown" : (error?.code ?? "failed"),
    message: isUnknown ? unknown : refused,
    reason: error?.message ?? null,
    subject: { type: "order", id: order.orderId, name },
    orderId: order.orderId,
    bridgeId,
    taskName,
    executionId,
    // Releasing this hold resolves the exception.
    holdHandle: follow_up === "fulfillment_send" ? fulfillmentHold : null,
    details: order.shipments ? { shipments: order.shipments } : {},
    requestKey: execution.effect_root,
  };
}

function settledBy(ended: Ended): string[] {
  const { execution, status, task } = ended;
  const { bridge_id, task_name } = execution;
  const arrived = pushedBy(ended).filter((order) => !isLeft(order));
  const orders = arrived.map((order) => exceptionKeys.push(bridge_id, task_name, refOf(order)));
  if (status !== "succeeded" && status !== "completed_with_errors") return orders;
  // Only executions that can have an open exception; most cannot.
  const mayBeOpen = task?.mode === "pull" || execution.schedule_id !== null || execution.retry_of !== null;
  const isOver = mayBeOpen && !(task?.mode === "pull" && countWhole(task, ended.result) > 0);
  return isOver ? [...orders, keyOf(ended)] : orders;
}
