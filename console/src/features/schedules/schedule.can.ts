import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a schedule is allowed: undefined, or the reason why not. */
export const scheduleCan = {
  /** Create, change, resume, trigger: a schedule executes a task with the rights of the user who does this. */
  change: (me: Me): string | undefined => missingScope(me, "schedules:write") ?? missingScope(me, "tasks:execute"),
  stop: (me: Me): string | undefined => missingScope(me, "schedules:write"),
};
