import type { Queryable, Tx } from "../../db/database.ts";
import type { BridgeRow } from "./bridges.store.ts";

export type StoredToken = { sealed: string | null; renew_at: Date | null };

const leaseSeconds = 60;

export async function findToken(db: Queryable, { org_id, id }: BridgeRow): Promise<StoredToken | undefined> {
  const [row] = await db.query<StoredToken>(
    "select sealed, renew_at from bridge_tokens where org_id = $1 and bridge_id = $2",
    [org_id, id],
  );
  return row;
}

/** Leases the token request of a bridge for a minute. Undefined if another process holds the lease. */
export async function claimToken(
  db: Queryable,
  { org_id, id }: BridgeRow,
  owner: string,
): Promise<StoredToken | undefined> {
  const [row] = await db.query<StoredToken>(
    `insert into bridge_tokens as t (bridge_id, org_id, lease_owner, lease_until)
     values ($1, $2, $3, now() + interval '${leaseSeconds} seconds')
     on conflict (bridge_id) do update set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
      where t.lease_until is null or t.lease_until < now()
     returning sealed, renew_at`,
    [id, org_id, owner],
  );
  return row;
}

export async function saveToken(
  db: Queryable,
  { org_id, id }: BridgeRow,
  owner: string,
  { sealed, renew_at }: StoredToken,
): Promise<void> {
  await db.query(
    `update bridge_tokens set sealed = $4, renew_at = $5, lease_owner = null, lease_until = null
      where org_id = $1 and bridge_id = $2 and lease_owner = $3`,
    [org_id, id, owner, sealed, renew_at],
  );
}

export async function releaseToken(db: Queryable, { org_id, id }: BridgeRow, owner: string): Promise<void> {
  await db.query(
    `update bridge_tokens set lease_owner = null, lease_until = null
      where org_id = $1 and bridge_id = $2 and lease_owner = $3`,
    [org_id, id, owner],
  );
}

export async function removeToken(tx: Tx, orgId: string, bridgeId: string): Promise<void> {
  await tx.query("delete from bridge_tokens where org_id = $1 and bridge_id = $2", [orgId, bridgeId]);
}
