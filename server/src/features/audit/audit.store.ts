import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Kind, Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ChainRow } from "../../events/chain.ts";
import { chainColumns } from "../../events/chain.ts";
import type { AuditEntry, AuditQuery } from "./audit.schemas.ts";

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

export async function listEntries(db: Queryable, orgId: string, query: AuditQuery): Promise<Page<AuditEntry>> {
  const filters: [string, unknown][] = [
    ["type = ?", query.type],
    ["object_id = ?", query.objectId],
    ["actor->>'id' = ?", query.actorId?.toLowerCase()],
    ["occurred_at >= ?", query.from],
    ["occurred_at < ?", query.to],
  ];
  const isFiltered = filters.some(([, value]) => value !== undefined);
  const page = await listPage<Stored<AuditEntry>>(db, query, {
    select: selected,
    from: "events e",
    where: [["org_id = ?", orgId], ...filters],
    orderBy: "sequence desc",
    // The sequence has no gaps: without a filter its head is the count, however long the log has become.
    total: isFiltered ? undefined : await countEntries(db, orgId),
  });
  return mapPage(page, fromRow);
}

async function countEntries(db: Queryable, orgId: string): Promise<number> {
  const [head] = await db.query<{ sequence: number }>(
    "select sequence from events where org_id = $1 order by sequence desc limit 1",
    [orgId],
  );
  return head?.sequence ?? 0;
}

export type SealedRow = ChainRow & { sequence: number; previous_hash: Buffer; hash: Buffer };

export async function listSealed(db: Queryable, orgId: string, after: number, limit: number): Promise<SealedRow[]> {
  return await db.query<SealedRow>(
    `select ${chainColumns}, sequence, previous_hash, hash from events
      where org_id = $1 and sequence > $2 order by sequence limit $3`,
    [orgId, after, limit],
  );
}
