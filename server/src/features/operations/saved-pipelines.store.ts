import { defineColumns, moment } from "../../db/columns.ts";
import { recordsIn } from "../../db/records.ts";
import type { SavedPipeline } from "./operations.schemas.ts";

const columns = defineColumns<SavedPipeline>("t", {
  name: "text",
  description: "text",
  actions: "jsonb",
  on_error: "text",
  atomic: { type: "boolean", name: "is_atomic" },
  created_at: moment,
  updated_at: moment,
  version: "integer",
});

export const pipelines = recordsIn("operation_pipelines", "pipeline", columns);
