import type { Queryable, Tx } from "../../db/database.ts";

/** False: it was received before. A concurrent delivery of the same webhook waits for this transaction. */
export async function insertReceived(
  tx: Tx,
  orgId: string,
  accountId: string,
  { digest, at }: { digest: string; at: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into carrier_inbound_webhooks (account_id, digest, org_id, received_at) values ($2, $3, $1, $4)
     on conflict (account_id, digest) do nothing returning 1`,
    [orgId, accountId, digest, at],
  );
  return rows.length === 1;
}

export async function deleteReceivedAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query(
    `delete from carrier_inbound_webhooks where (account_id, digest) in (
       select account_id, digest from carrier_inbound_webhooks where received_at < $1 order by received_at limit 5000)`,
    [before],
  );
}
