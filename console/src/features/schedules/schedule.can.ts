import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** What may be done with a schedule: undefined, or why not. */
export const scheduleCan = {
  /** Create, change, resume, trigger: a schedule executes a task with the rights of the user who does this. */
  change: (me: Me): string | undefined => missingScope(me, "schedules:write") ?? missingScope(me, "tasks:execute"),
  stop: (me: Me): string | undefined => missingScope(me, "schedules:write"),
};
