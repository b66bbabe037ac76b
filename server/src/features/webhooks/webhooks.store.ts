import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import { typesOf } from "../../events/event-families.ts";
import type { Webhook, WebhookQuery } from "./webhooks.schemas.ts";

/** The health of an endpoint, and the limits that follow from it. */
export type Health = {
  status: Webhook["status"];
  disabledReason: Webhook["disabledReason"];
  ordering: Webhook["ordering"];
  maxInFlight: number;
  /** Maximum number of concurrent requests at present. */
  concurrency: number;
  /** No request is sent before this time. */
  waitUntil: string | null;
  consecutiveFailures: number;
  failingSince: string | null;
  /** When `webhook.failing` was recorded; null: not yet. */
  failingReportedAt: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  lastError: { code: string; message: string } | null;
};

export type StoredWebhook = Health & {
  id: string;
  url: string;
  description: string;
  types: string[];
  signing: Webhook["signing"];
  headerNames: string[];
  sealedHeaders: string | null;
  sealedSecret: string;
  sealedPreviousSecret: string | null;
  publicKey: string | null;
  previousPublicKey: string | null;
  previousUntil: string | null;
  /** All entries of the event log up to this one have a delivery or are of other types. */
  cursor: number;
  /** Hash of that entry; null before the first. */
  cursorHash: Buffer | null;
  pendingCount: number;
  createdAt: string;
  updatedAt: string;
  version: number;
  deletedAt: string | null;
};

const columns = defineColumns<StoredWebhook>("t", {
  url: "text",
  description: "text",
  types: "text[]",
  ordering: "text",
  maxInFlight: "integer",
  signing: "text",
  headerNames: "text[]",
  sealedHeaders: "text",
  sealedSecret: "text",
  sealedPreviousSecret: "text",
  publicKey: "text",
  previousPublicKey: "text",
  previousUntil: moment,
  status: "text",
  disabledReason: "text",
  cursor: "bigint",
  cursorHash: {
    type: "bytea",
    selected: "(select e.hash from events e where e.org_id = t.org_id and e.sequence = t.cursor)",
  },
  pendingCount: {
    type: "integer",
    selected: "(select count(*) from webhook_deliveries d where d.webhook_id = t.id and d.due_at is not null)",
  },
  concurrency: "integer",
  waitUntil: moment,
  consecutiveFailures: "integer",
  failingSince: moment,
  failingReportedAt: moment,
  lastSuccessAt: moment,
  lastFailureAt: moment,
  lastError: "jsonb",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
  deletedAt: moment,
});

/** Entries of the log counted per webhook. */
const maxCounted = 1_000;

const webhooks = recordsIn("webhooks", "webhook", columns);
export const { insert: insertWebhook, update: updateWebhook } = webhooks;

export async function getWebhook(db: Queryable, orgId: string, id: string): Promise<StoredWebhook> {
  return await counted(db, orgId, withoutDeleted(await webhooks.get(db, orgId, id)));
}

export async function lockWebhook(tx: Tx, orgId: string, id: string): Promise<StoredWebhook> {
  return await counted(tx, orgId, withoutDeleted(await webhooks.lock(tx, orgId, id)));
}

function withoutDeleted(webhook: StoredWebhook): StoredWebhook {
  if (webhook.deletedAt !== null) throw notFound("webhook");
  return webhook;
}

export async function listWebhooks(db: Queryable, orgId: string, query: WebhookQuery): Promise<Page<StoredWebhook>> {
  const page = await webhooks.list(db, orgId, query, [
    "t.deleted_at is null",
    ["t.status = ?", query.status],
    ["(t.url ilike ? or t.description ilike ?)", likePattern(query.search)],
  ]);
  const behind = await countBehind(db, orgId, page.data);
  return mapPage(page, (webhook) => withBehind(webhook, behind));
}

async function counted(db: Queryable, orgId: string, webhook: StoredWebhook): Promise<StoredWebhook> {
  return withBehind(webhook, await countBehind(db, orgId, [webhook]));
}

const withBehind = (webhook: StoredWebhook, behind: ReadonlyMap<string, number>): StoredWebhook => {
  return { ...webhook, pendingCount: webhook.pendingCount + (behind.get(webhook.id) ?? 0) };
};

/** Entries of the log after the cursor that have no delivery yet. Counted up to a limit. */
async function countBehind(db: Queryable, orgId: string, list: StoredWebhook[]): Promise<Map<string, number>> {
  const records = list.map(({ id, cursor, types }) => ({ id, cursor, types: typesOf(types) }));
  const rows = await db.query<{ id: string; count: number }>(
    {
      name: "webhooks_count_behind",
      text: `select webhook.id, behind.count
           from jsonb_to_recordset($2::jsonb) as webhook (id uuid, cursor bigint, types text[])
          cross join lateral (
            select count(*) as count from (
              select from events event
               where event.org_id = $1
                 and event.sequence > webhook.cursor
                 and event.type = any(webhook.types)
                 and not exists (
                   select from webhook_deliveries delivery
                    where delivery.webhook_id = webhook.id and delivery.sequence = event.sequence)
               limit ${maxCounted}) counted) behind`,
    },
    [orgId, JSON.stringify(records)],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

export async function countWebhooks(db: Queryable, orgId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*) as count from webhooks where org_id = $1 and deleted_at is null",
    [orgId],
  );
  return row!.count;
}

/** Counts by status, failing ones apart from the active; `behind`: entries of the log after the cursor of the webhook furthest behind. */
export type WebhookCounts = { active: number; failing: number; paused: number; disabled: number; behind: number };

export async function countWebhooksAcrossOrgs(db: Queryable): Promise<WebhookCounts> {
  const [row] = await db.query<WebhookCounts>(
    `select count(*) filter (where status = 'active' and consecutive_failures < 5) as active,
       count(*) filter (where status = 'active' and consecutive_failures >= 5) as failing,
       count(*) filter (where status = 'paused') as paused, count(*) filter (where status = 'disabled') as disabled,
       coalesce(max(h.sequence - w.cursor) filter (where status = 'active'), 0) as behind
       from webhooks w left join audit_heads h using (org_id) where w.deleted_at is null`,
  );
  return row!;
}
