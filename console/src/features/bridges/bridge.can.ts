import type { Bridge, BridgeTask } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a bridge is allowed: undefined, or the reason why not. The hub checks again. */
export const bridgeCan = {
  create: (me: Me): string | undefined => missingScope(me, "bridges:write"),
  install: (me: Me): string | undefined =>
    missingScope(me, "bridges:write") ?? missingScope(me, "transformations:write"),
  schedule: (me: Me): string | undefined => missingScope(me, "schedules:write") ?? missingScope(me, "tasks:execute"),
  change: (me: Me): string | undefined => missingScope(me, "bridges:write"),
  test: (me: Me): string | undefined => missingScope(me, "tasks:execute"),
  run: (bridge: Bridge, me: Me): string | undefined =>
    missingScope(me, "tasks:execute") ??
    (bridge.isActive ? undefined : "The connection is inactive. Activate it in its settings."),
  sample: (bridge: Bridge, me: Me): string | undefined => missingScope(me, "pii:read") ?? bridgeCan.run(bridge, me),
};

/** The task that imports orders, if the connection has one. */
export const importTaskOf = (tasks: readonly BridgeTask[] | undefined): BridgeTask | undefined =>
  tasks?.find(({ name, mode }) => name === "orders.import" && mode === "pull") ??
  tasks?.find(({ mode }) => mode === "pull");
