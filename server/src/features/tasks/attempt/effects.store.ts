import type { Queryable } from "../../../db/database.ts";
import type { ExecutionRow } from "../executions.store.ts";

export type EffectStatus = "intent" | "done" | "failed" | "unknown";

export type EffectRow = {
  effect_key: string;
  order_id: string | null;
  status: EffectStatus;
  sent: { externalId?: string; details?: Record<string, unknown> } | null;
  error: { code: string; message: string } | null;
};

export async function listEffects(db: Queryable, orgId: string, keys: string[]): Promise<EffectRow[]> {
  return await db.query<EffectRow>(
    `select effect_key, order_id, status, sent, error from task_effects where org_id = $1 and effect_key = any($2::text[])`,
    [orgId, keys],
  );
}

/**
 * Written down before anything is sent, and only while this attempt is the one that counts: undefined when it is not.
 * The lock keeps a cancel, or whoever takes over, from coming in between. "done": another attempt has seen it arrive.
 */
export async function intend(
  db: Queryable,
  { id, org_id, attempt }: ExecutionRow,
  effect: { key: string; orderId: string },
  at: Date,
): Promise<"intent" | "done" | undefined> {
  const [row] = await db.query<{ status: "intent" | "done" }>(
    `insert into task_effects (org_id, effect_key, execution_id, order_id, status, created_at, updated_at)
     select $1, $2, e.id, $5, 'intent', $6, $6 from task_executions e
      where e.id = $3 and e.attempt = $4 and e.status = 'running' and e.lease_until > now() for share
     on conflict (org_id, effect_key) do update
       set status = case when task_effects.status = 'done' then 'done' else 'intent' end,
           execution_id = excluded.execution_id, updated_at = excluded.updated_at
     returning status`,
    [org_id, effect.key, id, attempt, effect.orderId, at],
  );
  return row?.status;
}

/** What has happened outside has happened, whoever saw it; everything else is for the attempt that counts to say. */
export async function concludeEffect(
  db: Queryable,
  { id, org_id, attempt }: ExecutionRow,
  key: string,
  outcome: { status: EffectStatus; sent?: EffectRow["sent"]; error?: EffectRow["error"] },
  at: Date,
): Promise<void> {
  await db.query(
    `update task_effects set status = $3, sent = $4, error = $5, updated_at = $6
      where org_id = $1 and effect_key = $2 and status <> 'done' and ($3 = 'done' or exists (
        select from task_executions e where e.id = $7 and e.attempt = $8 and e.status in ('running', 'cancelled')))`,
    [org_id, key, outcome.status, outcome.sent ?? null, outcome.error ?? null, at, id, attempt],
  );
}
