import type { Queryable, Tx } from "../../db/database.ts";
import { lockUserRow } from "./sessions.store.ts";
import type { Preferences } from "./preferences.schemas.ts";

type Row = { preferences: Record<string, unknown>; updated_at: Date; version: number };

export async function findPreferences(db: Queryable, orgId: string, userId: string): Promise<Preferences | undefined> {
  const [row] = await db.query<Row>(
    "select preferences, updated_at, version from user_preferences where org_id = $1 and user_id = $2",
    [orgId, userId],
  );
  return row && { preferences: row.preferences, updatedAt: row.updated_at.toISOString(), version: row.version };
}

/** Locks the user's row, since there may be no preferences row yet to serialize two browser tabs. */
export async function lockPreferences(tx: Tx, orgId: string, userId: string): Promise<Preferences | undefined> {
  await lockUserRow(tx, orgId, userId);
  return await findPreferences(tx, orgId, userId);
}

export async function putPreferences(
  tx: Tx,
  orgId: string,
  userId: string,
  { preferences, updatedAt, version }: Preferences,
): Promise<void> {
  await tx.query(
    `insert into user_preferences (user_id, org_id, preferences, updated_at, version) values ($1, $2, $3, $4, $5)
     on conflict (user_id) do update
        set preferences = excluded.preferences, updated_at = excluded.updated_at, version = excluded.version`,
    [userId, orgId, JSON.stringify(preferences), updatedAt, version],
  );
}
