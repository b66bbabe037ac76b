import type { Ctx } from "../../context.ts";
import { findInputErrors, findTask, findUnusable, missingScope } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { listOpenBridges } from "../bridges/bridges.ts";
import { listLocationBridges } from "../locations/locations.ts";
import { listSentTo } from "../tasks/tasks.ts";
import type { BridgeDirectory } from "./action.ts";
import { refuse } from "./action.ts";

/** The organization's bridges as actions see them, read once per pipeline. */
export async function loadBridgeDirectory(ctx: Ctx, isNeeded: boolean): Promise<BridgeDirectory> {
  const bridges = new Map<string, OpenBridge>();
  if (isNeeded) for (const bridge of await listOpenBridges(ctx)) bridges.set(bridge.row.id, bridge);
  const byLocation = isNeeded ? await listLocationBridges(ctx.db, ctx.orgId) : new Map<string, string>();
  const sentTo = new Map<string, string>();
  return {
    problem(bridgeId, taskName, input) {
      const bridge = bridges.get(bridgeId.toLowerCase());
      if (!bridge) return refuse("bridge_not_found", "The bridge does not exist.");
      const unusable = findUnusable(ctx, bridge);
      if (unusable) return refuse(unusable.code, unusable.message);
      const task = findTask(bridge, taskName);
      const names = bridge.tasks.map(({ name }) => name).join(", ");
      if (!task) {
        return refuse("unknown_task", `The bridge ${bridge.row.name} has no task ${taskName}.`, `It has ${names}.`);
      }
      const missing = missingScope(ctx, task);
      if (missing) return refuse("insufficient_scope", `${taskName} requires the scope ${missing}.`);
      const [error] = findInputErrors(task, task.mode === "push" ? { ...input, orderIds: ["any"] } : input);
      return error && refuse("invalid_input", `${error.pointer}: ${error.message}`);
    },
    ofLocation: (locationId) => (locationId === null ? undefined : byLocation.get(locationId)),
    having(taskName) {
      const isUsable = (bridge: OpenBridge): boolean =>
        findTask(bridge, taskName) !== undefined && findUnusable(ctx, bridge) === undefined;
      return [...bridges.values()].filter(isUsable).map(({ row }) => row.id);
    },
    ofSent: (orderId) => sentTo.get(orderId),
    async readSent(db, orders) {
      const ids = isNeeded ? orders.filter(({ status }) => status === "sent").map(({ id }) => id) : [];
      for (const [id, bridgeId] of await listSentTo(db, ctx.orgId, ids)) sentTo.set(id, bridgeId);
    },
  };
}
