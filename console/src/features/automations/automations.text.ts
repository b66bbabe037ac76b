import type { Automation } from "@order-operations-hub/sdk/api-types";
import { words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

export const modeTones: Record<string, Tone> = { preflight: "info", run: "ok" };
export const modeNames: Record<string, string> = { preflight: "Test mode", run: "Live" };

export const verdictTones: Record<string, Tone> = { ok: "ok", warning: "warn", blocked: "bad", no_change: "skip" };
export const verdictNames: Record<string, string> = {
  ok: "Would change",
  warning: "Warning",
  blocked: "Cannot change",
  no_change: "No change",
};

export const kindNames: Record<string, string> = {
  run: "Run",
  preflight: "Test",
  task: "Tasks queued",
  wait_ended: "Wait ended",
  depth_exceeded: "Stopped: automations triggered each other",
};

/** Short description of the trigger. */
export const startText = ({ trigger }: Pick<Automation, "trigger">): string =>
  trigger.cron ? `Schedule ${trigger.cron}` : `On ${(trigger.types ?? []).map(eventText).join(" or ")}`;

/** `order.created` as "order created", `order.*` as "all order events". */
const eventText = (type: string): string =>
  type.endsWith(".*") ? `all ${words(type.slice(0, -2))} events` : words(type.replaceAll(".", " "));

export const text = {
  none: "No automations yet. An automation runs a preset on events or on a schedule. In test mode it first shows what it would change.",
  testMode: "Test mode: the automation records what it would change. Orders are not changed until it goes live.",
  task: "This automation queues a task of a connection for each event. Change the task through the API.",
} as const;

/** What the automation starts: a pipeline, one of several, or a task. */
export const targetText = (
  { pipeline_id: id, task }: Pick<Automation, "pipeline_id" | "task">,
  pipelineName: (id: string) => string,
): string => (id === null ? (task?.task_name ?? "Depends on conditions") : pipelineName(id));
