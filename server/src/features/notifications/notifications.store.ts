import type { Page } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Channels, Notification, NotificationKind, NotificationQuery } from "./notifications.schemas.ts";

export type NotificationRow = {
  id: string;
  kind: NotificationKind;
  objectType: Notification["subject"]["type"];
  objectId: string;
  /** Which of these there are depends on the kind. */
  data: { failed?: number; total?: number; name?: string; by?: string; detail?: string | null };
  createdAt: Date;
  readAt: Date | null;
};

const selected = `n.id, n.kind, n.object_type as "objectType", n.object_id as "objectId", n.data,
  n.created_at as "createdAt", n.read_at as "readAt"`;

export async function listNotifications(
  db: Queryable,
  orgId: string,
  userId: string,
  query: NotificationQuery,
): Promise<Page<NotificationRow>> {
  return await listPage<NotificationRow>(db, query, {
    select: selected,
    from: "notifications n",
    where: [
      ["n.org_id = ?", orgId],
      ["n.user_id = ?", userId],
      ...(query.unread === undefined ? [] : [`n.read_at is ${query.unread ? "null" : "not null"}`]),
    ],
    orderBy: "n.created_at desc, n.id desc",
  });
}

export async function countUnread(db: Queryable, orgId: string, userId: string): Promise<number> {
  const [row] = await db.query<{ unread: number }>(
    "select count(*) as unread from notifications where org_id = $1 and user_id = $2 and read_at is null",
    [orgId, userId],
  );
  return row!.unread;
}

/** What was read in the console needs no e-mail any more. */
export async function markRead(
  tx: Tx,
  orgId: string,
  userId: string,
  { ids, at }: { ids: string[] | undefined; at: Date },
): Promise<number> {
  const rows = await tx.query(
    `update notifications set read_at = $4, mail_due = false
      where org_id = $1 and user_id = $2 and read_at is null and ($3::uuid[] is null or id = any($3))
      returning 1`,
    [orgId, userId, ids ?? null, at],
  );
  return rows.length;
}

export type StoredSettings = Partial<Record<NotificationKind, Channels>>;

export async function findSettings(db: Queryable, orgId: string, userId: string): Promise<StoredSettings> {
  const [row] = await db.query<{ settings: StoredSettings }>(
    "select settings from notification_settings where org_id = $1 and user_id = $2",
    [orgId, userId],
  );
  return row?.settings ?? {};
}

export async function saveSettings(tx: Tx, orgId: string, userId: string, settings: StoredSettings): Promise<void> {
  await tx.query(
    `insert into notification_settings (user_id, org_id, settings) values ($2, $1, $3)
     on conflict (user_id) do update set settings = excluded.settings`,
    [orgId, userId, JSON.stringify(settings)],
  );
}

export async function deleteOldAcrossOrgs(db: Queryable, before: Date): Promise<number> {
  const rows = await db.query(
    `delete from notifications
      where id in (select id from notifications where created_at < $1 order by created_at limit 5000)
      returning 1`,
    [before],
  );
  return rows.length;
}

export type DueMail = NotificationRow & { userId: string; orgId: string; email: string; name: string };

/**
 * Takes the notifications that wait for an e-mail, of users who got none since `lastBefore`, and notes the time. One process at a
 * time: two would send a user two e-mails.
 */
export async function takeDueMailsAcrossOrgs(tx: Tx, lastBefore: Date, at: Date): Promise<DueMail[]> {
  const [lock] = await tx.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('notification mails', 0)) as "isFree"`,
  );
  if (!lock!.isFree) return [];
  return await tx.query<DueMail>(
    `with recipients as (
       select account.id, account.org_id, account.email, account.name
         from users account
         left join notification_settings settings on settings.user_id = account.id
        where account.id in (select user_id from notifications where mail_due)
          and account.status = 'active'
          and coalesce(settings.mailed_at, '-infinity') <= $1
        order by account.id
        limit 200),
     noted as (
       insert into notification_settings (user_id, org_id, settings, mailed_at)
       select id, org_id, '{}', $2 from recipients
       on conflict (user_id) do update set mailed_at = excluded.mailed_at),
     taken as (
       update notifications n set mail_due = false
         from recipients
        where n.user_id = recipients.id and n.mail_due
       returning n.*)
     select ${selected.replaceAll("n.", "taken.")}, recipients.id as "userId", recipients.org_id as "orgId",
            recipients.email, recipients.name
       from taken
       join recipients on recipients.id = taken.user_id
      order by recipients.id, taken.created_at`,
    [lastBefore, at],
  );
}
