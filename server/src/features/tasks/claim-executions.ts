import type { World } from "../../context.ts";
import { openBridge } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { findBridgesAcrossOrgs } from "../bridges/bridges.ts";
import { claimAcrossOrgs } from "./attempts.store.ts";
import type { Claimed } from "./task-engine.ts";
import type { ActiveMappings } from "./task-mappings.ts";
import { loadMappings } from "./task-mappings.ts";

/** Job and execution are taken in one transaction: a worker that dies in between has taken neither. */
export async function claimNext(world: World, owner: string, limit: number): Promise<Claimed[]> {
  const executions = await world.db.transaction(async (tx) => {
    const jobs = await world.queue.take(tx, limit);
    if (jobs.length === 0) return [];
    const ids = jobs.map(({ executionId }) => executionId);
    const claimed = await claimAcrossOrgs(tx, ids, owner, world.clock.now());
    const taken = new Set(claimed.map(({ job_id }) => job_id));
    // Cancelled or expired meanwhile, or gone with a reset of the preview.
    const stray = jobs.filter(({ id }) => !taken.has(id));
    await world.queue.remove(
      tx,
      stray.map(({ id }) => id),
    );
    return claimed;
  });
  if (executions.length === 0) return [];
  const rows = await findBridgesAcrossOrgs(world.db, [...new Set(executions.map(({ bridge_id }) => bridge_id))]);
  const bridges = new Map<string, OpenBridge>(rows.map((row) => [row.id, openBridge(row)]));
  const mappings = new Map<string, ActiveMappings>();
  const claimed: Claimed[] = [];
  for (const execution of executions) {
    const key = `${execution.bridge_id} ${execution.task_name}`;
    let active = mappings.get(key);
    if (!active) {
      const { org_id: orgId, bridge_id: bridgeId, task_name: taskName } = execution;
      mappings.set(key, (active = await loadMappings(world, world.db, { orgId, bridgeId, taskName })));
    }
    claimed.push({ execution, bridge: bridges.get(execution.bridge_id), mappings: active });
  }
  return claimed;
}
