import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Queryable } from "../../db/database.ts";
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
  const filters: string[] = ["org_id = $1"];
  const values: unknown[] = [orgId];
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) filters.push(condition.replace("?", `$${values.push(value)}`));
  };
  add("type = ?", query.type);
  add("object_id = ?", query.objectId);
  add("actor->>'id' = ?", query.actorId?.toLowerCase());
  add("occurred_at >= ?", query.from);
  add("occurred_at < ?", query.to);
  const where = filters.join(" and ");
  const rows = await db.query<EntryRow>(
    `select * from events where ${where} order by sequence desc limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  // The sequence has no gaps: without a filter its head is the count, however long the log has become.
  const total = values.length === 1 ? (await findHead(db, orgId)).sequence : await countEntries(db, where, values);
  return toPage(rows.map(present), total, query);
}

async function countEntries(db: Queryable, where: string, values: unknown[]): Promise<number> {
  const [row] = await db.query<{ total: number }>(`select count(*) as total from events where ${where}`, values);
  return row?.total ?? 0;
}

export async function findHead(db: Queryable, orgId: string): Promise<{ sequence: number; hash: string }> {
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
