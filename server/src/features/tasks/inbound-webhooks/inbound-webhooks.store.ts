import type { InboundWebhook } from "../../../connectors/inbound-webhook.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";

type BridgeRow = OpenBridge["row"];

/** False: it was received before. A concurrent delivery of the same webhook waits for this transaction. */
export async function insertWebhook(
  tx: Tx,
  { org_id, id: bridgeId }: BridgeRow,
  id: string,
  webhook: InboundWebhook,
  at: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into inbound_webhooks (id, org_id, bridge_id, webhook_id, topic, payload, received_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (bridge_id, webhook_id) do nothing returning 1`,
    [id, org_id, bridgeId, webhook.id, webhook.topic, JSON.stringify(webhook.payload), at],
  );
  return rows.length === 1;
}

/**
 * Locks an execution that will process webhooks shortly, so that it waits for this transaction. Executions that are due already are
 * not locked: workers would skip them.
 */
export async function holdCollector(
  tx: Tx,
  { org_id, id }: BridgeRow,
  taskName: string,
): Promise<{ id: string } | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from task_executions
      where org_id = $1 and bridge_id = $2 and task_name = $3 and trigger = 'webhook' and status = 'queued'
        and due_at > now() + interval '100 ms' order by due_at limit 1 for share`,
    [org_id, id, taskName],
  );
  return row;
}

export async function giveTo(tx: Tx, orgId: string, id: string, executionId: string): Promise<void> {
  await tx.query("update inbound_webhooks set execution_id = $3 where org_id = $1 and id = $2", [
    orgId,
    id,
    executionId,
  ]);
}

/** Webhooks belong to the first execution of a chain of retries. */
type OfChain = { org_id: string; effect_root: string };

export async function hasWebhooks(db: Queryable, { org_id, effect_root }: OfChain): Promise<boolean> {
  const rows = await db.query("select from inbound_webhooks where org_id = $1 and execution_id = $2 limit 1", [
    org_id,
    effect_root,
  ]);
  return rows.length === 1;
}

/** The payloads that an execution has to process, in the order of arrival. */
export async function listPayloads(
  db: Queryable,
  { org_id, effect_root }: OfChain,
  { skip, limit }: { skip: number; limit: number },
): Promise<unknown[]> {
  const rows = await db.query<{ payload: unknown }>(
    `select payload from inbound_webhooks where org_id = $1 and execution_id = $2
      order by received_at, id offset $3 limit $4`,
    [org_id, effect_root, skip, limit],
  );
  return rows.map(({ payload }) => payload);
}

/** Deletes the payloads of processed webhooks. The rows stay for a while, to detect repeated deliveries. */
export async function forgetPayloads(db: Queryable, { org_id, effect_root }: OfChain): Promise<void> {
  await db.query(
    "update inbound_webhooks set payload = null where org_id = $1 and execution_id = $2 and payload is not null",
    [org_id, effect_root],
  );
}

export async function deleteOldWebhooksAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query(
    `delete from inbound_webhooks where id in (select id from inbound_webhooks where received_at < $1 order by received_at limit 5000)`,
    [before],
  );
}
