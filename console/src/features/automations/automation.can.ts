import type { Automation } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on an automation is allowed: undefined, or the reason why not. */
export const automationCan = {
  change: (me: Me): string | undefined => missingScope(me, "automations:write"),
  goLive: (automation: Automation, me: Me): string | undefined =>
    missingScope(me, "automations:write") ?? missingScope(me, "operations:run") ?? automation.blocked_reason?.message,
};
