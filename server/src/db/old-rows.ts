import type { Tx } from "./database.ts";

type OldRows = {
  table: string;
  /** Which are older than `$1`; in their order where an index has it. */
  which: string;
  atOnce: number;
};

/** So many that nobody waits for their locks, and none that somebody has locked. Returns whose each was. */
export async function deleteSomeAcrossOrgs(tx: Tx, { table, which, atOnce }: OldRows, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `delete from ${table} where id in (select id from ${table} where ${which} limit ${atOnce} for update skip locked)
     returning org_id`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}
