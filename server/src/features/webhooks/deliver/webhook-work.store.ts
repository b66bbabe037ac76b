import type { Queryable, Tx } from "../../../db/database.ts";
import type { SealedEvent } from "../../../events/event-envelope.ts";
import type { LeasedRow, Leases } from "../../../queue/leases.ts";
import { leasesOn } from "../../../queue/leases.ts";
import type { Webhook } from "../webhooks.schemas.ts";
import type { Health } from "../webhooks.store.ts";

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

/** What whoever has leased a webhook knows of it. `version`: of what people have set. */
export type WebhookState = Target & Health & { version: number; types: string[]; cursor: number };

const moments = [
  "previous_until",
  "wait_until",
  "failing_since",
  "failing_told_at",
  "last_success_at",
  "last_failure_at",
];
const [previousUntil, waitUntil, failingSince, failingToldAt, lastSuccessAt, lastFailureAt] = moments.map(
  (name) => `to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
);
const stateColumns = `t.id, t.org_id as "orgId", t.version, t.types, t.cursor, t.url, t.signing, t.sealed_secret as "sealedSecret",
  t.sealed_previous_secret as "sealedPreviousSecret", ${previousUntil} as "previousUntil", t.sealed_headers as "sealedHeaders",
  t.status, t.disabled_reason as "disabledReason", t.ordering, t.max_in_flight as "maxInFlight", t.places,
  t.consecutive_failures as "consecutiveFailures", t.last_error as "lastError", ${waitUntil} as "waitUntil",
  ${failingSince} as "failingSince", ${failingToldAt} as "failingToldAt", ${lastSuccessAt} as "lastSuccessAt",
  ${lastFailureAt} as "lastFailureAt"`;

export type LeasedWebhook = LeasedRow & WebhookState & { lease_attempts: number; epoch: number };

const isSending = (now: string): string =>
  `t.status = 'active' and t.deleted_at is null and (t.wait_until is null or t.wait_until <= ${now})`;
const isDue = (now: string): string =>
  `exists (select from webhook_deliveries d where d.webhook_id = t.id and d.due_at <= ${now})`;
const isReady = (now: string): string =>
  `${isSending(now)} and (t.found > t.cursor or ${isDue(now)} or exists (select from webhook_resends r where r.webhook_id = t.id))`;
const isFree = "(t.lease_owner is null or t.lease_until <= now())";

const leases = leasesOn<LeasedWebhook>({
  table: "webhooks",
  columns: `t.org_id, t.lease_attempts, t.epoch, ${stateColumns}`,
  attempts: "lease_attempts",
  onClaim: () => "epoch = t.epoch + 1",
  isReady,
  clock: "hub",
  leaseMs: 15_000,
});

export const webhookLeases: Leases<LeasedWebhook> = {
  ...leases,
  // What waits for an endpoint that is paused or fails is no backlog.
  async countAcrossOrgs(db, now) {
    const [row] = await db.query<{ waiting: number; oldestSeconds: number; leased: number }>(
      `select count(*) filter (where ${isFree}) as waiting, count(*) filter (where not ${isFree}) as leased,
         coalesce(extract(epoch from $1::timestamptz - min(s.since) filter (where ${isFree})), 0)::float8 as "oldestSeconds"
         from webhooks t cross join lateral (select least(
           (select e.occurred_at from events e where e.org_id = t.org_id and e.sequence = t.found and t.found > t.cursor),
           (select min(greatest(d.created_at, d.next_try_at)) from webhook_deliveries d
             where d.webhook_id = t.id and d.due_at <= $1)) as since) s
        where ${isSending("$1")} and (s.since is not null or not ${isFree})`,
      [now],
    );
    return row!;
  },
};

/** Those for which nobody has looked at the end of the log; whoever has leased one looks for it. */
const isBehind = `t.status = 'active' and t.deleted_at is null and t.cursor < h.sequence and t.found <= t.cursor and ${isFree}`;

export type Look = { isReady: boolean; isBehind: boolean; isAny: boolean };

/** One cheap look for all that may have to be done: what to send, where to look, and whether there is anybody at all. */
export async function lookForWorkAcrossOrgs(db: Queryable, now: Date): Promise<Look> {
  const [row] = await db.query<Look>(
    `select exists (select from webhooks t where ${isReady("$1::timestamptz")} and ${isFree}) as "isReady",
       exists (select from webhooks t join audit_heads h using (org_id) where ${isBehind}) as "isBehind",
       exists (select from webhooks where deleted_at is null) as "isAny"`,
    [now],
  );
  return row!;
}

/** So many entries of the log are looked through at a time. */
export const windowSize = 10_000;
const lookAtOnce = 50;

export type Behind = { id: string; orgId: string; types: string[]; cursor: number; head: number };

/**
 * Those that the log may have more for. What somebody else has locked is left to them. When there are too many for one time,
 * one of each organization comes before a second one of any.
 */
export async function lockBehindAcrossOrgs(tx: Tx): Promise<Behind[]> {
  return await tx.query<Behind>({
    name: "webhooks_lock_behind",
    text: `with turns as (select t.id, row_number() over (partition by t.org_id order by t.cursor, t.id) as turn
         from webhooks t join audit_heads h using (org_id) where ${isBehind}),
       next as (select id from turns order by turn, random() limit ${lookAtOnce})
     select t.id, t.org_id as "orgId", t.types, t.cursor, h.sequence as head
       from webhooks t join audit_heads h using (org_id) where t.id in (select id from next) and ${isBehind}
      order by t.id for update of t skip locked`,
  });
}

/** Whether there are some that somebody else had locked. */
export async function isAnyBehindAcrossOrgs(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isBehind: boolean }>({
    name: "webhooks_behind",
    text: `select exists (select from webhooks t join audit_heads h using (org_id) where ${isBehind}) as "isBehind"`,
  });
  return row!.isBehind;
}

/** Each moves on to the first entry that is for it, or past what is for others. Returns how many have found one. */
export async function findNextAcrossOrgs(tx: Tx, behind: (Behind & { wanted: readonly string[] })[]): Promise<number> {
  const records = behind.map(({ id, orgId, cursor, head, wanted }) => ({
    id,
    org_id: orgId,
    cursor,
    until: Math.min(head, cursor + windowSize),
    types: wanted,
  }));
  const [row] = await tx.query<{ count: number }>(
    {
      name: "webhooks_find_next",
      text: `with b as (select * from jsonb_to_recordset($1::jsonb) as b (id uuid, org_id uuid, cursor bigint, until bigint, types text[])),
         looked as (select b.id, b.until, n.sequence as found from b left join lateral (
             select e.sequence from events e where e.org_id = b.org_id and e.sequence > b.cursor and e.sequence <= b.until
                and e.type = any(b.types) order by e.sequence limit 1) n on true),
         moved as (update webhooks t set cursor = coalesce(l.found - 1, l.until), found = coalesce(l.found, t.found)
             from looked l where t.id = l.id)
         select count(found) as count from looked`,
    },
    [JSON.stringify(records)],
  );
  return row!.count;
}

/**
 * The next entries of the log that are of some types. However many there are behind them, only so many of each type are looked
 * at: a pair is compared where the type alone would do, since the log in its own order may be thousands of others.
 */
export const nextOfTypes = (
  columns: string,
  { orgId, types, after, until, limit }: Record<"orgId" | "types" | "after" | "until" | "limit", string>,
): string => `select e.* from unnest(${types}::text[]) as t (type), lateral (
     select ${columns} from events e where e.org_id = ${orgId} and (e.type, e.sequence) > (t.type, ${after}::bigint)
        and (e.type, e.sequence) <= (t.type, ${until}::bigint) order by e.type, e.sequence limit ${limit}) e
   order by e.sequence limit ${limit}`;

/** One event for one webhook, and what is known of sending it before. */
export type Delivery = {
  event: SealedEvent;
  tries: number;
  attempts: number;
  nextTryAt: Date | null;
  /** Null: an entry of the log that was never tried, or is to be tried from the beginning. */
  dueAt: Date | null;
};

type NextRow = SealedEvent & Omit<Delivery, "event"> & { lookedTo: number; head: number };

type Wanted = {
  orgId: string;
  webhookId: string;
  types: readonly string[];
  cursor: number;
  /** Under way, or not written down yet. */
  without: number[];
  now: Date;
  /** Of what is due again, and of the log. */
  limit: number;
};

/**
 * What is to be sent next: what is due again, and entries of the log behind the cursor. Put back to an earlier cursor a webhook
 * meets those that it had: what was not delivered is sent once more.
 *
 * Each is looked up by its number: `offset 0` keeps the planner, which may know nothing of new tables, from reading all there
 * is instead.
 */
export async function listNext(
  db: Queryable,
  { orgId, webhookId, types, cursor, without, now, limit }: Wanted,
): Promise<{ next: Delivery[]; lookedTo: number; hasMore: boolean }> {
  const event = `e.org_id as "orgId", e.sequence, e.hash, e.id, e.type, e.object_type as "objectType", e.object_id as "objectId",
    e.actor, e.request_id as "requestId", e.data, e.occurred_at as "occurredAt"`;
  const rows = await db.query<NextRow | { [Key in keyof NextRow]: null }>(
    {
      name: "webhooks_next",
      text: `with bounds as (select h.sequence as head, least(h.sequence, $4::bigint + ${windowSize}) as until
             from audit_heads h where h.org_id = $1),
         behind as (${nextOfTypes("e.sequence", { orgId: "$1", types: "$3", after: "$4", until: "(select until from bounds)", limit: "$7" })}),
         looked as (select b.head, case when n.count = $7 then n.last else b.until end as "lookedTo"
             from bounds b, (select count(*) as count, max(sequence) as last from behind) n),
         again as (select d.sequence, d.tries, d.attempt_count as attempts, d.next_try_at as "nextTryAt", d.due_at as "dueAt"
             from webhook_deliveries d where d.webhook_id = $2 and d.due_at <= $6 and not (d.sequence = any($5::bigint[]))
            order by d.due_at, d.id limit $7),
         fresh as (select e.sequence, 0 as tries, coalesce(d.attempt_count, 0) as attempts, null::timestamptz, null::timestamptz
             from behind e left join lateral (select d.status, d.attempt_count from webhook_deliveries d
                where d.webhook_id = $2 and d.sequence = e.sequence offset 0) d on true
            where (d.status is null or d.status in ('skipped', 'failed')) and not (e.sequence = any($5::bigint[]))),
         found as (select * from again union all select * from fresh)
       select l.head, l."lookedTo", f.tries, f.attempts, f."nextTryAt", f."dueAt", ${event}
         from looked l left join (found f cross join lateral
           (select * from events e where e.org_id = $1 and e.sequence = f.sequence offset 0) e) on true`,
    },
    [orgId, webhookId, types, cursor, without, now, limit],
  );
  const found = rows.filter((row): row is NextRow => row.sequence !== null);
  const next = found.map(({ tries, attempts, nextTryAt, dueAt, lookedTo: _lookedTo, head: _head, ...own }) => {
    return { event: own, tries, attempts, nextTryAt, dueAt };
  });
  const [first] = rows;
  if (!first || first.lookedTo === null) return { next, lookedTo: cursor, hasMore: false };
  const isFullAgain = next.filter(({ dueAt }) => dueAt !== null).length === limit;
  return { next, lookedTo: first.lookedTo, hasMore: first.lookedTo < first.head || isFullAgain };
}

/** Undefined: somebody else has it now. */
export async function findStateAcrossOrgs(
  db: Queryable,
  { id, epoch }: Pick<LeasedWebhook, "id" | "epoch">,
): Promise<WebhookState | undefined> {
  const [row] = await db.query<WebhookState>(
    { name: "webhooks_state", text: `select ${stateColumns} from webhooks t where t.id = $1 and t.epoch = $2` },
    [id, epoch],
  );
  return row;
}

export type Move = { from: number; to: number };

/** Long ago, so that the clock of a preview may be set back: only which of them came first counts. */
const inTheQueue = "$5::timestamptz - interval '10 years'";

/**
 * Nothing is under way, and nobody holds it any longer. It has come so far, unless somebody has put it elsewhere. Who has more to
 * send goes behind the others; for the rest their place stays, since an index is dear where a row changes this often.
 */
export async function restAcrossOrgs(
  db: Queryable,
  { id, epoch }: Pick<LeasedWebhook, "id" | "epoch">,
  { from, to }: Move,
  { hasMore, now }: { hasMore: boolean; now: Date },
): Promise<void> {
  await db.query(
    {
      name: "webhooks_rest",
      text: `update webhooks set cursor = case when cursor = $3 then $4 else cursor end, due_at = case when $6 then ${inTheQueue} else due_at end,
           lease_owner = null, lease_until = null, lease_attempts = 0 where id = $1 and epoch = $2`,
    },
    [id, epoch, from, to, now, hasMore],
  );
}
