import { Id, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent, Private } from "./define-event.ts";

const Text = Type.String();
const version = { version: Version };
const named = { name: Text, ...version };
const automation = { ...named, mode: Text, pipeline_id: Id };

/** A part of the catalogue: saved pipelines, and what starts them. What automations do is told by the events of their runs. */
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
};
