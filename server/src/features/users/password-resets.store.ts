import type { Actor } from "../../core/actor.ts";
import type { Queryable, Tx } from "../../db/database.ts";

export async function insertRequestAcrossOrgs(tx: Tx, id: string, email: string): Promise<void> {
  await tx.query("insert into password_reset_requests (id, email, requested_at) values ($1, $2, now())", [id, email]);
}

export async function takeRequestsAcrossOrgs(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ email: string }>(
    `delete from password_reset_requests
      where id in (select id from password_reset_requests order by requested_at limit 100 for update skip locked)
      returning lower(email) as email`,
  );
  return [...new Set(rows.map(({ email }) => email))];
}

export type ResetAccount = { userId: string; orgId: string; email: string; organization: string };

/**
 * Accounts with one of these addresses that sign in with a password here. Those that got a link since `lastBefore` are left out, so
 * that no mailbox can be flooded.
 */
export async function findAccountsAcrossOrgs(tx: Tx, emails: string[], lastBefore: Date): Promise<ResetAccount[]> {
  return await tx.query<ResetAccount>(
    `select account.id as "userId", account.org_id as "orgId", account.email, organization.name as organization
       from users account
       join organizations organization on organization.id = account.org_id
      where lower(account.email) = any($1)
        and account.status = 'active'
        and account.password_hash is not null
        and not exists (
          select from password_resets earlier where earlier.user_id = account.id and earlier.created_at > $2)
      order by account.email, organization.name`,
    [emails, lastBefore],
  );
}

export type NewReset = {
  id: string;
  orgId: string;
  userId: string;
  tokenHash: Buffer;
  by: Actor;
  at: Date;
  expiresAt: Date;
};

export async function insertResets(tx: Tx, resets: NewReset[]): Promise<void> {
  await tx.query(
    `insert into password_resets (id, org_id, user_id, token_hash, created_by, created_at, expires_at)
     select reset.id, reset.org_id, reset.user_id, decode(reset.token_hash, 'hex'), reset.created_by, reset.created_at,
            reset.expires_at
       from jsonb_to_recordset($1::jsonb) as reset (id uuid, org_id uuid, user_id uuid, token_hash text, created_by jsonb,
              created_at timestamptz, expires_at timestamptz)`,
    [
      JSON.stringify(
        resets.map(({ id, orgId, userId, tokenHash, by, at, expiresAt }) => ({
          id,
          org_id: orgId,
          user_id: userId,
          token_hash: tokenHash.toString("hex"),
          created_by: by,
          created_at: at,
          expires_at: expiresAt,
        })),
      ),
    ],
  );
}

export type FoundReset = {
  id: string;
  userId: string;
  orgId: string;
  email: string;
  organization: string;
  isActive: boolean;
  usedAt: Date | null;
  expiresAt: Date;
};

/** Spans all organizations: the link is the only thing known about the caller. */
export async function findResetAcrossOrgs(
  db: Queryable,
  tokenHash: Buffer,
  lock: "" | "for update of reset" = "",
): Promise<FoundReset | undefined> {
  const [row] = await db.query<FoundReset>(
    `select reset.id, reset.user_id as "userId", reset.org_id as "orgId", account.email, organization.name as organization,
            account.status = 'active' as "isActive", reset.used_at as "usedAt", reset.expires_at as "expiresAt"
       from password_resets reset
       join users account on account.id = reset.user_id
       join organizations organization on organization.id = reset.org_id
      where reset.token_hash = $1 ${lock}`,
    [tokenHash],
  );
  return row;
}

/** Every link of the user: they were made for the password or address that is gone. */
export async function useUpResets(tx: Tx, userId: string): Promise<void> {
  await tx.query("update password_resets set used_at = now() where user_id = $1 and used_at is null", [userId]);
}

export async function deleteOldResetsAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from password_resets where expires_at < $1", [before]);
}
