import type { World } from "../../../context.ts";
import { findKnownBridge } from "../../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import { claimAcrossOrgs } from "./attempts.store.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { ActiveMappings } from "../attempt/task-mappings.ts";
import { loadMappings } from "../attempt/task-mappings.ts";

/**
 * Job and execution are taken in one transaction: a worker that dies in between has taken neither. `hasMore`: there were
 * jobs, so there may be others.
 */
export async function claimNext(
  world: World,
  owner: string,
  limit: number,
): Promise<{ executions: ExecutionRow[]; hasMore: boolean }> {
  return await world.db.transaction(async (tx) => {
    const jobs = await world.queue.take(tx, limit);
    if (jobs.length === 0) return { executions: [], hasMore: false };
    const ids = jobs.map(({ executionId }) => executionId);
    const executions = await claimAcrossOrgs(tx, ids, owner, world.clock.now());
    const taken = new Set(executions.map(({ job_id }) => job_id));
    // Cancelled or expired meanwhile, or gone with a reset of the preview.
    const stray = jobs.filter(({ id }) => !taken.has(id));
    await world.queue.remove(
      tx,
      stray.map(({ id }) => id),
    );
    return { executions, hasMore: true };
  }, world.queue.takeLock);
}

export type Equipment = { bridge: OpenBridge | undefined; mappings: ActiveMappings };

/** What each of these needs to run. */
export async function equip(world: World, executions: ExecutionRow[]): Promise<Map<string, Equipment>> {
  const made = new Map<string, Promise<Equipment>>();
  const equipped = new Map<string, Equipment>();
  for (const { id, org_id: orgId, bridge_id: bridgeId, task_name: taskName } of executions) {
    const key = `${bridgeId} ${taskName}`;
    let equipment = made.get(key);
    if (!equipment) made.set(key, (equipment = makeEquipment(world, { orgId, bridgeId, taskName })));
    equipped.set(id, await equipment);
  }
  return equipped;
}

async function makeEquipment(
  world: World,
  task: { orgId: string; bridgeId: string; taskName: string },
): Promise<Equipment> {
  const [bridge, mappings] = await Promise.all([findKnownBridge(world, task.bridgeId), loadMappings(world, task)]);
  return { bridge, mappings };
}
