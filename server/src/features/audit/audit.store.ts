import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ChainRow } from "../../events/chain.ts";
import { chainColumns } from "../../events/chain.ts";
import type { AuditEntry, AuditQuery } from "./audit.schemas.ts";

type EntryRow = {
  id: string;
  sequence: number;
  type: string;
  object_type: string;
  object_id: string;
  actor: AuditEntry["actor"];
  request_id: string | null;
  data: Record<string, unknown>;
  occurred_at: Date;
  previous_hash: Buffer;
  hash: Buffer;
};

export async function listEntries(db: Queryable, orgId: string, query: AuditQuery): Promise<Page<AuditEntry>> {
  const filters: [string, unknown][] = [
    ["type = ?", query.type],
    ["object_id = ?", query.objectId],
    ["actor->>'id' = ?", query.actorId?.toLowerCase()],
    ["occurred_at >= ?", query.from],
    ["occurred_at < ?", query.to],
  ];
  const isFiltered = filters.some(([, value]) => value !== undefined);
  const page = await listPage<EntryRow>(db, query, {
    select: "*",
    from: "events",
    where: [["org_id = ?", orgId], ...filters],
    orderBy: "sequence desc",
    // The sequence has no gaps: without a filter its head is the count, however long the log has become.
    total: isFiltered ? undefined : (await findHead(db, orgId)).sequence,
  });
  return mapPage(page, present);
}

async function findHead(db: Queryable, orgId: string): Promise<{ sequence: number; hash: string }> {
  const [row] = await db.query<{ sequence: number; hash: Buffer }>(
    "select sequence, hash from events where org_id = $1 order by sequence desc limit 1",
    [orgId],
  );
  return { sequence: row?.sequence ?? 0, hash: row?.hash.toString("hex") ?? "" };
}

export type SealedRow = ChainRow & { sequence: number; previous_hash: Buffer; hash: Buffer };

export async function listSealed(db: Queryable, orgId: string, after: number, limit: number): Promise<SealedRow[]> {
  return await db.query<SealedRow>(
    `select ${chainColumns}, sequence, previous_hash, hash from events
      where org_id = $1 and sequence > $2 order by sequence limit $3`,
    [orgId, after, limit],
  );
}

function present(row: EntryRow): AuditEntry {
  return {
    id: row.id,
    sequence: row.sequence,
    type: row.type,
    objectType: row.object_type,
    objectId: row.object_id,
    actor: row.actor,
    requestId: row.request_id,
    data: row.data,
    occurredAt: row.occurred_at.toISOString(),
    previousHash: row.previous_hash.toString("hex"),
    hash: row.hash.toString("hex"),
  };
}
