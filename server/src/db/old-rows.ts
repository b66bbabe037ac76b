import type { Tx } from "./database.ts";

type OldRows = {
  table: string;
  /** Condition on rows older than `$1`, with an order where an index provides it. */
  which: string;
  atOnce: number;
};

/** Deletes one batch, small enough that other transactions do not wait long, and skips locked rows. Returns the organization of each row. */
export async function deleteSomeAcrossOrgs(tx: Tx, { table, which, atOnce }: OldRows, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `delete from ${table}
      where id in (select id from ${table} where ${which} limit ${atOnce} for update skip locked)
      returning org_id`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}
