import type { World } from "../../../context.ts";
import { recordEventsAcrossOrgs } from "../../../events/record-event.ts";
import { expireAcrossOrgs, findOverdueAcrossOrgs, lockUnknownAcrossOrgs } from "./attempts.store.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { findKnownBridge, findTask } from "../../bridges/bridge-tasks.ts";
import { concludeFollowUps } from "./follow-ups.ts";
import type { Ended } from "./note-endings.ts";
import { noteEndings } from "./note-endings.ts";
import type { AttemptOutcome } from "../attempt/attempt.ts";
import { decide, writeEndings } from "./settle-attempts.ts";

const batchSize = 200;

/** Expires overdue executions. Returns whether any execution is due. */
export async function recoverOverdue(world: World): Promise<boolean> {
  const { hasExpired, isAnyDue } = await findOverdueAcrossOrgs(world.db, world.clock.now());
  if (hasExpired) while ((await expireBatch(world)) === batchSize);
  return isAnyDue;
}

/**
 * Requeues executions that this worker has claimed without knowing it, because the connection broke before the result of the claim
 * query arrived. None of them was started, so any worker may run them.
 */
export async function requeueUnknownClaims(world: World, owners: string[], known: string[]): Promise<void> {
  await world.db.transaction(async (tx) => {
    const executions = await lockUnknownAcrossOrgs(tx, owners, known);
    if (executions.length === 0) return;
    const endings = executions.map((execution) => {
      const ending = decide(world, execution, notStartedOutcome(execution), undefined);
      return { ...ending, execution, bridge: undefined };
    });
    await writeEndings(tx, world, endings);
  });
}

export function workerLostOutcome({ sent_input, transformations }: ExecutionRow): AttemptOutcome {
  return {
    status: "worker_lost",
    result: null,
    error: { code: "worker_lost", message: "The worker that ran the task stopped responding.", retryable: true },
    sentInput: sent_input,
    transformations: transformations ?? { outbound: null, inbound: null },
  };
}

/** The execution was claimed and not started. */
export function notStartedOutcome(execution: ExecutionRow): AttemptOutcome {
  const error = { code: "interrupted", message: "The worker could not start the task.", retryable: true };
  return { ...workerLostOutcome(execution), status: "interrupted", error, isUntouched: true };
}

async function toEnded(world: World, execution: ExecutionRow): Promise<Ended> {
  const bridge = await findKnownBridge(world, execution.bridge_id);
  const task = bridge && findTask(bridge, execution.task_name);
  return { execution, status: "expired", result: null, error: null, task, bridgeName: bridge?.row.name };
}

async function expireBatch(world: World): Promise<number> {
  return await world.db.transaction(async (tx) => {
    const expired = await expireAcrossOrgs(tx, world.clock.now(), batchSize);
    await concludeFollowUps(tx, world, expired);
    await noteEndings(tx, world, await Promise.all(expired.map((execution) => toEnded(world, execution))));
    recordEventsAcrossOrgs(
      tx,
      world,
      expired.map((execution) => ({
        orgId: execution.org_id,
        actor: { type: "system", name: "task engine" },
        requestId: execution.request_id,
        type: "task_execution.expired",
        objectId: execution.id,
        data: { bridgeId: execution.bridge_id, taskName: execution.task_name },
      })),
    );
    return expired.length;
  });
}
