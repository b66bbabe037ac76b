import type { ClockSetting } from "../../core/clock.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { findState, saveState } from "../../db/hub-state.ts";

const clockKey = "clock";

export async function findClock(db: Queryable): Promise<ClockSetting | undefined> {
  return await findState<ClockSetting>(db, clockKey);
}

export async function saveClock(tx: Tx, setting: ClockSetting): Promise<void> {
  await saveState(tx, clockKey, setting);
}

const stepsKey = "seeding";

/** Remaining steps of `seedActivity`; empty for previews seeded by versions without steps. */
export async function findRemainingSteps(db: Queryable): Promise<string[]> {
  return (await findState<string[]>(db, stepsKey)) ?? [];
}

export async function saveRemainingSteps(db: Queryable, remaining: readonly string[]): Promise<void> {
  await saveState(db, stepsKey, remaining);
}

export async function isSeeded(db: Queryable, orgId: string): Promise<boolean> {
  const rows = await db.query("select from recorded_events where org_id = $1 and type = 'preview.seeded' limit 1", [
    orgId,
  ]);
  return rows.length === 1;
}

/** Serializes nodes that start at the same time. */
export async function lockSeeding(tx: Tx): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('preview seeding', 0))");
}

/** Tables that a reset keeps: users and API keys still work afterwards, and the reset request is idempotent. */
const keptTables = [
  "schema_migrations",
  "secret_keys",
  "organizations",
  "organization_domains",
  "users",
  "api_keys",
  "refresh_tokens",
  "user_preferences",
  "notification_settings",
  "user_sessions",
  "user_totp",
  "user_recovery_codes",
  "sign_in_attempts",
  "idempotency_keys",
];

export async function emptyAllTables(tx: Tx): Promise<void> {
  const rows = await tx.query<{ name: string }>(
    `select quote_ident(relname) as name
       from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and not relname = any($1)`,
    [keptTables],
  );
  await tx.query("select set_config('hub.is_resetting', 'yes', true)");
  await tx.query(`truncate ${rows.map((row) => row.name).join(", ")}`);
}
