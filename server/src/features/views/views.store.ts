import type { Page } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { View, ViewQuery } from "./views.schemas.ts";

/** `owner` is the `callerKey` of the creator. */
export type StoredView = Omit<View, "isOwn"> & { owner: string };

const columns = defineColumns<StoredView>("t", {
  owner: "text",
  list: "text",
  name: "text",
  settings: "jsonb",
  isShared: "boolean",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});

export const views = recordsIn("saved_views", "view", columns);

/** Shared views and the caller's own. */
export async function listVisible(
  db: Queryable,
  orgId: string,
  caller: string,
  query: ViewQuery,
): Promise<Page<StoredView>> {
  return await views.list(db, orgId, query, [
    ["t.list = ?", query.list],
    ["(t.is_shared or t.owner = ?)", caller],
  ]);
}

export async function countOwn(tx: Tx, orgId: string, owner: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    "select count(*)::integer as count from saved_views where org_id = $1 and owner = $2",
    [orgId, owner],
  );
  return row!.count;
}
