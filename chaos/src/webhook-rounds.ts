import path from "node:path";
import type pg from "pg";
import type { Launched } from "../../server/src/testing/launch-hub.ts";
import { launch } from "../../server/src/testing/launch-hub.ts";
import type { Send } from "./chaos-client.ts";
import { accepted } from "./chaos-client.ts";
import type { Endpoint } from "./webhook-checker.ts";

export type Organization = { id: string; send: Send };

/** Starts the endpoints in a process that is never killed. */
export async function startReceiver(journalFile: string, seed: number): Promise<{ receiver: Launched; url: string }> {
  const receiver = launch({
    command: [process.execPath, path.join(import.meta.dirname, "webhook-receiver.ts")],
    args: [journalFile, String(seed)],
    env: {},
  });
  const [, url = ""] = await receiver.printed(/^listening on (http:\S+)/m, 20_000);
  return { receiver, url };
}

export async function organizationOf(send: Send): Promise<Organization> {
  const me = await accepted(send, { method: "GET", path: "/me" });
  return { send, id: (me.organization as { id: string }).id };
}

/** One endpoint of each kind per organization, with overlapping types, so that an event goes to several. */
export async function makeEndpoints({ id: orgId, send }: Organization, url: string): Promise<Endpoint[]> {
  const kinds = [
    { kind: "none", types: ["order.created", "condition_set.created"], body: { maxInFlight: 8 } },
    { kind: "strict", types: ["order.created", "order.updated"], body: { ordering: "strict" } },
    { kind: "signed", types: ["order.updated"], body: { signing: "ed25519", maxInFlight: 2 } },
  ];
  const endpoints: Endpoint[] = [];
  for (const { kind, types, body } of kinds) {
    const name = `${orgId}/${kind}`;
    const request = { url: `${url}/${name}`, types, ...body };
    const made = await accepted(send, { method: "POST", path: "/webhooks", body: request });
    const from = Number(String(made.cursor).split("-")[0]);
    endpoints.push({ name, webhookId: String(made.id), orgId, types, isStrict: kind === "strict", from });
  }
  return endpoints;
}

/** Makes retries due now: they would wait for minutes or hours. */
export async function hastenRetries(db: pg.Client): Promise<void> {
  await db.query("update webhooks set wait_until = null where wait_until > now()");
  await db.query("update webhook_deliveries set due_at = now(), next_try_at = now() where due_at > now()");
  await db.query("select pg_notify('hub_signals', 'webhook||chaos')");
}

/** Number of events that the slowest webhook is behind. */
export async function findBacklog(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ most: number }>(
    "select coalesce(max(h.sequence - w.cursor), 0)::int as most from webhooks w join audit_heads h using (org_id)",
  );
  return rows[0]!.most;
}

/** Rows that still have to be sealed, sent, recorded or handled. */
const left = `
  select 'unsealed event' as what, to_jsonb(e) as row from unsealed_events e
  union all select 'delivery', to_jsonb(d) from webhook_deliveries d where due_at is not null
  union all select 'webhook', to_jsonb(w) from webhooks w join audit_heads h using (org_id)
             where w.cursor < h.sequence
  union all select 'automation', to_jsonb(a) from automations a
             where exists (select from events e where e.org_id = a.org_id and e.type = any(a.event_types) and e.sequence > a.cursor)
  union all select 'run', to_jsonb(r) from operation_runs r where finished_at is null`;

/** 0 when all work has ended. */
export async function countLeft(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ n: number }>(`select count(*)::int as n from (${left}) as l`);
  return rows[0]!.n;
}

/** For debugging a drain that does not end. */
export async function showLeft(db: pg.Client): Promise<{ what: string; row: object }[]> {
  return (await db.query<{ what: string; row: object }>(`select what, row from (${left}) as l limit 3`)).rows;
}
