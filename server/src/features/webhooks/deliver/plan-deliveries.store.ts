import type { Queryable, Tx } from "../../../db/database.ts";

/** Entries of the log examined for a webhook at a time, and deliveries planned for it at most. */
const windowSize = 10_000;
const batchSize = 500;
/** No more are planned for a webhook with this many due deliveries: the others wait in the log, which costs nothing. */
const maxPending = 500;
const webhooksAtOnce = 50;

/** A position before every time: with strict ordering `sequence` alone orders deliveries. */
const dueTimeOf = (isStrict: boolean, now: Date): string => (isStrict ? "-infinity" : now.toISOString());

/** A delivery starts over with its retry schedule. */
const startsOver = "status = 'pending', tries = 0, next_try_at = null, ended_at = null, due_at = excluded.due_at";

export type Behind = {
  id: string;
  orgId: string;
  types: string[];
  ordering: "none" | "strict";
  cursor: number;
  head: number;
};

const isActive = "webhook.status = 'active' and webhook.deleted_at is null";
const isBehind = `${isActive} and webhook.cursor < head.sequence`;
const hasRoom = `(
  select count(*) from (
    select from webhook_deliveries delivery
     where delivery.webhook_id = webhook.id and delivery.due_at <= $1
     limit ${maxPending}) due) < ${maxPending}`;
const hasNothingDue = `not exists (
  select from webhook_deliveries delivery
   where delivery.webhook_id = webhook.id and delivery.due_at <= $1)`;
const hasResend = "exists (select from webhook_resends resend where resend.webhook_id = webhook.id)";
const behindColumns = `webhook.id, webhook.org_id as "orgId", webhook.types, webhook.ordering, webhook.cursor, head.sequence as head`;

/**
 * Webhooks with entries of the log after their cursor and room for more deliveries: one of each organization before a second
 * one of any. There are at most 100 webhooks per organization, so they are read in full; those locked by another process are
 * being planned there.
 */
export async function lockBehindAcrossOrgs(tx: Tx, now: Date): Promise<Behind[]> {
  return await tx.query<Behind>(
    {
      name: "webhooks_lock_behind",
      text: `with behind as (
           select webhook.id, row_number() over (partition by webhook.org_id order by webhook.cursor, webhook.id) as round
             from webhooks webhook
             join audit_heads head using (org_id)
            where ${isBehind} and ${hasRoom}),
         next as (
           select id from behind order by round, random() limit ${webhooksAtOnce})
         select ${behindColumns}
           from webhooks webhook
           join audit_heads head using (org_id)
          where webhook.id in (select id from next) and ${isBehind}
          order by webhook.id for update of webhook skip locked`,
    },
    [now],
  );
}

/** The webhook, if it is active: for a request that lists its deliveries. */
export async function lockOneBehind(tx: Tx, orgId: string, id: string, now: Date): Promise<Behind[]> {
  return await tx.query<Behind>(
    `select ${behindColumns}
       from webhooks webhook
       join audit_heads head using (org_id)
      where webhook.org_id = $2 and webhook.id = $3 and ${isBehind} and ${hasRoom}
        for update of webhook`,
    [now, orgId, id],
  );
}

/**
 * Creates deliveries for the next entries of each webhook's types, and moves its cursor past them, or to the end of the window
 * if there are fewer. Webhooks whose cursor was moved back meet existing deliveries: those that were not delivered start over.
 *
 * Entries are read in the order of the log by its index (org_id, sequence); the window bounds the scan for rare types.
 */
export async function planAcrossOrgs(
  tx: Tx,
  behind: (Behind & { wanted: readonly string[] })[],
  now: Date,
): Promise<number> {
  const records = behind.map(({ id, orgId, cursor, head, wanted, ordering }) => ({
    id,
    org_id: orgId,
    cursor,
    until: Math.min(head, cursor + windowSize),
    types: wanted,
    due_at: dueTimeOf(ordering === "strict", now),
  }));
  const rows = await tx.query<{ count: number }>(
    {
      name: "webhook_deliveries_plan",
      text: `with behind as (
           select * from jsonb_to_recordset($1::jsonb)
             as behind (id uuid, org_id uuid, cursor bigint, until bigint, types text[], due_at timestamptz)),
         found as (
           select behind.id as webhook_id, behind.org_id, behind.due_at, event.*
             from behind
            cross join lateral (
              select event.id as event_id, event.sequence, event.type
                from events event
               where event.org_id = behind.org_id
                 and event.sequence > behind.cursor
                 and event.sequence <= behind.until
                 and event.type = any(behind.types)
               order by event.sequence
               limit ${batchSize}) event),
         planned as (
           insert into webhook_deliveries as delivery (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
           select org_id, webhook_id, event_id, sequence, type, $2, due_at from found
           on conflict (webhook_id, sequence) do update set ${startsOver} where delivery.status in ('skipped', 'failed')),
         reached as (
           select webhook_id, count(*) as count, max(sequence) as last from found group by webhook_id)
         update webhooks webhook
            set cursor = case when reached.count = ${batchSize} then reached.last else behind.until end
           from behind
           left join reached on reached.webhook_id = behind.id
          where webhook.id = behind.id
         returning coalesce(reached.count, 0) as count`,
    },
    [JSON.stringify(records), now],
  );
  return rows.reduce((sum, { count }) => sum + count, 0);
}

export type Resend = {
  id: string;
  webhookId: string;
  orgId: string;
  ordering: "none" | "strict";
  after: number;
  until: number;
  types: string[];
  onlyFailed: boolean;
};

/** The oldest resend request of each webhook that has nothing else to send. */
export async function lockResendsAcrossOrgs(tx: Tx, now: Date): Promise<Resend[]> {
  return await tx.query<Resend>(
    `select resend.id, webhook.id as "webhookId", webhook.org_id as "orgId", webhook.ordering,
            resend.after_sequence as after, resend.until_sequence as until, coalesce(resend.types, webhook.types) as types,
            resend.only_failed as "onlyFailed"
       from webhooks webhook
      cross join lateral (
        select * from webhook_resends
         where webhook_id = webhook.id
         order by created_at, id
         limit 1) resend
      where ${isActive} and ${hasNothingDue}
      order by webhook.id
      limit ${webhooksAtOnce}
        for update of webhook skip locked`,
    [now],
  );
}

/** Small, so that new events do not wait long behind them. */
const resendBatchSize = 100;

/** Makes the next deliveries of a resend request due; the request moves on, and is deleted at its end. */
export async function resendBatch(tx: Tx, resend: Resend, wanted: readonly string[], now: Date): Promise<number> {
  const { id, webhookId, orgId, ordering, after, until, onlyFailed } = resend;
  const end = onlyFailed ? until : Math.min(until, after + windowSize);
  const source = onlyFailed
    ? `select event_id, sequence, type from webhook_deliveries
        where webhook_id = $3 and status = 'failed' and sequence > $5 and sequence <= $6 and type = any($7)`
    : `select id as event_id, sequence, type from events
        where org_id = $2 and sequence > $5 and sequence <= $6 and type = any($7)`;
  const rows = await tx.query<{ sequence: number }>(
    `with found as (
       ${source} order by sequence limit ${resendBatchSize}),
     planned as (
       insert into webhook_deliveries as delivery (org_id, webhook_id, event_id, sequence, type, created_at, due_at)
       select $2, $3, event_id, sequence, type, $1, $4::timestamptz from found
       on conflict (webhook_id, sequence) do update set ${startsOver} where delivery.status <> 'pending')
     select sequence from found order by sequence`,
    [now, orgId, webhookId, dueTimeOf(ordering === "strict", now), after, end, wanted],
  );
  const reached = rows.length === resendBatchSize ? rows.at(-1)!.sequence : end;
  if (reached >= until) await tx.query("delete from webhook_resends where id = $1", [id]);
  else await tx.query("update webhook_resends set after_sequence = $2 where id = $1", [id, reached]);
  return rows.length;
}

/**
 * `isLeft`: some webhooks have more to plan. `isPlannable`: some of them have room now; another process had them locked.
 * `isResendReady`: a resend request can be planned. `isDue`: a delivery is due.
 */
export type LeftToDo = { isLeft: boolean; isPlannable: boolean; isResendReady: boolean; isDue: boolean };

/** One query for the poll of planning and of sending. */
export async function findLeftAcrossOrgs(db: Queryable, now: Date): Promise<LeftToDo> {
  const isAny = (more: string): string =>
    `exists (select from webhooks webhook join audit_heads head using (org_id) where ${more})`;
  const [row] = await db.query<LeftToDo>(
    {
      name: "webhooks_left",
      text: `select ${isAny(`(${isBehind}) or (${isActive} and ${hasResend})`)} as "isLeft",
           ${isAny(`${isBehind} and ${hasRoom}`)} as "isPlannable",
           ${isAny(`${isActive} and ${hasResend} and ${hasNothingDue}`)} as "isResendReady",
           exists (
             select from webhook_deliveries
              where due_at <= $1 and (lease_owner is null or lease_until <= now())) as "isDue"`,
    },
    [now],
  );
  return row!;
}

/** Retries keep their time. */
export async function rewindDueAcrossOrgs(db: Queryable, now: Date): Promise<void> {
  await db.query("update webhook_deliveries set due_at = $1 where due_at > $1 and tries = 0", [now]);
}
