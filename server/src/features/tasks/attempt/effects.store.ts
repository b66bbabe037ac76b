import type { Sent } from "../../../connectors/connector.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { OrderShipment } from "../../orders/order.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { EffectStatus, KnownEffect } from "./effect-steps.ts";

export type EffectRow = KnownEffect & {
  key: string;
  orderId: string;
  part: string;
  revision: number;
  /** Who intended it last. */
  executionId: string;
  attempt: number;
  /** As it was sent, for facts about one. */
  shipment: OrderShipment | null;
  sent: Sent | null;
  error: { code: string; message: string } | null;
};

/** What is sent, or was. */
export type Sending = Pick<EffectRow, "content" | "orderVersion" | "shipment">;

const columns = `f.effect_key as key, f.order_id as "orderId", f.part, f.revision, f.execution_id as "executionId", f.attempt,
  f.status, f.is_closed as "isClosed", f.opened_by as "openedBy", f.site, f.content, f.order_version as "orderVersion",
  f.shipment, f.sent, f.error, f.updated_at as "concludedAt"`;

/** The attempt counts: it runs, and nobody may have taken it for dead. */
const counts = `e.id = $1 and e.attempt = $2 and e.status = 'running' and e.lease_until > now()`;

/** The last revision of each fact about these orders, for the task and bridge of the execution. */
export async function listEffects(
  db: Queryable,
  { org_id, bridge_id, task_name, id }: ExecutionRow,
  orderIds: string[],
): Promise<EffectRow[]> {
  return await db.query<EffectRow>(
    `select distinct on (f.order_id, f.part) ${columns}, coalesce(f.status in ('intent', 'updating') and f.execution_id <> $5
            and e.attempt = f.attempt and e.status = 'running' and e.lease_until > now(), false) as "isHeld"
       from task_effects f join task_executions e on e.id = f.execution_id
      where f.org_id = $1 and f.bridge_id = $2 and f.task_name = $3 and f.order_id = any($4::uuid[])
      order by f.order_id, f.part, f.revision desc`,
    [org_id, bridge_id, task_name, orderIds, id],
  );
}

export type NewEffect = Sending & Pick<EffectRow, "key" | "orderId" | "part" | "revision" | "site">;

/**
 * Written down before anything is sent, and only while this attempt is the one that counts. The lock keeps a cancel, or
 * whoever takes over, from coming in between. Undefined: the attempt does not count, or another one came first.
 */
export async function beginEffect(
  db: Queryable,
  { id, attempt }: ExecutionRow,
  effect: NewEffect,
  at: Date,
): Promise<EffectRow | undefined> {
  const { key, orderId, part, revision, site, content, orderVersion, shipment } = effect;
  const [row] = await db.query<EffectRow>(
    `insert into task_effects as f (org_id, effect_key, execution_id, attempt, bridge_id, task_name, opened_by, order_id,
            part, revision, site, content, order_version, shipment, status, created_at, updated_at)
     select e.org_id, $3, e.id, e.attempt, e.bridge_id, e.task_name, e.effect_root, $4, $5, $6, $7, $8, $9, $10, 'intent', $11, $11
       from task_executions e where ${counts} for share
     on conflict do nothing returning ${columns}, false as "isHeld"`,
    [id, attempt, key, orderId, part, revision, site, content, orderVersion, shipment, at],
  );
  return row;
}

/** The same for an effect that is on record, unless it is not as it was seen any more. `sending`: in place of what was sent. */
export async function takeEffect(
  db: Queryable,
  { id, attempt, org_id }: ExecutionRow,
  seen: EffectRow,
  status: "intent" | "updating",
  { content, orderVersion, shipment }: Sending,
  at: Date,
): Promise<EffectRow | undefined> {
  const { key, executionId } = seen;
  const [row] = await db.query<EffectRow>(
    `update task_effects f set status = $3, execution_id = mine.id, attempt = mine.attempt, updated_at = $4, content = $10,
            order_version = $11, shipment = $12
       from (select e.id, e.attempt from task_executions e where ${counts} for share) mine
      where f.org_id = $5 and f.effect_key = $6 and f.status = $7 and f.execution_id = $8 and f.attempt = $9 and not f.is_closed
     returning ${columns}, false as "isHeld"`,
    [id, attempt, status, at, org_id, key, seen.status, executionId, seen.attempt, content, orderVersion, shipment],
  );
  return row;
}

export async function isAttemptCurrent(db: Queryable, { id, attempt }: ExecutionRow): Promise<boolean> {
  const rows = await db.query(`select from task_executions e where ${counts}`, [id, attempt]);
  return rows.length === 1;
}

export type Conclusion = Sending & Pick<EffectRow, "sent" | "error"> & { status: EffectStatus };

/**
 * What has happened outside has happened, whoever saw it; everything else is for the attempt that counts to say. When
 * something was taken back, or done after it had been, the other of the two is a new fact from here on.
 */
export async function concludeEffect(
  db: Queryable,
  { id, org_id, attempt }: ExecutionRow,
  key: string,
  { status, sent, error, content, orderVersion, shipment }: Conclusion,
  opposite: string | undefined,
  at: Date,
): Promise<void> {
  await db.query(
    `with concluded as (
       update task_effects f set status = $3, sent = $4, error = $5, content = $6, order_version = $7, updated_at = $8, shipment = $12
        where f.org_id = $1 and f.effect_key = $2 and f.status <> 'done'
          and ($3 = 'done' and f.status <> 'updating' or f.execution_id = $9 and f.attempt = $10 and exists (
            select from task_executions e where e.id = $9 and e.attempt = $10 and e.status in ('running', 'cancelled')))
       returning f.bridge_id, f.order_id)
     update task_effects o set is_closed = true from concluded c
      where $3 = 'done' and o.org_id = $1 and o.bridge_id = c.bridge_id and o.order_id = c.order_id and o.task_name = $11
        and not o.is_closed`,
    [org_id, key, status, sent, error, content, orderVersion, at, id, attempt, opposite ?? null, shipment],
  );
}

/** What was seen there under earlier keys of the same fact. */
export async function listEarlierIds(db: Queryable, { org_id }: ExecutionRow, key: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select o.sent ->> 'externalId' as id from task_effects f join task_effects o
         on o.org_id = f.org_id and o.order_id = f.order_id and o.bridge_id = f.bridge_id and o.task_name = f.task_name
        and o.part = f.part and o.revision < f.revision
      where f.org_id = $1 and f.effect_key = $2 and o.sent ? 'externalId'`,
    [org_id, key],
  );
  return rows.map(({ id }) => id);
}

/** From here on these tasks say something new about the orders. */
export async function closeEffects(
  tx: Tx,
  orgId: string,
  { bridgeId, taskNames, orderIds }: { bridgeId: string; taskNames: string[]; orderIds: string[] },
): Promise<void> {
  await tx.query(
    `update task_effects set is_closed = true where org_id = $1 and bridge_id = $2 and task_name = any($3::text[])
        and order_id = any($4::uuid[]) and not is_closed`,
    [orgId, bridgeId, taskNames, orderIds],
  );
}

/**
 * The bridge that each of these orders was last sent to by orders.export, by the id of the order, unless it was given back
 * or refused. Found through the index by order (task_effects_by_revision).
 */
export async function listSentTo(db: Queryable, orgId: string, orderIds: string[]): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db.query<{ order_id: string; bridge_id: string }>(
    `select distinct on (effect.order_id) effect.order_id, effect.bridge_id
       from task_effects effect
      where effect.org_id = $1
        and effect.order_id = any($2::uuid[])
        and effect.task_name = 'orders.export'
        and not effect.is_closed
        and effect.status <> 'failed'
      order by effect.order_id, effect.updated_at desc`,
    [orgId, orderIds],
  );
  return new Map(rows.map(({ order_id, bridge_id }) => [order_id, bridge_id]));
}
