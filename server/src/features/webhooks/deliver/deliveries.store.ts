import type { Queryable, Tx } from "../../../db/database.ts";
import type { Health } from "../webhooks.store.ts";
import type { Ending, Outcome } from "./delivery-outcome.ts";
import type { Delivery, LeasedWebhook, Move } from "./webhook-work.store.ts";
import { nextOfTypes, windowSize } from "./webhook-work.store.ts";

/**
 * In strict order a place in the order that depends on no clock: the number of the event. Else the time, with a start of a
 * minute: retries that came due meanwhile do not hold up what is fresh.
 */
const placeOf = (isStrict: string, sequence: string, nth: string): string =>
  `case when ${isStrict} then timestamptz 'epoch' + ${sequence} * interval '1 microsecond'
        else $2::timestamptz - interval '1 minute' + ${nth} * interval '1 microsecond' end`;

/** From the beginning of its plan of retries. */
const again = `status = 'waiting', tries = 0, next_try_at = null, ended_at = null, due_at = excluded.due_at`;

/** So many deliveries of a webhook wait in the table at most because somebody looked; the others wait in the log. */
const mostWaiting = 1_000;

const eventKeys = "e.id, e.sequence, e.type";

export type Planned = { orgId: string; webhookId: string; cursor: number; isStrict: boolean; types: readonly string[] };

/** What waits in the log behind the cursor gets rows, for somebody who wants to see it. Returns how many. */
export async function planWaiting(
  tx: Tx,
  { orgId, webhookId, cursor, isStrict, types }: Planned,
  now: Date,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with bounds as (select least(h.sequence, $5::bigint + ${windowSize}) as until,
           ${mostWaiting} - (select count(*) from webhook_deliveries d where d.webhook_id = $4 and d.due_at is not null) as room
           from audit_heads h where h.org_id = $3),
       found as (select e.*, row_number() over (order by e.sequence) as nth from (
           ${nextOfTypes(eventKeys, { orgId: "$3", types: "$6", after: "$5", until: "(select until from bounds)", limit: "(select greatest(room, 0) from bounds)" })}) e),
       made as (insert into webhook_deliveries as d (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
           select $3, $4, id, sequence, type, $2, ${placeOf("$1::boolean", "sequence", "nth")} from found
           on conflict (webhook_id, sequence) do update set ${again} where d.status in ('skipped', 'failed')),
       moved as (update webhooks w set cursor = case when (select count(*) from found) >= b.room
             then coalesce((select max(sequence) from found), w.cursor) else b.until end
           from bounds b where w.org_id = $3 and w.id = $4)
     select count(*) as count from found`,
    [isStrict, now, orgId, webhookId, cursor, types],
  );
  return row!.count;
}

/** So few at a time that fresh ones do not wait long behind them. */
const resendAtOnce = 100;

type Resend = { id: string; after: number; until: number; types: string[] | null; onlyFailed: boolean };

/** The oldest one, if the webhook is still whose it was when it was taken. */
export async function lockResendAcrossOrgs(
  tx: Tx,
  { id, epoch }: Pick<LeasedWebhook, "id" | "epoch">,
): Promise<Resend | undefined> {
  const [row] = await tx.query<Resend>(
    `select r.id, r.after_sequence as after, r.until_sequence as until, r.types, r.only_failed as "onlyFailed"
       from webhooks w cross join lateral
         (select * from webhook_resends r where r.webhook_id = w.id order by r.created_at, r.id limit 1) r
      where w.id = $1 and w.epoch = $2 for update of w`,
    [id, epoch],
  );
  return row;
}

type Resender = Omit<Planned, "cursor">;

/** The resend moves on, and is gone when it has come to its end. Returns how many are due once more. */
export async function resendPortion(
  tx: Tx,
  { id, after, until, onlyFailed }: Resend,
  { orgId, webhookId, isStrict, types }: Resender,
  now: Date,
): Promise<number> {
  const end = onlyFailed ? until : Math.min(until, after + windowSize);
  const limit = String(resendAtOnce);
  const source = onlyFailed
    ? `select event_id as id, sequence, type from webhook_deliveries
        where webhook_id = $4 and status = 'failed' and sequence > $5 and sequence <= $6 and type = any($7)
        order by sequence limit ${limit}`
    : nextOfTypes(eventKeys, { orgId: "$3", types: "$7", after: "$5", until: "$6", limit });
  const rows = await tx.query<{ sequence: number }>(
    `with found as (select *, row_number() over (order by sequence) as nth from
         (${source}) s),
       made as (insert into webhook_deliveries as d (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
         select $3, $4, id, sequence, type, $2, ${placeOf("$1::boolean", "sequence", "nth")} from found
         on conflict (webhook_id, sequence) do update set ${again} where d.status <> 'waiting')
     select sequence from found order by sequence`,
    [isStrict, now, orgId, webhookId, after, end, types],
  );
  const isFull = rows.length === resendAtOnce;
  const looked = isFull ? rows.at(-1)!.sequence : end;
  if (looked >= until) await tx.query("delete from webhook_resends where id = $1", [id]);
  else await tx.query("update webhook_resends set after_sequence = $2 where id = $1", [id, looked]);
  return rows.length;
}

/** How one was sent, and what that means for it. */
export type Settlement = { id: string; webhookId: string; delivery: Delivery; outcome: Outcome; ending: Ending };

/** How an endpoint is doing after that, as its holder knows it, and how far it has come. */
export type Progress = Move & { id: string; epoch: number; version: number; health: Health };

/** `former`: how it was doing before. */
export type Written = {
  id: string;
  orgId: string;
  cursor: number;
  formerStatus: Health["status"];
  wasTold: boolean;
};

/**
 * Everything about some deliveries in one statement: each gets its row, or its row the new attempt, and the webhook moves on.
 * What is not returned was not written: somebody else has taken that webhook, or people have changed it. An attempt that was
 * written before, by a statement whose answer was lost, is not written again.
 */
export async function saveAcrossOrgs(
  db: Queryable,
  progress: Progress[],
  settlements: Settlement[],
): Promise<Written[]> {
  const webhooks = progress.map(({ health, ...own }) => {
    const { status, disabledReason, places, waitUntil, consecutiveFailures } = health;
    const { failingSince, failingToldAt, lastSuccessAt, lastFailureAt, lastError } = health;
    const times = { waitUntil, failingSince, failingToldAt, lastSuccessAt, lastFailureAt };
    return { ...own, ...times, status, disabledReason, places, consecutiveFailures, lastError };
  });
  const records = settlements.map(({ id, webhookId, delivery, outcome, ending }) => ({
    id,
    webhook_id: webhookId,
    event_id: delivery.event.id,
    sequence: delivery.event.sequence,
    type: delivery.event.type,
    status: ending.status,
    tries: ending.tries,
    attempts: delivery.attempts + 1,
    next_try_at: ending.nextTryAt,
    due_at: ending.dueAt,
    // As text: JSON.stringify is twice as fast where it meets nothing that says itself what it is in JSON.
    at: outcome.at.toISOString(),
    duration_ms: outcome.durationMs,
    http_status: outcome.status,
    error: outcome.error,
    headers: outcome.headers,
    answer: outcome.answer,
  }));
  return await db.query<Written>(
    {
      name: "webhook_deliveries_save",
      text: `with h as (select * from jsonb_to_recordset($1::jsonb) as h (id uuid, epoch integer, version integer, "from" bigint, "to" bigint,
             status text, "disabledReason" text, places integer, "waitUntil" timestamptz, "consecutiveFailures" integer,
             "failingSince" timestamptz, "failingToldAt" timestamptz, "lastSuccessAt" timestamptz,
             "lastFailureAt" timestamptz, "lastError" jsonb)),
         w as (select w.id, w.org_id, w.status, w.ordering, w.failing_told_at from webhooks w
             join h on h.id = w.id and h.epoch = w.epoch and h.version = w.version order by w.id for update of w),
         u as (select u.*, w.org_id, w.ordering = 'strict' as is_strict from jsonb_to_recordset($2::jsonb) as u (id uuid,
             webhook_id uuid, event_id uuid, sequence bigint, type text, status text, tries integer, attempts integer,
             next_try_at timestamptz, due_at timestamptz, at timestamptz, duration_ms integer, http_status integer, error jsonb,
             headers jsonb, answer text) join w on w.id = u.webhook_id),
         former as (insert into webhook_attempts (delivery_id, number, org_id, at, duration_ms, status, error, headers, answer)
           select d.id, d.attempt_count, d.org_id, d.attempt_at, d.duration_ms, d.last_status, d.last_error, d.headers, d.answer
             from u join webhook_deliveries d on d.webhook_id = u.webhook_id and d.sequence = u.sequence
            where u.attempts > 1 and d.attempt_count = u.attempts - 1 and d.attempt_at is not null),
         saved as (insert into webhook_deliveries as d (id, org_id, webhook_id, event_id, sequence, type, status, tries, attempt_count,
             next_try_at, last_status, last_error, created_at, ended_at, due_at, attempt_at, duration_ms, headers, answer)
           select id, org_id, webhook_id, event_id, sequence, type, status, tries, attempts, next_try_at, http_status, error, at,
             case when status <> 'waiting' then at end,
             case when status = 'waiting' then coalesce(due_at, case when is_strict
               then timestamptz 'epoch' + sequence * interval '1 microsecond' else at end) end, at, duration_ms, headers, answer from u
           on conflict (webhook_id, sequence) do update set status = excluded.status, tries = excluded.tries,
             attempt_count = excluded.attempt_count, next_try_at = excluded.next_try_at, last_status = excluded.last_status,
             last_error = excluded.last_error, ended_at = excluded.ended_at, due_at = excluded.due_at,
             attempt_at = excluded.attempt_at, duration_ms = excluded.duration_ms, headers = excluded.headers, answer = excluded.answer
           where d.attempt_count = excluded.attempt_count - 1)
         update webhooks t set cursor = case when t.cursor = h."from" then h."to" else t.cursor end, status = h.status,
             disabled_reason = h."disabledReason", places = h.places, wait_until = h."waitUntil",
             consecutive_failures = h."consecutiveFailures", failing_since = h."failingSince", failing_told_at = h."failingToldAt",
             last_success_at = h."lastSuccessAt", last_failure_at = h."lastFailureAt", last_error = h."lastError"
           from h join w on w.id = h.id where t.id = h.id
         returning t.id, t.org_id as "orgId", t.cursor, w.status as "formerStatus", w.failing_told_at is not null as "wasTold"`,
    },
    [JSON.stringify(webhooks), JSON.stringify(records)],
  );
}
