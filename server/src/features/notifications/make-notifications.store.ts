import type { Queryable, Tx } from "../../db/database.ts";
import type { StoredSettings } from "./notifications.store.ts";

/** Entries of the log examined for an organization at a time, and events used of them at most. */
const windowSize = 10_000;
const batchSize = 500;
const organizationsAtOnce = 50;

const eventTypes = [
  "operation_run.failed",
  "operation_run.partially_failed",
  "operation_run.carrier_rejected",
  "automation.paused",
  "exception.assigned",
  "exception.commented",
  "exception.opened",
  "exceptions.opened",
];

export type Behind = { orgId: string; cursor: number; head: number };

/** Whether any organization has events that were not read yet: one cheap query while the hub is idle. */
export async function isAnyBehindAcrossOrgs(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select from audit_heads head
       left join notification_cursors known using (org_id)
      where coalesce(known.sequence, 0) < head.sequence
      limit 1`,
  );
  return rows.length === 1;
}

/** New organizations start at their first event. */
export async function addCursorsAcrossOrgs(db: Queryable): Promise<void> {
  await db.query(
    `insert into notification_cursors (org_id, sequence)
     select head.org_id, 0 from audit_heads head
      where not exists (select from notification_cursors known where known.org_id = head.org_id)
     on conflict do nothing`,
  );
}

/** Organizations with entries of the log after their cursor; those locked by another process are being read there. */
export async function lockBehindAcrossOrgs(tx: Tx): Promise<Behind[]> {
  return await tx.query<Behind>(
    `select behind.org_id as "orgId", behind.sequence as cursor, head.sequence as head
       from notification_cursors behind
       join audit_heads head using (org_id)
      where behind.sequence < head.sequence
      order by head.sequence - behind.sequence
      limit ${organizationsAtOnce}
        for update of behind skip locked`,
  );
}

export type Made = { orgId: string; id: string; userId: string };

/**
 * Makes the notifications of the next events of these organizations and moves their cursors, in one statement. Events are read in the
 * order of the log by its index (org_id, sequence); the window bounds the scan for rare types. What a user has done is no news to
 * them. A connection that fails again is no news while the user has not read of it.
 */
export async function makeAcrossOrgs(
  tx: Tx,
  behind: Behind[],
  { defaults, canMail, at }: { defaults: StoredSettings; canMail: boolean; at: Date },
): Promise<Made[]> {
  const records = behind.map(({ orgId, cursor, head }) => ({
    org_id: orgId,
    cursor,
    until: Math.min(head, cursor + windowSize),
  }));
  return await tx.query<Made>(makeStatement, [
    JSON.stringify(records),
    eventTypes,
    JSON.stringify(defaults),
    canMail,
    at,
  ]);
}

const actorName = `coalesce(
             (select author.name from users author
               where author.org_id = found.org_id and author.id::text = found.actor ->> 'id'),
             found.actor ->> 'name')`;

const makeStatement = `with behind as (
    select * from jsonb_to_recordset($1::jsonb) as behind (org_id uuid, cursor bigint, until bigint)),
  found as (
    select behind.org_id, event.*
      from behind
     cross join lateral (
       select event.sequence, event.type, event.object_id, event.actor, event.data
         from events event
        where event.org_id = behind.org_id
          and event.sequence > behind.cursor
          and event.sequence <= behind.until
          and event.type = any($2)
        order by event.sequence
        limit ${batchSize}) event),
  failing as (
    select found.org_id, max(found.sequence) as sequence, (problem.item ->> 'bridgeId')::uuid as bridge_id
      from found
     cross join lateral jsonb_array_elements(
       case when found.type = 'exceptions.opened' then found.data -> 'items' else jsonb_build_array(found.data) end)
         as problem (item)
     where found.type in ('exception.opened', 'exceptions.opened')
       and problem.item ->> 'kind' = 'execution'
       and problem.item ->> 'bridgeId' is not null
     group by 1, 3),
  news as (
    select found.org_id, found.sequence, 'run_failed' as kind, 'operation_run' as object_type, found.object_id,
           found.actor, null::uuid[] as to_users, found.actor ->> 'type' <> 'user' as to_admins, false as to_operators,
           jsonb_build_object('failed', found.data -> 'failed', 'total', found.data -> 'total') as data
      from found
     where found.type like 'operation_run.%' and found.data ->> 'undo_of' is null
    union all
    select found.org_id, found.sequence, 'automation_paused', 'automation', found.object_id, found.actor,
           array[(automation.owner ->> 'id')::uuid], true, false,
           jsonb_build_object('name', automation.name, 'detail', found.data ->> 'message')
      from found
      join automations automation on automation.id = found.object_id
     where found.type = 'automation.paused' and found.data ->> 'reason' <> 'manual'
    union all
    select found.org_id, found.sequence, 'exception_assigned', 'exception', found.object_id, found.actor,
           array[(found.data ->> 'assigneeId')::uuid], false, false,
           jsonb_build_object('by', ${actorName}, 'detail', exception.message)
      from found
      join exceptions exception on exception.id = found.object_id
     where found.type = 'exception.assigned' and found.data ->> 'assigneeId' is not null
    union all
    select found.org_id, found.sequence, 'mention', 'exception', found.object_id, found.actor,
           array(select jsonb_array_elements_text(found.data -> 'mentions')::uuid), false, false,
           jsonb_build_object('by', ${actorName}, 'detail', exception.message)
      from found
      join exceptions exception on exception.id = found.object_id
     where found.type = 'exception.commented'
    union all
    select failing.org_id, failing.sequence, 'connection_failing', 'bridge', failing.bridge_id, '{}', null, true, true,
           jsonb_build_object('name', bridge.name)
      from failing
      join bridges bridge on bridge.id = failing.bridge_id),
  wanted as (
    select news.*, account.id as user_id,
           coalesce(settings.settings -> news.kind, $3::jsonb -> news.kind) as channels
      from news
      join users account
        on account.org_id = news.org_id
       and account.status = 'active'
       and (account.id = any(news.to_users)
         or news.kind = 'run_failed' and account.id::text = news.actor ->> 'id'
         or news.to_admins and account.role = 'admin'
         or news.to_operators and account.role = 'operator')
      left join notification_settings settings on settings.user_id = account.id
     where (news.kind in ('run_failed', 'automation_paused') or account.id::text is distinct from news.actor ->> 'id')
       and not (news.kind = 'connection_failing' and exists (
         select from notifications earlier
          where earlier.org_id = news.org_id
            and earlier.user_id = account.id
            and earlier.kind = news.kind
            and earlier.object_id = news.object_id
            and earlier.read_at is null))),
  made as (
    insert into notifications (id, org_id, user_id, kind, object_type, object_id, data, sequence, created_at, read_at, mail_due)
    select gen_random_uuid(), org_id, user_id, kind, object_type, object_id, data, sequence, $5,
           case when (channels ->> 'console')::boolean then null else $5::timestamptz end,
           $4::boolean and (channels ->> 'email')::boolean
      from wanted
     where (channels ->> 'console')::boolean or $4::boolean and (channels ->> 'email')::boolean
    on conflict (user_id, kind, sequence, object_id) do nothing
    returning org_id, id, user_id),
  reached as (
    select org_id, count(*) as count, max(sequence) as last from found group by org_id),
  moved as (
    update notification_cursors cursors
       set sequence = case when reached.count = ${batchSize} then reached.last else behind.until end
      from behind
      left join reached using (org_id)
     where cursors.org_id = behind.org_id)
  select made.org_id as "orgId", made.id, made.user_id as "userId" from made order by made.org_id, made.user_id`;
