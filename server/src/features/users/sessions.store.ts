import type { Queryable, Tx } from "../../db/database.ts";

export type RefreshTokenRow = {
  family_id: string;
  user_id: string;
  expires_at: Date;
  used_at: Date | null;
  revoked_at: Date | null;
};

export type NewRefreshToken = { hash: Buffer; familyId: string; userId: string; at: Date; expiresAt: Date };

export async function insertRefreshToken(tx: Tx, token: NewRefreshToken): Promise<void> {
  await tx.query(
    `insert into refresh_tokens (token_hash, family_id, user_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [token.hash, token.familyId, token.userId, token.at, token.expiresAt],
  );
}

/**
 * Whoever ends sessions locks the person first. Without the same lock here, a token that is given out in that moment
 * would be seen by neither side, and outlive them all.
 */
export async function lockHolder(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    `select 1 from users where id = (select user_id from refresh_tokens where token_hash = $1) for no key update`,
    [hash],
  );
}

/** Two uses of one token at the same moment take turns here: the second sees that it was used. */
export async function lockRefreshToken(tx: Tx, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  const [row] = await tx.query<RefreshTokenRow>(
    "select family_id, user_id, expires_at, used_at, revoked_at from refresh_tokens where token_hash = $1 for update",
    [hash],
  );
  return row;
}

export async function markUsed(tx: Tx, hash: Buffer, at: Date): Promise<void> {
  await tx.query("update refresh_tokens set used_at = $2 where token_hash = $1", [hash, at]);
}

export async function revokeFamily(tx: Tx, familyId: string, at: Date): Promise<void> {
  await tx.query("update refresh_tokens set revoked_at = $2 where family_id = $1 and revoked_at is null", [
    familyId,
    at,
  ]);
}

/** Ends every session: no refresh token given out so far is worth anything any more. */
export async function endSessions(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.query("update refresh_tokens set revoked_at = $2 where user_id = $1 and revoked_at is null", [userId, at]);
}

/** False: the person was deleted or disabled, or has another password, since it was checked. */
export async function markSignedIn(tx: Tx, userId: string, passwordHash: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `update users set last_signed_in_at = $3 where id = $1 and password_hash = $2 and status = 'active' returning 1`,
    [userId, passwordHash, at],
  );
  return rows.length === 1;
}

export async function deleteExpiredTokensAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from refresh_tokens where expires_at < $1", [before]);
}
