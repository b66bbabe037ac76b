import type { Queryable, Tx } from "../../../db/database.ts";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import type { LeasedRow, Leases } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import type { Webhook } from "../webhooks.schemas.ts";
import type { Health } from "../webhooks.store.ts";
import type { Ending, Outcome } from "./delivery-outcome.ts";

/** An endpoint, as much of it as is needed to send something there. */
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

type EventJson = Omit<SealedEvent, "hash" | "occurredAt"> & { hash: string; occurredAt: string };

export type DeliveryRow = LeasedRow & {
  webhook_id: string;
  tries: number;
  attempt_count: number;
  next_try_at: Date | null;
  lease_attempts: number;
  epoch: number;
  target: Target;
  event: EventJson;
};

export function eventOf({ event }: DeliveryRow): SealedEvent {
  return { ...event, hash: Buffer.from(event.hash, "hex"), occurredAt: new Date(event.occurredAt) };
}

const targetColumn = `(select json_build_object('id', w.id, 'orgId', w.org_id, 'url', w.url, 'signing', w.signing,
    'sealedSecret', w.sealed_secret, 'sealedPreviousSecret', w.sealed_previous_secret, 'previousUntil', w.previous_until,
    'sealedHeaders', w.sealed_headers) from webhooks w where w.id = t.webhook_id) as target`;
const eventColumn = `(select json_build_object('orgId', e.org_id, 'sequence', e.sequence, 'hash', encode(e.hash, 'hex'),
    'id', e.id, 'type', e.type, 'objectType', e.object_type, 'objectId', e.object_id, 'actor', e.actor,
    'requestId', e.request_id, 'data', e.data, 'occurredAt', e.occurred_at)
    from events e where e.org_id = t.org_id and e.sequence = t.sequence) as event`;

const isSending = (now: string): string =>
  `w.status = 'active' and w.deleted_at is null and (w.wait_until is null or w.wait_until <= ${now})`;
const isFree = "(d.lease_owner is null or d.lease_until <= now())";

const leases = leasesOn<DeliveryRow>({
  table: "webhook_deliveries",
  columns: `t.id, t.org_id, t.webhook_id, t.tries, t.attempt_count, t.next_try_at, t.lease_attempts, t.epoch,
    ${targetColumn}, ${eventColumn}`,
  attempts: "lease_attempts",
  lane: {
    column: "webhook_id",
    // Not a column of the row: an endpoint that fails gets fewer places from one moment to the next.
    limit: (now) => `coalesce((select w.places from webhooks w where w.id = t.webhook_id and ${isSending(now)}), 0)`,
  },
  onClaim: () => "epoch = t.epoch + 1",
  clock: "hub",
  leaseMs: 30_000,
});

export const deliveryLeases: Leases<DeliveryRow> = {
  ...leases,
  // What waits for an endpoint that is paused or fails is no backlog. `due_at` of the others is their place in the order.
  async countAcrossOrgs(db, now) {
    const [row] = await db.query<{ waiting: number; oldestSeconds: number; leased: number }>(
      `select count(*) filter (where ${isFree}) as waiting, count(*) filter (where not ${isFree}) as leased,
         coalesce(extract(epoch from $1::timestamptz - min(greatest(d.created_at, d.next_try_at)) filter (where ${isFree})), 0)::float8
           as "oldestSeconds"
         from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.due_at <= $1 and ${isSending("$1")}`,
      [now],
    );
    return row!;
  },
};

export type Look = { isDue: boolean; isBehind: boolean; isAny: boolean };

/** One cheap look for all that may have to be done: what to send, what to plan, and whether there is anybody at all. */
export async function lookForWorkAcrossOrgs(db: Queryable, now: Date): Promise<Look> {
  const [row] = await db.query<Look>(
    {
      name: "webhooks_look",
      text: `select exists (select from webhooks w where ${isSending("$1")} and exists (select from webhook_deliveries d
           where d.webhook_id = w.id and d.due_at <= $1 and ${isFree})) as "isDue",
         exists (select from webhooks w join audit_heads h using (org_id)
           where w.status = 'active' and w.deleted_at is null and (w.cursor < h.sequence
             or exists (select from webhook_resends r where r.webhook_id = w.id))) as "isBehind",
         exists (select from webhooks where deleted_at is null) as "isAny"`,
    },
    [now],
  );
  return row!;
}

/** So many deliveries of a webhook wait in the table; what comes behind them waits in the log. */
const mostWaiting = 1_000;
/** More are planned when it has fewer than that: not one by one. */
export const fewWaiting = 500;
/** So many entries of the log are looked through at a time. */
const windowSize = 10_000;
const planAtOnce = 50;

type Behind = {
  id: string;
  orgId: string;
  types: string[];
  isStrict: boolean;
  cursor: number;
  head: number;
  waiting: number;
};

const waitingOf = `(select count(*) from (select from webhook_deliveries d
  where d.webhook_id = w.id and d.due_at is not null limit ${mostWaiting}) n)`;

const isBehind = `w.status = 'active' and w.deleted_at is null and w.cursor < h.sequence and ${waitingOf} < ${fewWaiting}`;

/**
 * Those that the log has more for, and that have room, or one of them. What somebody else has locked is left to them, unless
 * it is asked for. When there are too many for one time, one of each organization comes before a second one of any.
 */
export async function lockBehindAcrossOrgs(tx: Tx, only: string | undefined): Promise<Behind[]> {
  return await tx.query<Behind>(
    `with turns as (select w.id, row_number() over (partition by w.org_id order by w.cursor, w.id) as turn
         from webhooks w join audit_heads h using (org_id) where ${isBehind} and ($1::uuid is null or w.id = $1)),
       next as (select id from turns order by turn, random() limit ${planAtOnce})
     select w.id, w.org_id as "orgId", w.types, w.ordering = 'strict' as "isStrict", w.cursor, h.sequence as head,
       ${waitingOf} as waiting
       from webhooks w join audit_heads h using (org_id) where w.id in (select id from next) and ${isBehind}
      order by w.id for update of w ${only === undefined ? "skip locked" : ""}`,
    [only ?? null],
  );
}

/**
 * Whether the log has more for some, or something is to be sent again; and whether it has more for some that have room, so
 * that somebody else must have them locked.
 */
export async function findBehindAcrossOrgs(db: Queryable): Promise<{ isMore: boolean; isLocked: boolean }> {
  const [row] = await db.query<{ isMore: boolean; isLocked: boolean }>(
    {
      name: "webhooks_behind",
      text: `select count(*) > 0 or exists (select from webhook_resends r join webhooks w on w.id = r.webhook_id
           where w.status = 'active' and w.deleted_at is null) as "isMore", coalesce(bool_or(${waitingOf} < ${fewWaiting}), false) as "isLocked"
         from webhooks w join audit_heads h using (org_id)
        where w.status = 'active' and w.deleted_at is null and w.cursor < h.sequence`,
    },
    [],
  );
  return row!;
}

/**
 * In strict order a place in the order that depends on no clock: the number of the event. Else the time, with a start of a
 * minute: neither nodes whose clocks differ nor retries that came due meanwhile hold up what is fresh.
 */
const placeOf = (isStrict: string, sequence: string, nth: string): string =>
  `case when ${isStrict} then timestamptz 'epoch' + ${sequence} * interval '1 microsecond'
        else $2::timestamptz - interval '1 minute' + ${nth} * interval '1 microsecond' end`;

/** From the beginning of its plan of retries. */
const again = `status = 'waiting', tries = 0, next_try_at = null, ended_at = null, due_at = excluded.due_at`;

type Portion = { id: string; found: number; lookedTo: number };

/**
 * Each gets its deliveries and moves on, in the one transaction. Returns how far each has looked. Put back to an earlier
 * cursor it meets those that it had: what was not delivered is due once more.
 */
export async function planAcrossOrgs(
  tx: Tx,
  behind: (Behind & { expanded: readonly string[] })[],
  now: Date,
): Promise<Portion[]> {
  const records = behind.map(({ id, orgId, isStrict, cursor, head, waiting, expanded }) => ({
    id,
    org_id: orgId,
    is_strict: isStrict,
    cursor,
    until: Math.min(head, cursor + windowSize),
    room: mostWaiting - waiting,
    types: expanded,
  }));
  return await tx.query<Portion>(
    {
      name: "webhooks_plan",
      text: `with b as (select * from jsonb_to_recordset($1::jsonb) as b (id uuid, org_id uuid, is_strict boolean, cursor bigint,
             until bigint, room integer, types text[])),
         found as (select b.id as webhook_id, b.org_id, b.is_strict, e.* from b cross join lateral (
             select e.id, e.sequence, e.type, row_number() over (order by e.sequence) as nth from events e
              where e.org_id = b.org_id and e.sequence > b.cursor and e.sequence <= b.until and e.type = any(b.types)
              order by e.sequence limit b.room) e),
         made as (insert into webhook_deliveries as d (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
             select org_id, webhook_id, id, sequence, type, $2, ${placeOf("is_strict", "sequence", "nth")} from found
             on conflict (webhook_id, sequence) do update set ${again} where d.status in ('skipped', 'failed')),
         looked as (select b.id, count(f.sequence) as found,
             case when count(f.sequence) = b.room then max(f.sequence) else b.until end as looked_to
             from b left join found f on f.webhook_id = b.id group by b.id, b.room, b.until)
         update webhooks w set cursor = l.looked_to from looked l where w.id = l.id
         returning w.id, l.found, l.looked_to as "lookedTo"`,
    },
    [JSON.stringify(records), now],
  );
}

type Resend = {
  id: string;
  orgId: string;
  webhookId: string;
  after: number;
  until: number;
  names: string[];
  onlyFailed: boolean;
  isStrict: boolean;
};

/** So few at a time that fresh ones do not wait long behind them. */
const resendAtOnce = 100;

/** Of each webhook the oldest one, while nothing else waits there. */
export async function lockResendsAcrossOrgs(tx: Tx): Promise<Resend[]> {
  return await tx.query<Resend>(
    `select r.id, w.org_id as "orgId", w.id as "webhookId", r.after_sequence as after, r.until_sequence as until,
       coalesce(r.types, w.types) as names, r.only_failed as "onlyFailed", w.ordering = 'strict' as "isStrict"
       from webhooks w cross join lateral
         (select * from webhook_resends r where r.webhook_id = w.id order by r.created_at, r.id limit 1) r
      where w.status = 'active' and w.deleted_at is null and ${waitingOf} < ${resendAtOnce / 2}
      order by random() limit ${planAtOnce} for update of w skip locked`,
  );
}

/** The resend moves on, and is gone when it has come to its end. */
export async function resendPortion(
  tx: Tx,
  resend: Resend,
  types: readonly string[],
  now: Date,
): Promise<{ count: number; isFinished: boolean }> {
  const { id, orgId, webhookId, after, until, onlyFailed, isStrict } = resend;
  const end = onlyFailed ? until : Math.min(until, after + windowSize);
  const source = onlyFailed
    ? `select event_id as id, sequence, type from webhook_deliveries
        where webhook_id = $4 and status = 'failed' and sequence > $5 and sequence <= $6 and type = any($7)`
    : `select id, sequence, type from events where org_id = $3 and sequence > $5 and sequence <= $6 and type = any($7)`;
  const rows = await tx.query<{ sequence: number }>(
    `with found as (select *, row_number() over (order by sequence) as nth from
         (${source} order by sequence limit ${resendAtOnce}) s),
       made as (insert into webhook_deliveries as d (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
         select $3, $4, id, sequence, type, $2, ${placeOf("$1::boolean", "sequence", "nth")} from found
         on conflict (webhook_id, sequence) do update set ${again} where d.status <> 'waiting')
     select sequence from found order by sequence`,
    [isStrict, now, orgId, webhookId, after, end, types],
  );
  const isFull = rows.length === resendAtOnce;
  const looked = isFull ? rows.at(-1)!.sequence : end;
  const isFinished = looked >= until;
  if (isFinished) await tx.query("delete from webhook_resends where id = $1", [id]);
  else await tx.query("update webhook_resends set after_sequence = $2 where id = $1", [id, looked]);
  return { count: rows.length, isFinished };
}

/** How an endpoint is doing, to be changed by what was sent there. In the order of their ids, as everybody locks them. */
export async function lockHealthAcrossOrgs(
  tx: Tx,
  ids: string[],
): Promise<(Health & { id: string; orgId: string; version: number })[]> {
  const moments = ["wait_until", "failing_since", "failing_told_at", "last_success_at", "last_failure_at"];
  const [waitUntil, failingSince, failingToldAt, lastSuccessAt, lastFailureAt] = moments.map(
    (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  );
  return await tx.query(
    {
      name: "webhooks_lock_health",
      text: `select id, org_id as "orgId", version, status, disabled_reason as "disabledReason", ordering,
         max_in_flight as "maxInFlight", places, consecutive_failures as "consecutiveFailures", last_error as "lastError",
         ${waitUntil} as "waitUntil", ${failingSince} as "failingSince", ${failingToldAt} as "failingToldAt",
         ${lastSuccessAt} as "lastSuccessAt", ${lastFailureAt} as "lastFailureAt"
         from webhooks where id = any($1::uuid[]) order by id for update`,
    },
    [ids],
  );
}

export async function saveHealthAcrossOrgs(tx: Tx, changed: (Health & { id: string })[]): Promise<void> {
  await tx.query(
    {
      name: "webhooks_save_health",
      text: `update webhooks w set status = u.status, disabled_reason = u."disabledReason", places = u.places,
           wait_until = u."waitUntil", consecutive_failures = u."consecutiveFailures", failing_since = u."failingSince",
           failing_told_at = u."failingToldAt", last_success_at = u."lastSuccessAt", last_failure_at = u."lastFailureAt",
           last_error = u."lastError"
         from jsonb_to_recordset($1::jsonb) as u (id uuid, status text, "disabledReason" text, places integer,
           "waitUntil" timestamptz, "consecutiveFailures" integer, "failingSince" timestamptz, "failingToldAt" timestamptz,
           "lastSuccessAt" timestamptz, "lastFailureAt" timestamptz, "lastError" jsonb) where w.id = u.id`,
    },
    [JSON.stringify(changed)],
  );
}

type Held = Pick<DeliveryRow, "id" | "epoch">;

/** Those that are still whose they were when they were taken. */
export async function lockOwnAcrossOrgs(tx: Tx, held: Held[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    {
      name: "webhook_deliveries_lock_own",
      text: `select d.id from webhook_deliveries d join unnest($1::uuid[], $2::int[]) as u (id, epoch) using (id)
         where d.epoch = u.epoch and d.lease_owner is not null order by d.id for update of d`,
    },
    [held.map(({ id }) => id), held.map(({ epoch }) => epoch)],
  );
  return new Set(rows.map(({ id }) => id));
}

export type Settlement = { delivery: DeliveryRow; ending: Ending; outcome: Outcome | undefined };

/** Ends the leases. Without an outcome nothing was sent: it is as it was before it was taken. */
export async function saveEndingsAcrossOrgs(tx: Tx, settlements: Settlement[]): Promise<void> {
  const records = settlements.map(({ delivery, ending, outcome }) => ({
    id: delivery.id,
    org_id: delivery.org_id,
    status: ending.status,
    tries: ending.tries,
    due_at: ending.dueAt,
    next_try_at: ending.nextTryAt,
    number: outcome ? delivery.attempt_count + 1 : null,
    at: outcome?.at,
    duration_ms: outcome?.durationMs,
    http_status: outcome?.status,
    error: outcome?.error ?? null,
    headers: outcome?.headers ?? null,
    answer: outcome?.answer,
  }));
  await tx.query(
    {
      name: "webhook_deliveries_settle",
      text: `with u as (select * from jsonb_to_recordset($1::jsonb) as u (id uuid, org_id uuid, status text, tries integer,
             due_at timestamptz, next_try_at timestamptz, number integer, at timestamptz, duration_ms integer,
             http_status integer, error jsonb, headers jsonb, answer text)),
         logged as (insert into webhook_attempts (delivery_id, number, org_id, at, duration_ms, status, error, headers, answer)
             select id, number, org_id, at, duration_ms, http_status, nullif(error, 'null'), nullif(headers, 'null'), answer
               from u where number is not null)
         update webhook_deliveries d set lease_owner = null, lease_until = null, lease_attempts = 0, status = u.status,
             tries = u.tries, next_try_at = u.next_try_at,
             due_at = case when u.status = 'waiting' then coalesce(u.due_at, d.due_at) end,
             ended_at = case when u.status = 'waiting' then null else u.at end,
             attempt_count = coalesce(u.number, d.attempt_count), last_status = case when u.number is null then d.last_status else u.http_status end,
             last_error = case when u.number is null then d.last_error else nullif(u.error, 'null') end
           from u where d.id = u.id`,
    },
    [JSON.stringify(records)],
  );
}

export type Taken = { delivery: DeliveryRow; outcome: Outcome };

/** A success changes nothing about such an endpoint but when the last one was. */
const isWell = `w.consecutive_failures = 0 and w.failing_since is null and w.wait_until is null and w.last_error is null
  and w.places = case w.ordering when 'strict' then 1 else w.max_in_flight end`;

/**
 * What nearly always happens, in one statement: endpoints that are well have taken what they were sent. Returns those that it
 * has written down; whoever else there is has to be looked at.
 */
export async function saveTakenAcrossOrgs(db: Queryable, taken: Taken[]): Promise<Set<string>> {
  const records = taken.map(({ delivery: { id, epoch }, outcome: { at, durationMs, status, headers, answer } }) => ({
    id,
    epoch,
    at,
    duration_ms: durationMs,
    http_status: status,
    headers,
    answer,
  }));
  const rows = await db.query<{ id: string }>(
    {
      name: "webhook_deliveries_taken",
      text: `with well as (select w.id from webhooks w where w.id = any($2::uuid[]) and ${isWell} order by w.id for update),
         u as (select * from jsonb_to_recordset($1::jsonb) as u (id uuid, epoch integer, at timestamptz, duration_ms integer,
             http_status integer, headers jsonb, answer text)),
         ended as (update webhook_deliveries d set lease_owner = null, lease_until = null, lease_attempts = 0, status = 'delivered',
             tries = d.tries + 1, next_try_at = null, due_at = null, ended_at = u.at, attempt_count = d.attempt_count + 1,
             last_status = u.http_status, last_error = null
           from u where d.id = u.id and d.epoch = u.epoch and d.lease_owner is not null and d.webhook_id in (select id from well)
           returning d.id, d.org_id, d.webhook_id, d.attempt_count, u.at, u.duration_ms, u.http_status, u.headers, u.answer),
         logged as (insert into webhook_attempts (delivery_id, number, org_id, at, duration_ms, status, headers, answer)
           select id, attempt_count, org_id, at, duration_ms, http_status, nullif(headers, 'null'), answer from ended),
         told as (update webhooks w set last_success_at = greatest(w.last_success_at, e.at)
           from (select webhook_id, max(at) as at from ended group by webhook_id) e where w.id = e.webhook_id)
         select id from ended`,
    },
    [JSON.stringify(records), [...new Set(taken.map(({ delivery }) => delivery.webhook_id))]],
  );
  return new Set(rows.map(({ id }) => id));
}
