import type { Moves } from "../../core/states.ts";

export const pickupStatuses = [
  "requested",
  "scheduled",
  "dispatched",
  "completed",
  "missed",
  "cancelled",
  "failed",
] as const;
export type PickupStatus = (typeof pickupStatuses)[number];

/**
 * Allowed status changes. A reschedule goes back to `requested`, and to `scheduled` if it is rejected. A pickup that failed
 * with an unknown outcome can be requested again.
 */
export const pickupMoves: Moves<PickupStatus> = {
  requested: ["scheduled", "failed", "cancelled"],
  scheduled: ["requested", "dispatched", "completed", "missed", "cancelled"],
  dispatched: ["completed", "missed", "cancelled"],
  completed: [],
  missed: [],
  cancelled: [],
  failed: ["requested"],
};

/** A driver may still come. */
export const activeStatuses: readonly PickupStatus[] = ["requested", "scheduled", "dispatched"];
