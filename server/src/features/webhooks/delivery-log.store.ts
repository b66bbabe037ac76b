import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { SealedEvent } from "../../events/event-envelope.ts";
import type { Delivery, DeliveryDetail, DeliveryQuery } from "./webhooks.schemas.ts";

type Row = Omit<Delivery, "nextAttemptAt" | "createdAt" | "endedAt" | "sequence"> & {
  sequence: number;
  createdAt: Date;
  endedAt: Date | null;
  nextTryAt: Date | null;
};

const columns = `d.id, d.event_id as "eventId", d.type, d.sequence, d.status, d.attempt_count as "attemptCount",
  d.next_try_at as "nextTryAt", d.last_status as "lastResponseStatus", d.last_error as "lastError", d.created_at as "createdAt",
  d.ended_at as "endedAt"`;

function fromRow({ nextTryAt, createdAt, endedAt, sequence, ...row }: Row): Delivery {
  return {
    ...row,
    sequence: String(sequence).padStart(16, "0"),
    nextAttemptAt: row.status === "pending" ? (nextTryAt?.toISOString() ?? null) : null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

/** Newest first. */
export async function listDeliveries(
  db: Queryable,
  orgId: string,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Page<Delivery>> {
  const page = await listPage<Row>(db, query, {
    select: columns,
    from: "webhook_deliveries d",
    where: [
      ["d.org_id = ?", orgId],
      ["d.webhook_id = ?", webhookId],
      ["d.status = ?", query.status],
      ["d.type = ?", query.type],
      ["d.event_id = ?", query.eventId],
    ],
    orderBy: "d.sequence desc",
  });
  return mapPage(page, fromRow);
}

export async function getDelivery(db: Queryable, orgId: string, webhookId: string, id: string): Promise<Delivery> {
  const [row] = await db.query<Row>(
    `select ${columns} from webhook_deliveries d where d.org_id = $1 and d.webhook_id = $2 and d.id = $3`,
    [orgId, webhookId, id],
  );
  return fromRow(orNotFound("webhook_delivery", row));
}

/** The event of a delivery. */
export async function findEvent(db: Queryable, orgId: string, sequence: string): Promise<SealedEvent | undefined> {
  const [row] = await db.query<SealedEvent>(
    `select e.org_id as "orgId", e.sequence, e.hash, e.id, e.type, e.object_type as "objectType",
       e.object_id as "objectId", e.actor, e.request_id as "requestId", e.data, e.occurred_at as "occurredAt"
       from events e where e.org_id = $1 and e.sequence = $2`,
    [orgId, sequence],
  );
  return row;
}

type Attempt = DeliveryDetail["attempts"][number];
const maxAttempts = 100;

/** The last ones, oldest first. */
export async function listAttempts(db: Queryable, orgId: string, deliveryId: string): Promise<Attempt[]> {
  const rows = await db.query<Omit<Attempt, "at"> & { at: Date }>(
    `select attempt_count as number, attempt_at as at, duration_ms as "durationMs", last_status as "responseStatus",
       last_error as error, headers as "responseHeaders", answer as "responseBody" from webhook_deliveries where org_id = $1 and id = $2 and attempt_at is not null
     union all (select number, at, duration_ms, status, error, headers, answer from webhook_attempts
      where org_id = $1 and delivery_id = $2 order by number desc limit ${maxAttempts - 1}) order by number desc`,
    [orgId, deliveryId],
  );
  return rows.toReversed().map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Skips pending deliveries up to this entry of the log, or all. A request under way is not stopped, and its outcome is recorded. */
export async function skipPending(
  tx: Tx,
  orgId: string,
  webhookId: string,
  until: number | undefined,
  at: Date,
): Promise<void> {
  await tx.query(
    `update webhook_deliveries
        set status = 'skipped', due_at = null, next_try_at = null, ended_at = $4
      where id in (
        select id from webhook_deliveries
         where org_id = $1 and webhook_id = $2 and due_at is not null and ($3::bigint is null or sequence <= $3)
         order by id for update)`,
    [orgId, webhookId, until ?? null, at],
  );
}

/** Sets the due times of pending deliveries for another ordering: with strict ordering the sequence alone orders them. */
export async function reorderPending(
  tx: Tx,
  orgId: string,
  webhookId: string,
  isStrict: boolean,
  at: Date,
): Promise<void> {
  await tx.query(
    `update webhook_deliveries
        set due_at = case when $3 then '-infinity' else greatest($4::timestamptz, next_try_at) end
      where id in (
        select id from webhook_deliveries
         where org_id = $1 and webhook_id = $2 and due_at is not null
         order by id for update)`,
    [orgId, webhookId, isStrict, at],
  );
}

/** Starts over with the retry schedule; a pending delivery is due at once. */
export async function resendDelivery(
  tx: Tx,
  orgId: string,
  { webhookId, id, isStrict }: { webhookId: string; id: string; isStrict: boolean },
  at: Date,
): Promise<void> {
  await tx.query(
    `update webhook_deliveries set status = 'pending', tries = 0, next_try_at = null, ended_at = null,
       due_at = case when $4 then '-infinity' else $5::timestamptz end
      where org_id = $1 and webhook_id = $2 and id = $3`,
    [orgId, webhookId, id, isStrict, at],
  );
}

export type Range = { after: number; until: number; types: readonly string[]; onlyFailed: boolean };
const maxCounted = 100_000;

/** Number of deliveries a resend would cover, counted up to a limit. */
export async function countToResend(
  db: Queryable,
  orgId: string,
  webhookId: string,
  { after, until, types, onlyFailed }: Range,
): Promise<{ count: number; isCapped: boolean }> {
  const source = onlyFailed
    ? "webhook_deliveries where org_id = $1 and webhook_id = $5 and status = 'failed'"
    : "events where org_id = $1 and $5::uuid is not null";
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from (select from ${source} and sequence > $2 and sequence <= $3 and type = any($4)
      limit ${maxCounted + 1}) n`,
    [orgId, after, until, types, webhookId],
  );
  const { count } = row!;
  return { count: Math.min(count, maxCounted), isCapped: count > maxCounted };
}

type NewResend = Omit<Range, "types"> & { id: string; webhookId: string; types: readonly string[] | null; at: Date };

export async function insertResend(tx: Tx, orgId: string, resend: NewResend): Promise<void> {
  const { id, webhookId, after, until, types, onlyFailed, at } = resend;
  await tx.query(
    `insert into webhook_resends (id, org_id, webhook_id, after_sequence, until_sequence, types, only_failed, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, orgId, webhookId, after, until, types, onlyFailed, at],
  );
}

export async function removeResends(tx: Tx, orgId: string, webhookId: string): Promise<void> {
  await tx.query("delete from webhook_resends where org_id = $1 and webhook_id = $2", [orgId, webhookId]);
}

const oldAtOnce = 1_000;

/** Deletes some deliveries that ended before this time. Returns their organizations. */
export async function deleteOldDeliveriesAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `delete from webhook_deliveries where id in (
       select id from webhook_deliveries where ended_at < $1 order by ended_at limit ${oldAtOnce} for update skip locked)
     returning org_id`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}

/** Deletes some response headers and bodies; status and time of the attempts stay. */
export async function deleteOldResponsesAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const isKept = "(answer is not null or headers is not null)";
  const rows = await tx.query<{ org_id: string }>(
    `with previous_attempts as (
       update webhook_attempts attempt set headers = null, answer = null
         from (
           select delivery_id, number from webhook_attempts
            where at < $1 and ${isKept}
            order by at limit ${oldAtOnce} for update skip locked) old
        where attempt.delivery_id = old.delivery_id and attempt.number = old.number
       returning attempt.org_id),
     last_attempts as (
       update webhook_deliveries delivery set headers = null, answer = null
         from (
           select id from webhook_deliveries
            where attempt_at < $1 and ${isKept}
            order by attempt_at limit ${oldAtOnce} for update skip locked) old
        where delivery.id = old.id
       returning delivery.org_id)
     select org_id from previous_attempts union all select org_id from last_attempts`,
    [before],
  );
  return rows.map(({ org_id }) => org_id);
}
