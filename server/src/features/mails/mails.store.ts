import type { Queryable, Tx } from "../../db/database.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import { leasesOn } from "../../queue/leases.ts";

export type MailRow = LeasedRow & { sealed: string; created_at: Date };

export const mailLeases = leasesOn<MailRow>({
  table: "mails",
  columns: "t.id, t.org_id, t.sealed, t.created_at, t.lease_attempts",
  attempts: "lease_attempts",
  clock: "database",
  leaseMs: 90_000,
});

export type NewMail = { id: string; org_id: string; sealed: string };

/** One statement for any number of mails. */
export function insertMails(tx: Tx, mails: NewMail[]): void {
  tx.queue(
    `insert into mails (id, org_id, sealed, created_at, due_at)
     select mail.id, mail.org_id, mail.sealed, now(), now()
       from jsonb_to_recordset($1::jsonb) as mail (id uuid, org_id uuid, sealed text)`,
    [JSON.stringify(mails)],
  );
}

export async function deleteMailAcrossOrgs(db: Queryable, id: string): Promise<void> {
  await db.query("delete from mails where id = $1", [id]);
}
