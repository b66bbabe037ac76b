import type { Queryable, Tx } from "../db/database.ts";

export type Removal = { orgId: string; kind: string; endedBefore: Date; count: number };

/** Counts deleted records in the transaction that deletes them. `owners` has the organization of each. */
export async function noteRemoved(
  tx: Tx,
  { kind, endedBefore }: Pick<Removal, "kind" | "endedBefore">,
  owners: string[],
): Promise<void> {
  await tx.query(
    `insert into removals as r (org_id, kind, ended_before, count)
     select u.owner, $2, $3, count(*) from unnest($1::uuid[]) as u (owner) group by u.owner order by u.owner
     on conflict (org_id, kind, ended_before) do update set count = r.count + excluded.count`,
    [owners, kind, endedBefore],
  );
}

/** All counts that have no event yet, also those of a process that died. */
export async function takeRemovedAcrossOrgs(db: Queryable): Promise<Removal[]> {
  return await db.query<Removal>(
    `delete from removals returning org_id as "orgId", kind, ended_before as "endedBefore", count`,
  );
}
