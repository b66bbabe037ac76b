import type { Queryable, Tx } from "../../db/database.ts";

export type TotpRow = { secret: string; confirmed_at: Date | null; last_step: number };

const selected = "select secret, confirmed_at, last_step::int as last_step from user_totp where user_id = $1";

/** The row lock serializes concurrent uses of one code, so that the second sees the first. */
export async function lockTotp(tx: Tx, userId: string): Promise<TotpRow | undefined> {
  const [row] = await tx.query<TotpRow>(`${selected} for update`, [userId]);
  return row;
}

export async function hasTotp(db: Queryable, userId: string): Promise<boolean> {
  const [row] = await db.query<TotpRow>(selected, [userId]);
  return row !== undefined && row.confirmed_at !== null;
}

export async function putTotp(
  tx: Tx,
  { userId, orgId, secret, at }: { userId: string; orgId: string; secret: string; at: Date },
): Promise<void> {
  await tx.query(
    `insert into user_totp (user_id, org_id, secret, created_at) values ($1, $2, $3, $4)
     on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at, last_step = 0`,
    [userId, orgId, secret, at],
  );
}

export async function markStepUsed(tx: Tx, userId: string, step: number, confirmedAt: Date): Promise<void> {
  await tx.query("update user_totp set last_step = $2, confirmed_at = coalesce(confirmed_at, $3) where user_id = $1", [
    userId,
    step,
    confirmedAt,
  ]);
}

/** Returns false if the user had none. */
export async function deleteTotp(tx: Tx, orgId: string, userId: string): Promise<boolean> {
  const rows = await tx.query("delete from user_totp where org_id = $1 and user_id = $2 returning 1", [orgId, userId]);
  if (rows.length > 0) await tx.query("delete from user_recovery_codes where user_id = $1", [userId]);
  return rows.length > 0;
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: Buffer[]): Promise<void> {
  await tx.query("delete from user_recovery_codes where user_id = $1", [userId]);
  await tx.query("insert into user_recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])", [
    userId,
    hashes,
  ]);
}

/** Returns false if the code is unknown or already used. */
export async function useRecoveryCode(tx: Tx, userId: string, hash: Buffer, at: Date): Promise<boolean> {
  const rows = await tx.query(
    "update user_recovery_codes set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null returning 1",
    [userId, hash, at],
  );
  return rows.length === 1;
}

export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*)::int as count from user_recovery_codes where user_id = $1 and used_at is null",
    [userId],
  );
  return row!.count;
}
