import type { World } from "../../context.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import { findTask, openBridge } from "../bridges/bridge-tasks.ts";
import { findBridgesAcrossOrgs } from "../bridges/bridges.ts";
import { expireAcrossOrgs, findOverdueAcrossOrgs, lockLostAcrossOrgs } from "./attempts.store.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { concludeFollowUps } from "./follow-ups.ts";
import type { AttemptOutcome } from "./run-attempt.ts";
import { decide, write } from "./settle-attempts.ts";
import { wakeWorkers } from "./wake-workers.ts";

const together = 200;

export async function recoverOverdue(world: World): Promise<void> {
  const { hasLost, hasExpired } = await findOverdueAcrossOrgs(world.db, world.clock.now());
  if (hasLost) await recoverLost(world);
  if (hasExpired) await expireOverdue(world);
}

/** Gives the executions of dead workers back to the queue, or ends those that must not be repeated. */
export async function recoverLost(world: World): Promise<number> {
  const count = await world.db.transaction(async (tx) => {
    const lost = await lockLostAcrossOrgs(tx, together);
    if (lost.length === 0) return 0;
    const rows = await findBridgesAcrossOrgs(tx, [...new Set(lost.map(({ bridge_id }) => bridge_id))]);
    const bridges = new Map(rows.map((row) => [row.id, openBridge(row)]));
    const batch = lost.map((execution) => {
      const bridge = bridges.get(execution.bridge_id);
      const task = bridge && findTask(bridge, execution.task_name);
      return { ...decide(world, execution, lostOutcome(execution), task), execution, bridge };
    });
    await write(tx, world, batch);
    return lost.length;
  });
  if (count > 0) {
    world.log.info({ count }, "took up executions of a worker that is gone");
    wakeWorkers(world);
  }
  return count;
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

async function expireOverdue(world: World): Promise<void> {
  await world.db.transaction(async (tx) => {
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
        objectType: "task_execution",
        objectId: execution.id,
        data: { bridgeId: execution.bridge_id, taskName: execution.task_name },
      })),
    );
  });
}
