import type { Tone } from "../../ui/tone.ts";

export const runTones: Record<string, Tone> = {
  queued: "skip",
  running: "info",
  succeeded: "ok",
  partially_failed: "warn",
  failed: "bad",
  cancelled: "skip",
};

export const verdictTones: Record<string, Tone> = {
  ok: "ok",
  no_change: "skip",
  warning: "warn",
  blocked: "bad",
  skipped: "skip",
};
export const verdictWords: Record<string, string> = {
  ok: "ready",
  no_change: "no change",
  warning: "warning",
  blocked: "blocked",
  skipped: "skipped",
};

export const resultTones: Record<string, Tone> = { succeeded: "ok", failed: "bad", skipped: "skip", cancelled: "skip" };

export const onErrorOptions = [
  { value: "skip_order", label: "skip the order's later steps" },
  { value: "continue", label: "go on with its later steps" },
  { value: "abort_run", label: "stop the whole run" },
];
