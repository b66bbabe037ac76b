import { DateTime, Nullable } from "../../core/schema.ts";
import type { Static } from "typebox";
import { Type } from "../../core/type.ts";

export const Outbound = Type.Object({
  isPaused: Type.Boolean({
    description:
      "While paused, the hub starts no work that calls another system: schedules, automations, tasks, queued runs, webhooks, " +
      "pending pickup and label requests, tracking. API requests that would call one fail with `outbound_paused`",
  }),
  reason: Nullable(Type.String({ description: "`restored`: the data came from a backup" })),
  pausedAt: Nullable(DateTime),
  backupTakenAt: Nullable(DateTime),
});
export type Outbound = Static<typeof Outbound>;
