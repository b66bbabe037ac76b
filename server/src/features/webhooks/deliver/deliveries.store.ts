import type { Queryable, Tx } from "../../../db/database.ts";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import type { LeasedRow, Leases } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import type { Webhook } from "../webhooks.schemas.ts";
import type { Health } from "../webhooks.store.ts";
import type { Ending, Outcome } from "./delivery-outcome.ts";

/** An endpoint: the fields of a webhook that are needed to send a request there. */
export type Target = {
  id: string;
  orgId: string;
  url: string;
  signing: Webhook["signing"];
  sealedSecret: string;
  sealedPreviousSecret: string | null;
  previousUntil: string | null;
  sealedHeaders: string | null;
};

/** A delivery that a worker has claimed. `tries`: how many steps of the retry schedule are used up. */
export type LeasedDelivery = LeasedRow & {
  webhookId: string;
  eventId: string;
  sequence: number;
  tries: number;
  nextTryAt: Date | null;
  /** With strict ordering. */
  isStrict: boolean;
  lease_attempts: number;
};

const isSending = (now: string): string =>
  `webhook.status = 'active' and webhook.deleted_at is null and (webhook.wait_until is null or webhook.wait_until <= ${now})`;

/**
 * With strict ordering all pending deliveries have the due time -infinity, so `sequence` alone orders them, and one is ready
 * only if none precedes it: also not one whose lease has expired but must not be taken over yet.
 */
const isNextInOrder = `(t.due_at > '-infinity' or not exists (
  select from webhook_deliveries earlier
   where earlier.webhook_id = t.webhook_id
     and earlier.due_at = '-infinity'
     and earlier.sequence < t.sequence))`;

const isFailing = "(select webhook.consecutive_failures > 0 from webhooks webhook where webhook.id = t.webhook_id)";

const leases = leasesOn<LeasedDelivery>({
  table: "webhook_deliveries",
  columns: `t.id, t.org_id, t.lease_attempts, t.webhook_id as "webhookId", t.event_id as "eventId", t.sequence, t.tries,
    t.next_try_at as "nextTryAt", t.due_at = '-infinity' as "isStrict", ${isFailing} as "isFailing"`,
  attempts: "lease_attempts",
  queue: {
    column: "webhook_id",
    limit: (now) => `coalesce((
      select webhook.concurrency from webhooks webhook where webhook.id = t.webhook_id and ${isSending(now)}), 0)`,
    isFailing,
  },
  tieBreak: "sequence",
  isReady: () => isNextInOrder,
  clock: "hub",
  leaseMs: 15_000,
});

export const deliveryLeases: Leases<LeasedDelivery> = {
  ...leases,
  /** Keeps the due time, which is the position with strict ordering. A delay is a lease that no worker holds. */
  async releaseAcrossOrgs(db, owner, id, { delayMs, attempts }) {
    await db.query(
      `update webhook_deliveries
          set lease_owner = case when $3 > 0 then gen_random_uuid() end,
              lease_until = case when $3 > 0 then now() + $3 * interval '1 ms' end,
              lease_attempts = $4
        where id = $2 and lease_owner = $1`,
      [owner, id, delayMs, attempts],
    );
  },
  /** Deliveries of an endpoint that is paused or fails are not a backlog of the hub. */
  async countAcrossOrgs(db, now) {
    const isFree = "(delivery.lease_owner is null or delivery.lease_until <= now())";
    const since = "greatest(delivery.created_at, delivery.next_try_at)";
    const [row] = await db.query<{ waiting: number; oldestSeconds: number; leased: number }>(
      `select count(*) filter (where ${isFree}) as waiting,
              count(*) filter (where not ${isFree}) as leased,
              coalesce(extract(epoch from $1::timestamptz - min(${since}) filter (where ${isFree})), 0)::float8 as "oldestSeconds"
         from webhook_deliveries delivery
         join webhooks webhook on webhook.id = delivery.webhook_id
        where delivery.due_at <= $1 and ${isSending("$1")}`,
      [now],
    );
    return row!;
  },
};

const isoTime = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Those of these webhooks that may be sent to. */
export async function listTargetsAcrossOrgs(db: Queryable, webhookIds: string[]): Promise<Target[]> {
  return await db.query<Target>(
    {
      name: "webhook_targets",
      text: `select id, org_id as "orgId", url, signing, sealed_secret as "sealedSecret", sealed_headers as "sealedHeaders",
           sealed_previous_secret as "sealedPreviousSecret", ${isoTime("previous_until")} as "previousUntil"
           from webhooks
          where id = any($1::uuid[]) and status = 'active' and deleted_at is null`,
    },
    [webhookIds],
  );
}

type EventKey = { orgId: string; sequence: number };

/** Each is looked up by its number: `offset 0` keeps the planner from joining with a scan while it knows nothing of a new table. */
export async function listEventsAcrossOrgs(db: Queryable, keys: EventKey[]): Promise<SealedEvent[]> {
  return await db.query<SealedEvent>(
    {
      name: "webhook_events",
      text: `select event.org_id as "orgId", event.sequence, event.hash, event.id, event.type, event.object_type as "objectType",
           event.object_id as "objectId", event.actor, event.request_id as "requestId", event.data,
           event.occurred_at as "occurredAt"
           from unnest($1::uuid[], $2::bigint[]) as wanted (org_id, sequence)
          cross join lateral (
            select * from events
             where events.org_id = wanted.org_id and events.sequence = wanted.sequence
            offset 0) event`,
    },
    [keys.map(({ orgId }) => orgId), keys.map(({ sequence }) => sequence)],
  );
}

/** A webhook that deliveries are settled for. `version`: of its settings. */
export type SettledWebhook = Health & { id: string; orgId: string; version: number };

/** Locked before their deliveries, as by every change of a webhook, and in the order of their ids. */
export async function lockHealthAcrossOrgs(tx: Tx, webhookIds: string[]): Promise<SettledWebhook[]> {
  return await tx.query<SettledWebhook>(
    {
      name: "webhooks_lock_health",
      text: `select id, org_id as "orgId", version, status, disabled_reason as "disabledReason", ordering,
           max_in_flight as "maxInFlight", concurrency, consecutive_failures as "consecutiveFailures",
           last_error as "lastError", ${isoTime("wait_until")} as "waitUntil", ${isoTime("failing_since")} as "failingSince",
           ${isoTime("failing_reported_at")} as "failingReportedAt", ${isoTime("last_success_at")} as "lastSuccessAt",
           ${isoTime("last_failure_at")} as "lastFailureAt"
           from webhooks
          where id = any($1::uuid[])
          order by id for update`,
    },
    [webhookIds],
  );
}

export function saveHealth(tx: Tx, webhooks: SettledWebhook[]): void {
  const records = webhooks.map(
    ({ orgId: _orgId, version: _version, ordering: _ordering, maxInFlight: _max, ...health }) => health,
  );
  tx.queue(
    {
      name: "webhooks_save_health",
      text: `update webhooks webhook
            set status = settled.status,
                disabled_reason = settled."disabledReason",
                concurrency = settled.concurrency,
                wait_until = settled."waitUntil",
                consecutive_failures = settled."consecutiveFailures",
                failing_since = settled."failingSince",
                failing_reported_at = settled."failingReportedAt",
                last_success_at = settled."lastSuccessAt",
                last_failure_at = settled."lastFailureAt",
                last_error = settled."lastError"
           from jsonb_to_recordset($1::jsonb) as settled (id uuid, status text, "disabledReason" text, concurrency integer,
             "waitUntil" timestamptz, "consecutiveFailures" integer, "failingSince" timestamptz,
             "failingReportedAt" timestamptz, "lastSuccessAt" timestamptz, "lastFailureAt" timestamptz, "lastError" jsonb)
          where webhook.id = settled.id`,
    },
    [JSON.stringify(records)],
  );
}

/** The outcome of one attempt, and the state of its delivery after it. `owner`: of the lease it was sent under. */
export type Settlement = { delivery: LeasedDelivery; owner: string; outcome: Outcome; ending: Ending };

/**
 * Writes attempts into their deliveries and releases the leases. Returns the ids written: a delivery whose lease is another
 * owner's by now is not among them, nor is one that an earlier call has settled whose response was lost.
 *
 * All lookups are by primary key: the arrays keep the planner from scanning the table. The previous attempt moves to its own
 * table. A delivery that was skipped while its request was in flight has no due time: it stays skipped unless it was delivered.
 */
export async function settleDeliveries(tx: Tx, settlements: Settlement[]): Promise<Set<string>> {
  const records = settlements.map(({ delivery, owner, outcome, ending }) => ({
    id: delivery.id,
    owner,
    status: ending.status,
    tries: ending.tries,
    next_try_at: ending.nextTryAt,
    due_at: ending.dueAt,
    // As text: JSON.stringify is twice as fast without values that have a toJSON method.
    at: outcome.at.toISOString(),
    duration_ms: outcome.durationMs,
    http_status: outcome.status,
    error: outcome.error,
    headers: outcome.headers,
    answer: outcome.answer,
  }));
  const rows = await tx.query<{ id: string }>(
    {
      name: "webhook_deliveries_settle",
      text: `with settled as (
           select * from jsonb_to_recordset($1::jsonb) as settled (id uuid, owner uuid, status text, tries integer,
             next_try_at timestamptz, due_at timestamptz, at timestamptz, duration_ms integer, http_status integer,
             error jsonb, headers jsonb, answer text)),
         held as (
           select delivery.*
             from webhook_deliveries delivery
             join settled on settled.id = delivery.id and settled.owner = delivery.lease_owner
            where delivery.id = any(array(select id from settled))
            order by delivery.id for update of delivery),
         previous_attempts as (
           insert into webhook_attempts (delivery_id, number, org_id, at, duration_ms, status, error, headers, answer)
           select id, attempt_count, org_id, attempt_at, duration_ms, last_status, last_error, headers, answer
             from held
            where attempt_at is not null)
         update webhook_deliveries delivery
            set ${settledColumns}
           from settled join held on held.id = settled.id
          where delivery.id = settled.id and delivery.id = any(array(select id from held))
         returning delivery.id`,
    },
    [JSON.stringify(records)],
  );
  return new Set(rows.map(({ id }) => id));
}

const staysSkipped = "held.due_at is null and settled.status <> 'delivered'";
const settledColumns = `status = case when ${staysSkipped} then held.status else settled.status end,
  tries = settled.tries,
  attempt_count = held.attempt_count + 1,
  next_try_at = case when ${staysSkipped} then null else settled.next_try_at end,
  due_at = case
    when ${staysSkipped} or settled.status <> 'pending' then null
    when held.due_at = '-infinity' then held.due_at
    else coalesce(settled.due_at, held.due_at) end,
  ended_at = case when ${staysSkipped} then held.ended_at when settled.status <> 'pending' then settled.at end,
  attempt_at = settled.at,
  duration_ms = settled.duration_ms,
  last_status = settled.http_status,
  last_error = settled.error,
  headers = settled.headers,
  answer = settled.answer,
  lease_owner = null,
  lease_until = null,
  lease_attempts = 0`;
