import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import { typesOf } from "../../events/event-families.ts";
import type { Webhook, WebhookQuery } from "./webhooks.schemas.ts";

/** How an endpoint is doing, and what that means for what is sent to it. */
export type Health = {
  status: Webhook["status"];
  disabledReason: Webhook["disabledReason"];
  ordering: Webhook["ordering"];
  maxInFlight: number;
  /** So many deliveries may be under way. */
  places: number;
  /** Nothing is sent before. */
  waitUntil: string | null;
  consecutiveFailures: number;
  failingSince: string | null;
  /** When it was recorded that it fails; null: not yet. */
  failingToldAt: string | null;
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
  /** All entries of the log up to this one are for others, or have a delivery. */
  cursor: number;
  /** Of that entry; null when it is before the first. */
  cursorHash: Buffer | null;
  waiting: number;
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
  waiting: {
    type: "integer",
    selected: "(select count(*) from webhook_deliveries d where d.webhook_id = t.id and d.due_at is not null)",
  },
  places: "integer",
  waitUntil: moment,
  consecutiveFailures: "integer",
  failingSince: moment,
  failingToldAt: moment,
  lastSuccessAt: moment,
  lastFailureAt: moment,
  lastError: "jsonb",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
  deletedAt: moment,
});

/** What is behind that in the log is not counted. */
const mostCounted = 1_000;

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
  return { ...webhook, waiting: webhook.waiting + (behind.get(webhook.id) ?? 0) };
};

/** Most of what waits has no row: it is what the log has behind the cursor. Counted up to a limit. */
async function countBehind(db: Queryable, orgId: string, list: StoredWebhook[]): Promise<Map<string, number>> {
  const records = list.map(({ id, cursor, types }) => ({ id, cursor, types: typesOf(types) }));
  const rows = await db.query<{ id: string; count: number }>(
    {
      name: "webhooks_count_behind",
      text: `select b.id, n.count from jsonb_to_recordset($2::jsonb) as b (id uuid, cursor bigint, types text[]), lateral (
           select count(*) as count from (select from events e where e.org_id = $1 and e.sequence > b.cursor and e.type = any(b.types)
             and not exists (select from webhook_deliveries d where d.webhook_id = b.id and d.sequence = e.sequence)
             limit ${mostCounted}) e) n`,
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

/** Of each status, and the active ones that fail apart; how far the one that is most behind has to go. */
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
