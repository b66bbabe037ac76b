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

export async function markSignedIn(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.query("update users set last_signed_in_at = $2 where id = $1", [userId, at]);
}

export async function deleteExpiredTokensAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from refresh_tokens where expires_at < $1", [before]);
}
