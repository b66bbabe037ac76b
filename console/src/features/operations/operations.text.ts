import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

export const creatorName = ({ created_by: by }: Pick<OperationRun, "created_by">): string =>
  by.name ?? by.email ?? sentence(by.type);

export const verdictTones: Record<string, Tone> = {
  ok: "ok",
  no_change: "skip",
  warning: "warn",
  blocked: "bad",
  skipped: "skip",
};
export const verdictWords: Record<string, string> = {
  ok: "Will change",
  no_change: "No change",
  warning: "Warning",
  blocked: "Cannot change",
  skipped: "Skipped",
};

export const resultTones: Record<string, Tone> = { succeeded: "ok", failed: "bad", skipped: "skip", cancelled: "skip" };
export const resultWords: Record<string, string> = {
  succeeded: "Done",
  failed: "Failed",
  skipped: "Skipped",
  cancelled: "Not processed",
};

export const onErrorOptions = [
  { value: "skip_order", label: "Skip the later steps of this order" },
  { value: "continue", label: "Continue with the later steps" },
  { value: "abort_run", label: "Stop the whole run" },
];
