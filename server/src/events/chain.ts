import { createHash } from "node:crypto";
import type { Queryable } from "../db/database.ts";

/** The sealed content of an event, as text from the database so that sealing and checking hash the same bytes. */
export type ChainRow = {
  id: string;
  org_id: string;
  type: string;
  object_type: string;
  object_id: string;
  actor_text: string;
  request_id: string | null;
  data_text: string;
  occurred_text: string;
};

export const chainColumns = `id, org_id, type, object_type, object_id, actor::text as actor_text, request_id,
  data::text as data_text, extract(epoch from occurred_at)::text as occurred_text`;

export const firstHash = Buffer.alloc(32);

/** Where the log of an organization ends. The sequence has no gaps: it is also how long the log is. */
export async function findLast(db: Queryable, orgId: string): Promise<{ sequence: number; hash: Buffer }> {
  const [last] = await db.query<{ sequence: number; hash: Buffer }>(
    {
      name: "events_last",
      text: "select sequence, hash from events where org_id = $1 order by sequence desc limit 1",
    },
    [orgId],
  );
  return last ?? { sequence: 0, hash: firstHash };
}

/** Each hash covers the one before it: changing, removing or swapping any earlier row changes every later hash. */
export function chainHash(previous: Buffer, sequence: number, row: ChainRow): Buffer {
  const fields = [
    sequence,
    row.id,
    row.org_id,
    row.type,
    row.object_type,
    row.object_id,
    row.actor_text,
    row.request_id,
    row.data_text,
    row.occurred_text,
  ];
  return createHash("sha256").update(previous).update(JSON.stringify(fields)).digest();
}
