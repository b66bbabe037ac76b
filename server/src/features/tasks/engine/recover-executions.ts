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

const together = 200;

/** Whether something waits that could start. What expired meanwhile ends here. */
export async function recoverOverdue(world: World): Promise<boolean> {
  const { hasExpired, isAnyDue } = await findOverdueAcrossOrgs(world.db, world.clock.now());
  if (hasExpired) while ((await expireSome(world)) === together);
  return isAnyDue;
}

/**
 * Executions that this worker holds and does not know of: the answer to its claim was lost. It has begun none of them, so
 * that somebody else, or this worker itself, may do it.
 */
export async function giveBackUnknown(world: World, owners: string[], known: string[]): Promise<void> {
  await world.db.transaction(async (tx) => {
    const executions = await lockUnknownAcrossOrgs(tx, owners, known);
    if (executions.length === 0) return;
    const endings = executions.map((execution) => {
      const ending = decide(world, execution, untouchedOutcome(execution), undefined);
      return { ...ending, execution, bridge: undefined };
    });
    await writeEndings(tx, world, endings);
  });
}

export function lostOutcome({ sent_input, transformations }: ExecutionRow): AttemptOutcome {
  return {
    status: "worker_lost",
    result: null,
    error: { code: "worker_lost", message: "The worker that ran it was not heard of any more.", retryable: true },
    sentInput: sent_input,
    transformations: transformations ?? { outbound: null, inbound: null },
  };
}

/** It was taken, and nothing of it has begun. */
export function untouchedOutcome(execution: ExecutionRow): AttemptOutcome {
  const error = { code: "interrupted", message: "The worker could not begin.", retryable: true };
  return { ...lostOutcome(execution), status: "interrupted", error, isUntouched: true };
}

async function toEnded(world: World, execution: ExecutionRow): Promise<Ended> {
  const bridge = await findKnownBridge(world, execution.bridge_id);
  const task = bridge && findTask(bridge, execution.task_name);
  return { execution, status: "expired", result: null, error: null, task, bridgeName: bridge?.row.name };
}

async function expireSome(world: World): Promise<number> {
  return await world.db.transaction(async (tx) => {
    const expired = await expireAcrossOrgs(tx, world.clock.now(), together);
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
