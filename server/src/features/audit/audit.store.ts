import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Kind, Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { Condition } from "../../db/list-page.ts";
import { likePattern, listPage, meetAll } from "../../db/list-page.ts";
import type { ChainRow } from "../../events/chain.ts";
import { chainColumns, findLast } from "../../events/chain.ts";
import { typesAbout } from "../../events/event-catalogue.ts";
import type { AuditEntry, AuditExportQuery, AuditQuery } from "./audit.schemas.ts";
import { maxSearched } from "./audit.schemas.ts";

const hex: Kind = { type: "bytea", read: (bytes) => (bytes as Buffer).toString("hex") };
const { selected, fromRow } = defineColumns<AuditEntry>("e", {
  sequence: "bigint",
  type: "text",
  objectType: "text",
  objectId: "uuid",
  actor: "jsonb",
  requestId: "text",
  data: "jsonb",
  occurredAt: moment,
  previousHash: hex,
  hash: hex,
});

function conditionsOf(orgId: string, query: AuditExportQuery): Condition[] {
  return [
    ["org_id = ?", orgId],
    ["type = ?", query.type],
    // By event types, since the index is on the type.
    ["type = any(?)", query.objectType && typesAbout(query.objectType)],
    ["object_id = ?", query.objectId],
    ["actor->>'id' = ?", query.actorId?.toLowerCase()],
    ["occurred_at >= ?", query.from],
    ["occurred_at < ?", query.to],
  ];
}

/** The visible fields of an entry. */
const searchText = "concat_ws(' ', e.type, e.object_id, e.request_id, e.actor, e.data)";

/** A text search reads only the newest `maxSearched` entries that match the other filters. */
function sourceOf(orgId: string, query: AuditExportQuery): { from: string; values: unknown[]; where: Condition[] } {
  const values: unknown[] = [];
  const where = conditionsOf(orgId, query);
  if (query.search === undefined) return { from: "events e", values, where };
  const newest = `select * from events where ${meetAll(where, values)} order by sequence desc limit ${maxSearched}`;
  return { from: `(${newest}) e`, values, where: [[`${searchText} ilike ?`, likePattern(query.search)]] };
}

export async function listEntries(db: Queryable, orgId: string, query: AuditQuery): Promise<Page<AuditEntry>> {
  const { page: _page, limit: _limit, ...filters } = query;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const page = await listPage<Stored<AuditEntry>>(db, query, {
    ...sourceOf(orgId, query),
    select: selected,
    orderBy: "sequence desc",
    // The sequence is gapless, so that without filters the last number is the count.
    total: isFiltered ? undefined : (await findLast(db, orgId)).sequence,
  });
  return mapPage(page, fromRow);
}

/** Entries before a sequence number, newest first. */
export async function listEntriesBefore(
  db: Queryable,
  orgId: string,
  query: AuditExportQuery,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  const { from, values, where } = sourceOf(orgId, query);
  const all = meetAll([...where, ["sequence < ?", before]], values);
  const rows = await db.query<Stored<AuditEntry>>(
    `select ${selected} from ${from} where ${all} order by sequence desc limit ${limit}`,
    values,
  );
  return rows.map(fromRow);
}

export type SealedRow = ChainRow & { sequence: number; previous_hash: Buffer; hash: Buffer };

export async function listSealed(db: Queryable, orgId: string, after: number, limit: number): Promise<SealedRow[]> {
  return await db.query<SealedRow>(
    `select ${chainColumns}, sequence, previous_hash, hash
       from events
      where org_id = $1 and sequence > $2
      order by sequence
      limit $3`,
    [orgId, after, limit],
  );
}

export async function listOrganizationsAcrossOrgs(db: Queryable): Promise<{ id: string; name: string }[]> {
  return await db.query<{ id: string; name: string }>("select id, name from organizations order by created_at, id");
}
