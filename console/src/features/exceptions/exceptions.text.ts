import { words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";
import type { ExceptionSummary } from "./exceptions.queries.ts";

const kindNames: Record<string, string> = {
  rejected_record: "Record not taken",
  import_conflict: "Source says otherwise",
  recall: "Recall not answered",
  push: "Not arrived",
  label: "Label",
  pickup: "Pickup",
  manifest: "Manifest",
  execution: "Task failed",
};
export const kindName = (kind: string): string => kindNames[kind] ?? words(kind);
export const kindOptions = Object.entries(kindNames).map(([value, label]) => ({ value, label }));

export const statusTones: Record<string, Tone> = { open: "bad", resolved: "ok", dismissed: "skip" };

/** Button labels. */
const fixNames: Record<string, string> = {
  retry: "Retry",
  accept_source: "Accept theirs",
  keep_local: "Keep ours",
  edit_and_retry: "Edit and retry",
  mark_purchased: "It was bought",
  mark_not_purchased: "It was not bought",
  dismiss: "Dismiss",
};
export const fixName = (action: string): string => fixNames[action] ?? words(action);

const resolutions: Record<string, string> = {
  retry: "tried again, and it worked",
  accept_source: "theirs was accepted",
  keep_local: "ours was kept",
  edit_and_retry: "corrected",
  mark_purchased: "the label was found at the carrier",
  mark_not_purchased: "the carrier did not sell the label",
  dismiss: "dismissed",
  auto_resolved: "resolved automatically",
};

/** An action that an execution completed is not an automatic resolution. */
export function resolutionText({
  resolution,
  lastAction,
}: Pick<ExceptionSummary, "resolution" | "lastAction">): string {
  const how = resolution === "auto_resolved" && lastAction ? lastAction.action : resolution;
  return how === null ? "–" : (resolutions[how] ?? words(how));
}

/** The effect of each action, shown before it is applied in bulk. */
export const fixTexts: Record<string, string> = {
  retry: "Only what failed is done again. What has arrived is not sent again.",
  accept_source: "The orders become what their sources say.",
  keep_local: "The orders stay unchanged, and this exception is not opened again.",
  mark_not_purchased: "The items of these labels can get other labels.",
  dismiss: "Nothing is done about them. They are out of sight until something else goes wrong with the same.",
};

export const text = {
  allWell: "Nothing is wrong: every record was taken, and everything that was sent has arrived.",
  unknown:
    "It is unknown whether this arrived. A retry first looks it up in the other system, if that system supports it.",
} as const;
