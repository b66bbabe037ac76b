import type { Moves } from "../../core/states.ts";

export const labelStatuses = ["requested", "purchased", "failed", "voided"] as const;
export type LabelStatus = (typeof labelStatuses)[number];

/** Every move a label may make. `requested`: nobody knows yet whether the carrier has sold it. What failed without an answer may be asked for again. */
export const labelMoves: Moves<LabelStatus> = {
  requested: ["purchased", "failed"],
  purchased: ["voided"],
  failed: ["requested"],
  voided: [],
};
