import type { Automation } from "@order-operations-hub/sdk/api-types";
import type { Tone } from "../../ui/tone.ts";

export const modeTones: Record<string, Tone> = { preflight: "info", run: "ok" };
export const modeNames: Record<string, string> = { preflight: "preflight only", run: "live" };

export const verdictTones: Record<string, Tone> = { ok: "ok", warning: "warn", blocked: "bad", no_change: "skip" };
export const verdictNames: Record<string, string> = {
  ok: "would be done",
  warning: "with a warning",
  blocked: "blocked",
  no_change: "no change",
};

export const kindNames: Record<string, string> = {
  run: "Run",
  preflight: "Preflight: what it would have done",
  depth_exceeded: "Stopped: automations had set off each other",
};

/** Short description of the trigger. */
export const startText = ({ trigger }: Pick<Automation, "trigger">): string =>
  trigger.cron ? `By the clock, ${trigger.cron}` : `On ${(trigger.types ?? []).join(" or ")}`;

export const text = {
  none: "No automations yet. An automation starts a saved pipeline on events or on a schedule; in preflight mode it shows what it would do first.",
  preflight: "Preflight mode: it records what it would do. Orders are not changed until it is set to run.",
} as const;
