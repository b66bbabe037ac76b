import type { Moves } from "../../core/states.ts";

export const labelStatuses = ["requested", "purchased", "failed", "voided"] as const;
export type LabelStatus = (typeof labelStatuses)[number];

/** Allowed status changes. A label that failed with an unknown outcome can be requested again, or a user finds out that it was sold. */
export const labelMoves: Moves<LabelStatus> = {
  requested: ["purchased", "failed"],
  purchased: ["voided"],
  failed: ["requested", "purchased"],
  voided: [],
};
