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
 * Every move a pickup may make. A change of its window is asked for anew, and stays as it was when it is refused. What
 * failed without an answer may be asked for again.
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
