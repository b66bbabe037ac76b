import type { World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { findTask, tryOpenBridge } from "../../bridges/bridge-tasks.ts";
import { recordEventsAcrossOrgs } from "../../../events/record-event.ts";
import { findBridgesAcrossOrgs } from "../../bridges/bridges.ts";
import {
  expireAcrossOrgs,
  findOverdueAcrossOrgs,
  lockLostAcrossOrgs,
  lockUnknownAcrossOrgs,
} from "./attempts.store.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { concludeFollowUps } from "./follow-ups.ts";
import type { AttemptOutcome } from "../attempt/attempt.ts";
import { decide, writeEndings } from "./settle-attempts.ts";
import { taskCounters } from "./task-counters.ts";
import { wakeWorkers } from "./wake-workers.ts";

const together = 200;

/** True: something waits that could start, so that somebody must have missed that it was queued. */
export async function recoverOverdue(world: World): Promise<boolean> {
  const { hasLost, hasExpired, isReady } = await findOverdueAcrossOrgs(
    world.db,
    world.clock.now(),
    world.queue.isReady,
  );
  if (hasLost) await recoverLost(world);
  if (hasExpired) while ((await expireSome(world)) === together);
  return isReady;
}

/** Gives the executions of dead workers back to the queue, or ends those that must not be repeated. */
export async function recoverLost(world: World): Promise<void> {
  let count: number;
  do {
    count = await world.db.transaction(async (tx) => {
      const lost = await lockLostAcrossOrgs(tx, together);
      await giveBack(tx, world, lost, lostOutcome);
      return lost.length;
    });
    taskCounters(world).recovered += count;
    if (count > 0) world.log.info({ count }, "took up executions of a worker that is gone");
    if (count > 0) wakeWorkers(world);
  } while (count === together);
}

/**
 * Executions that this worker holds and does not know of: the answer to its claim was lost. None of them has begun, so
 * that somebody else, or this worker itself, may do it.
 */
export async function giveBackUnknown(world: World, owner: string, known: string[]): Promise<void> {
  const count = await world.db.transaction(async (tx) => {
    const unknown = await lockUnknownAcrossOrgs(tx, owner, known);
    await giveBack(tx, world, unknown, untouchedOutcome);
    return unknown.length;
  });
  if (count > 0) wakeWorkers(world);
}

async function giveBack(
  tx: Tx,
  world: World,
  executions: ExecutionRow[],
  outcomeOf: (execution: ExecutionRow) => AttemptOutcome,
): Promise<void> {
  if (executions.length === 0) return;
  const rows = await findBridgesAcrossOrgs(tx, [...new Set(executions.map(({ bridge_id }) => bridge_id))]);
  const bridges = new Map(rows.map((row) => [row.id, tryOpenBridge(world, row)]));
  const endings = executions.map((execution) => {
    const bridge = bridges.get(execution.bridge_id);
    const task = bridge && findTask(bridge, execution.task_name);
    return { ...decide(world, execution, outcomeOf(execution), task), execution, bridge };
  });
  await writeEndings(tx, world, endings);
}

function lostOutcome({ sent_input, transformations }: ExecutionRow): AttemptOutcome {
  return {
    status: "lost",
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

async function expireSome(world: World): Promise<number> {
  return await world.db.transaction(async (tx) => {
    const expired = await expireAcrossOrgs(tx, world.clock.now(), together);
    await world.queue.remove(
      tx,
      expired.flatMap(({ job_id }) => job_id ?? []),
    );
    await concludeFollowUps(tx, world, expired);
    await recordEventsAcrossOrgs(
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
