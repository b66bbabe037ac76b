import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { deleteSomeAcrossOrgs } from "../../db/old-rows.ts";
import type { LoggedRequest, RequestQuery } from "./requests.schemas.ts";

/** The log stores IDs only, so that names and email addresses are the current ones. */
const actorColumn = `jsonb_strip_nulls(jsonb_build_object('type', t.actor_type, 'id', t.actor_id, 'email', account.email, 'name', key.name,
  'kind', case when key.agent is not null then 'agent' end))`;
const { selected, fromRow } = defineColumns<LoggedRequest>("t", {
  requestId: "text",
  at: moment,
  method: "text",
  route: "text",
  objectId: "uuid",
  status: "smallint",
  code: "text",
  durationMs: "integer",
  actor: { type: "jsonb", selected: actorColumn },
  droppedCount: "integer",
});

/** Newest first. */
export async function listRequests(db: Queryable, orgId: string, query: RequestQuery): Promise<Page<LoggedRequest>> {
  const isFailed = query.outcome && query.outcome === "failed";
  const page = await listPage<Stored<LoggedRequest>>(db, query, {
    select: selected,
    from: `request_log t
      left join users account on t.actor_type = 'user' and account.org_id = t.org_id and account.id = t.actor_id
      left join api_keys key on t.actor_type = 'api_key' and key.org_id = t.org_id and key.id = t.actor_id`,
    where: [
      ["t.org_id = ?", orgId],
      ["t.request_id = ?", query.requestId],
      ["t.actor_id = ?", query.actorId],
      ["t.method = ?", query.method],
      ["t.route = ?", query.route],
      ["t.object_id = ?", query.objectId],
      ["(t.status >= 400) = ?", isFailed],
      ["t.code = ?", query.code],
      ["t.at >= ?", query.from],
      ["t.at < ?", query.to],
    ],
    orderBy: "t.id desc",
  });
  return mapPage(page, fromRow);
}

export type NewRequest = Omit<LoggedRequest, "actor" | "at"> & {
  orgId: string;
  at: Date;
  actorType: string;
  actorId: string;
};

export async function insertRequestsAcrossOrgs(db: Queryable, requests: readonly NewRequest[]): Promise<void> {
  await db.query(
    `insert into request_log (id, org_id, at, request_id, method, route, object_id, status, code, duration_ms, actor_type,
            actor_id, dropped_count)
     select id, "orgId", at, "requestId", method, route, "objectId", status, code, "durationMs", "actorType",
            "actorId", "droppedCount"
       from jsonb_to_recordset($1::jsonb) as request (id uuid, "orgId" uuid, at timestamptz, "requestId" text, method text,
            route text, "objectId" uuid, status smallint, code text, "durationMs" integer, "actorType" text, "actorId" uuid,
            "droppedCount" integer)`,
    [JSON.stringify(requests)],
  );
}

const oldRequests = { table: "request_log", which: "at < $1", atOnce: 10_000 };

export async function deleteOldRequestsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  return await deleteSomeAcrossOrgs(tx, oldRequests, before);
}
