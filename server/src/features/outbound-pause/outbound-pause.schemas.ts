import { DateTime, Nullable } from "../../core/schema.ts";
import type { Static } from "typebox";
import { Type } from "../../core/type.ts";

export const Outbound = Type.Object({
  isPaused: Type.Boolean({
    description:
      "While it is, the hub starts nothing that calls another system: schedules, automations, tasks, queued runs, webhooks, " +
      "bookings and labels that wait for an answer, tracking. Requests that would call one are refused with `outbound_paused`",
  }),
  reason: Nullable(Type.String({ description: "`restored`: the data came from a backup" })),
  pausedAt: Nullable(DateTime),
  backupTakenAt: Nullable(DateTime),
});
export type Outbound = Static<typeof Outbound>;
