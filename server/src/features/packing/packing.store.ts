import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import type { Weight } from "../../core/weight.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { Packed } from "./packing-count.ts";
import type { Box, PackingSession, SessionQuery } from "./packing.schemas.ts";

export type StoredSession = Pick<
  PackingSession,
  "id" | "orderId" | "status" | "station" | "labelRunId" | "createdAt" | "endedAt" | "updatedAt" | "version"
> & { packer: Actor; box: Box | null; weight: Weight | null };

const columns = defineColumns<StoredSession>("t", {
  orderId: "uuid",
  status: "text",
  station: "text",
  packer: "jsonb",
  box: "jsonb",
  weight: "jsonb",
  labelRunId: "uuid",
  createdAt: moment,
  endedAt: moment,
  updatedAt: moment,
  version: "integer",
});

export const sessions = recordsIn("packing_sessions", "packing_session", columns);

/** The caller has locked the order, so that no other session of it can be opened meanwhile. */
export async function lockOpenSession(tx: Tx, orgId: string, orderId: string): Promise<StoredSession | undefined> {
  const [row] = await tx.query<Stored<StoredSession>>(
    `select ${columns.selected} from packing_sessions t
      where t.org_id = $1 and t.order_id = $2 and t.status = 'open' for update`,
    [orgId, orderId],
  );
  return row && columns.fromRow(row);
}

export async function listSessions(db: Queryable, orgId: string, query: SessionQuery): Promise<Page<StoredSession>> {
  return await sessions.list(db, orgId, query, [
    ["t.status = ?", query.status],
    ["t.order_id = ?", query.orderId],
  ]);
}

/** Packed units of these sessions, by session and line. */
export async function readPacked(db: Queryable, orgId: string, ids: string[]): Promise<Map<string, Packed>> {
  const rows = await db.query<{ sessionId: string; lineId: string; packed: number }>(
    `select s.session_id as "sessionId", s.line_id as "lineId", sum(s.quantity)::integer as packed
       from packing_scans s where s.org_id = $1 and s.session_id = any($2::uuid[]) group by s.session_id, s.line_id`,
    [orgId, ids],
  );
  const bySession = Map.groupBy(rows, ({ sessionId }) => sessionId);
  return new Map(
    ids.map((id) => [id, new Map((bySession.get(id) ?? []).map(({ lineId, packed }) => [lineId, packed]))]),
  );
}

export type Scan = { lineId: string; quantity: number };

/** The caller has locked the session, so that positions are taken one after the other. */
export async function insertScan(tx: Tx, orgId: string, sessionId: string, scan: Scan, at: Date): Promise<void> {
  await tx.query(
    `insert into packing_scans (session_id, position, org_id, line_id, quantity, scanned_at)
     select $2, coalesce(max(position), 0) + 1, $1, $3, $4, $5 from packing_scans where session_id = $2`,
    [orgId, sessionId, scan.lineId, scan.quantity, at],
  );
}

export async function deleteLastScan(tx: Tx, orgId: string, sessionId: string): Promise<Scan | undefined> {
  const [scan] = await tx.query<Scan>(
    `delete from packing_scans
      where org_id = $1 and session_id = $2
        and position = (select max(position) from packing_scans where session_id = $2)
     returning line_id as "lineId", quantity`,
    [orgId, sessionId],
  );
  return scan;
}

export async function readStats(
  db: Queryable,
  orgId: string,
  since: string,
): Promise<{ packedToday: number; averageSeconds: number | null }> {
  const [row] = await db.query<{ packedToday: number; averageSeconds: number | null }>(
    `select count(*)::integer as "packedToday",
            round(avg(extract(epoch from ended_at - created_at)))::integer as "averageSeconds"
       from packing_sessions
      where org_id = $1 and status = 'packed' and ended_at >= $2`,
    [orgId, since],
  );
  return row!;
}
