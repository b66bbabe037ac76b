import { HubError } from "../../core/errors.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockBridge, removeBridge } from "../bridges/bridges.ts";
import { pauseSchedulesOf } from "../schedules/schedules.ts";
import { cancelExecutions } from "../tasks/tasks.ts";
import { deactivateTransformationsOf } from "../transformations/transformations.ts";
import type { BridgeUses } from "./bridge-removal.store.ts";
import * as store from "./bridge-removal.store.ts";

const shownPerType = 20;

/**
 * Locks the bridge before reading its uses: creating a schedule or transformation locks it too, so either the new one is seen here,
 * or its creation fails because the bridge is deleted.
 */
export async function deleteBridge(
  ctx: Ctx,
  id: string,
  { ifMatch, isForced }: { ifMatch: IfMatch; isForced: boolean },
) {
  const answer = await change(ctx, async (tx) => {
    const bridge = await lockBridge(tx, ctx, id);
    checkVersion(bridge, ifMatch);
    const uses = await store.listUses(tx, ctx.orgId, bridge.id, shownPerType);
    if (uses.usedBy.length > 0 && !isForced) throw inUse(bridge.name, uses);
    const ended = uses.usedBy.length > 0 ? await endUses(tx, ctx, bridge.id) : {};
    await removeBridge(tx, ctx, bridge, ended);
    return { id, deleted: true as const };
  });
  await cancelRunning(ctx, id);
  return answer;
}

/**
 * Cancels executions that another process started with its cached bridge just before the deletion.
 */
async function cancelRunning(ctx: Ctx, bridgeId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const running = await store.listRunning(tx, ctx.orgId, bridgeId);
    if (running.length > 0) await cancelExecutions(tx, ctx, running);
  });
}

/** Stops all uses of the bridge. Queued executions fail with bridge_not_found when they start. */
async function endUses(tx: Tx, ctx: Ctx, bridgeId: string) {
  const pausedSchedules = await pauseSchedulesOf(tx, ctx, bridgeId);
  const deactivatedTransformations = await deactivateTransformationsOf(tx, ctx, bridgeId);
  const running = await store.listRunning(tx, ctx.orgId, bridgeId);
  const cancelled = running.length === 0 ? [] : await cancelExecutions(tx, ctx, running);
  return { pausedSchedules, deactivatedTransformations, cancelledExecutions: cancelled.length };
}

function inUse(name: string, { usedBy, counts }: BridgeUses): HubError {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const message =
    `${name} has ${total} use(s). Assign another bridge to them, or send ?force=true: schedules are paused, ` +
    "transformations deactivated and running executions cancelled.";
  return new HubError("bridge_in_use", message, { extra: { usedBy, usedByCounts: counts } });
}
