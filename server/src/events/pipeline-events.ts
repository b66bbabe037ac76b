import { Count, Id, Nullable, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent, Private } from "./define-event.ts";

const Text = Type.String();
const version = { version: Version };
const named = { name: Text, ...version };
const run = { retry_of: Nullable(Id), undo_of: Nullable(Id) };
const runEnd = { ...run, total: Count, succeeded: Count, failed: Count, skipped: Count, no_change: Count };
const automation = { ...named, mode: Text, pipeline_id: Id };

/** A part of the catalogue: saved pipelines, what starts them, and runs. What automations do is told by the events of their runs. */
export const pipelineEvents = {
  "pipeline.created": defineEvent("pipeline", "A pipeline was saved", named),
  "pipeline.updated": defineEvent("pipeline", "A saved pipeline was changed", named),
  "pipeline.deleted": defineEvent("pipeline", "A saved pipeline was deleted", named),

  "automation.created": defineEvent("automation", "An automation was made", automation),
  "automation.updated": defineEvent("automation", "An automation was changed", {
    ...automation,
    fields: Type.Array(Text),
  }),
  "automation.deleted": defineEvent("automation", "An automation was deleted", named),
  "automation.paused": defineEvent("automation", "An automation was paused, by somebody or because it must not go on", {
    reason: Text,
    message: Private(Text),
    ...version,
  }),
  "automation.resumed": defineEvent("automation", "An automation goes on", {
    from: Type.String({ description: "now, or stopped: with what happened in the pause" }),
    ...version,
  }),

  "operation_run.created": defineEvent("operation_run", "A run was begun", {
    ...run,
    order_count: Count,
    actions: Type.Array(Text),
  }),
  "operation_run.cancel_requested": defineEvent("operation_run", "A run is to stop", {}),
  "operation_run.succeeded": defineEvent("operation_run", "A run ended, and nothing failed", runEnd),
  "operation_run.partially_failed": defineEvent("operation_run", "A run ended, and some orders failed", runEnd),
  "operation_run.failed": defineEvent("operation_run", "A run ended, and all orders failed", runEnd),
  "operation_run.cancelled": defineEvent("operation_run", "A run was stopped", runEnd),
  "operation_run.carrier_refused": defineEvent(
    "operation_run",
    "A carrier did not do what steps of a run had asked it for; the run counts these orders as failed",
    { ...runEnd, refused: Count },
  ),
};
