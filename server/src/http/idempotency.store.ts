import type { Queryable } from "../db/database.ts";

type KeyOwner = { orgId: string; caller: string; key: string };

type KeyState = {
  fingerprint: Buffer;
  claim: string;
  status: number | null;
  answer: string | null;
};

/** The first of the fingerprints is stored; all of them mean the same request. Takes the key if it is new or its holder died; returns who holds it afterwards. */
export async function claimKey(
  db: Queryable,
  owner: KeyOwner,
  fingerprints: Buffer[],
  claim: string,
  now: Date,
  until: Date,
): Promise<KeyState> {
  const [row] = await db.query<KeyState>(
    `insert into idempotency_keys as k (org_id, caller, key, fingerprint, claim, claimed_until, created_at)
     values ($1, $2, $3, ($4::bytea[])[1], $5, $7, $6)
     on conflict (org_id, caller, key) do update set
       claim = case when k.status is null and k.claimed_until < $6 and k.fingerprint = any($4) then $5 else k.claim end,
       claimed_until = case when k.status is null and k.claimed_until < $6 and k.fingerprint = any($4)
                            then $7 else k.claimed_until end
     returning fingerprint, claim, status, answer`,
    [owner.orgId, owner.caller, owner.key, fingerprints, claim, now, until],
  );
  return row!;
}

/** False: the claim was lost to another attempt, whose work counts instead. */
export async function keepAnswer(
  db: Queryable,
  owner: KeyOwner,
  claim: string,
  status: number,
  answer: string,
): Promise<boolean> {
  const rows = await db.query(
    `update idempotency_keys set status = $5, answer = $6
      where org_id = $1 and caller = $2 and key = $3 and claim = $4 returning 1`,
    [owner.orgId, owner.caller, owner.key, claim, status, answer],
  );
  return rows.length === 1;
}

export async function releaseKey(db: Queryable, owner: KeyOwner, claim: string): Promise<void> {
  await db.query(
    "delete from idempotency_keys where org_id = $1 and caller = $2 and key = $3 and claim = $4 and status is null",
    [owner.orgId, owner.caller, owner.key, claim],
  );
}

export async function deleteOldKeysAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from idempotency_keys where created_at < $1", [before]);
}

export async function releaseAllAcrossOrgs(db: Queryable): Promise<void> {
  await db.query("delete from idempotency_keys where status is null");
}
