import { Count, Id, Nullable, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent, Private } from "./define-event.ts";

const Text = Type.String();
const version = { version: Version };
const named = { name: Text, ...version };
const run = { retry_of: Nullable(Id), undo_of: Nullable(Id) };
const runEnd = {
  ...run,
  total: Count,
  succeeded: Count,
  failed: Count,
  skipped: Count,
  no_change: Count,
  // Optional like every field that came later: older entries of the log do not have it.
  labels: Type.Optional(
    Type.Object({ requested: Count, bought: Count, failed: Count }, { description: "Labels that the run requested" }),
  ),
};
const automation = {
  ...named,
  mode: Text,
  pipeline_id: Nullable({ ...Id, description: "Null: the automation has branches or a task" }),
};

/** Saved pipelines, automations and runs. An automation's activity is reported by the events of its runs. */
export const pipelineEvents = {
  "pipeline.created": defineEvent("pipeline", "A pipeline was created", named),
  "pipeline.updated": defineEvent("pipeline", "A pipeline was updated", named),
  "pipeline.deleted": defineEvent("pipeline", "A pipeline was deleted", named),

  "automation.created": defineEvent("automation", "An automation was created", automation),
  "automation.updated": defineEvent("automation", "An automation was updated", {
    ...automation,
    fields: Type.Array(Text),
  }),
  "automation.deleted": defineEvent("automation", "An automation was deleted", named),
  "automation.paused": defineEvent("automation", "An automation was paused", {
    reason: Text,
    message: Private(Text),
    ...version,
  }),
  "automation.resumed": defineEvent("automation", "An automation was resumed", {
    from: Type.String({ description: "now, or last_position: including the events of the pause" }),
    ...version,
  }),

  "operation_run.created": defineEvent("operation_run", "A run was started", {
    ...run,
    order_count: Count,
    actions: Type.Array(Text),
  }),
  "operation_run.cancel_requested": defineEvent("operation_run", "Cancellation of a run was requested", {}),
  "operation_run.succeeded": defineEvent("operation_run", "A run succeeded", runEnd),
  "operation_run.partially_failed": defineEvent("operation_run", "Some orders of a run failed", runEnd),
  "operation_run.failed": defineEvent("operation_run", "All orders of a run failed", runEnd),
  "operation_run.cancelled": defineEvent("operation_run", "A run was cancelled", runEnd),
  "operation_run.carrier_rejected": defineEvent(
    "operation_run",
    "A carrier rejected requests of a run; their orders now count as failed",
    { ...runEnd, rejected: Count },
  ),
};
