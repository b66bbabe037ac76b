import type { Schedule } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** What may be done with a schedule: undefined, or why not. */
export const scheduleCan = {
  change: (me: Me): string | undefined => missingScope(me, "schedules:write"),
  pause: (schedule: Schedule, me: Me): string | undefined =>
    missingScope(me, "schedules:write") ?? (schedule.isActive ? undefined : "It is paused."),
};
