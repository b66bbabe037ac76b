import type { Page, PageRequest } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { SavedPipeline } from "./saved-pipelines.schemas.ts";

/** `owner`: the caller who saved it; null for pipelines saved before owners were recorded. */
export type StoredPipeline = Omit<SavedPipeline, "is_own"> & { owner: string | null };

const columns = defineColumns<StoredPipeline>("t", {
  name: "text",
  description: "text",
  actions: "jsonb",
  on_error: "text",
  atomic: { type: "boolean", name: "is_atomic" },
  hotkey: "smallint",
  is_shared: "boolean",
  owner: "text",
  created_at: moment,
  updated_at: moment,
  version: "integer",
});

export const pipelines = recordsIn("operation_pipelines", "pipeline", columns);

/** Shared pipelines and those of the caller. */
export async function listVisible(
  db: Queryable,
  orgId: string,
  caller: string,
  query: PageRequest,
): Promise<Page<StoredPipeline>> {
  return await pipelines.list(db, orgId, query, [["(t.is_shared or t.owner = ?)", caller]]);
}
