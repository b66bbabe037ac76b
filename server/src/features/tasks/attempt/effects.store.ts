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
  /** The execution that claimed it last. */
  executionId: string;
  attempt: number;
  /** The shipment as it was sent, for effects about one. */
  shipment: OrderShipment | null;
  sent: Sent | null;
  error: { code: string; message: string } | null;
};

/** The part of a row that describes the content sent. */
export type Sending = Pick<EffectRow, "content" | "orderVersion" | "shipment">;

const columns = `effect.effect_key as key, effect.order_id as "orderId", effect.part, effect.revision,
  effect.execution_id as "executionId", effect.attempt, effect.status, effect.is_closed as "isClosed",
  effect.opened_by as "openedBy", effect.site, effect.content, effect.order_version as "orderVersion",
  effect.shipment, effect.sent, effect.error, effect.updated_at as "concludedAt"`;

/** The attempt is current: it runs, and its lease has not ended. */
const isCurrent = `execution.id = $1 and execution.attempt = $2 and execution.status = 'running' and execution.lease_until > now()`;

/**
 * The latest revision of each effect on these orders, for the task and bridge of the execution. Reads task_effects_by_revision once per
 * order, and the execution that claimed each row by its primary key.
 */
export async function listEffects(
  db: Queryable,
  { org_id, bridge_id, task_name, id }: ExecutionRow,
  orderIds: string[],
): Promise<EffectRow[]> {
  return await db.query<EffectRow>(
    `select distinct on (effect.order_id, effect.part)
            ${columns},
            coalesce(
              effect.status in ('intent', 'updating')
                and effect.execution_id <> $5
                and holder.attempt = effect.attempt
                and holder.status = 'running'
                and holder.lease_until > now(),
              false) as "isHeld"
       from task_effects effect
       join task_executions holder on holder.id = effect.execution_id
      where effect.org_id = $1
        and effect.bridge_id = $2
        and effect.task_name = $3
        and effect.order_id = any($4::uuid[])
      order by effect.order_id, effect.part, effect.revision desc`,
    [org_id, bridge_id, task_name, orderIds, id],
  );
}

export type NewEffect = Sending & Pick<EffectRow, "key" | "orderId" | "part" | "revision" | "site">;

/**
 * Stores the intent before anything is sent, and only while this attempt is current. The share lock keeps a cancellation or a takeover
 * from committing in between. Undefined: the attempt was superseded, or another one inserted this revision first.
 */
export async function beginEffect(
  db: Queryable,
  { id, attempt }: ExecutionRow,
  effect: NewEffect,
  at: Date,
): Promise<EffectRow | undefined> {
  const { key, orderId, part, revision, site, content, orderVersion, shipment } = effect;
  const [row] = await db.query<EffectRow>(
    `insert into task_effects as effect (org_id, effect_key, execution_id, attempt, bridge_id, task_name, opened_by,
            order_id, part, revision, site, content, order_version, shipment, status, created_at, updated_at)
     select execution.org_id, $3, execution.id, execution.attempt, execution.bridge_id, execution.task_name, execution.effect_root,
            $4, $5, $6, $7, $8, $9, $10, 'intent', $11, $11
       from task_executions execution
      where ${isCurrent}
        for share
     on conflict do nothing
     returning ${columns}, false as "isHeld"`,
    [id, attempt, key, orderId, part, revision, site, content, orderVersion, shipment, at],
  );
  return row;
}

/** Claims a stored revision, unless it has changed since it was read. `sending` replaces the stored content. */
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
    `update task_effects effect
        set status = $3,
            execution_id = claimant.id,
            attempt = claimant.attempt,
            updated_at = $4,
            content = $10,
            order_version = $11,
            shipment = $12
       from (select execution.id, execution.attempt from task_executions execution where ${isCurrent} for share) claimant
      where effect.org_id = $5
        and effect.effect_key = $6
        and effect.status = $7
        and effect.execution_id = $8
        and effect.attempt = $9
        and not effect.is_closed
     returning ${columns}, false as "isHeld"`,
    [id, attempt, status, at, org_id, key, seen.status, executionId, seen.attempt, content, orderVersion, shipment],
  );
  return row;
}

export async function isAttemptCurrent(db: Queryable, { id, attempt }: ExecutionRow): Promise<boolean> {
  const rows = await db.query(`select from task_executions execution where ${isCurrent}`, [id, attempt]);
  return rows.length === 1;
}

export type Conclusion = Sending & Pick<EffectRow, "sent" | "error"> & { status: EffectStatus };

/**
 * Stores the outcome. `done` is stored by any attempt, since the effect has happened outside; other outcomes only by the attempt that
 * holds the row. When it is done, the effects of the opposite task (export and recall) are closed: the next one is a new revision.
 * Reads one row by primary key, and those of the order through task_effects_by_revision.
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
       update task_effects effect
          set status = $3,
              sent = $4,
              error = $5,
              content = $6,
              order_version = $7,
              updated_at = $8,
              shipment = $12
        where effect.org_id = $1
          and effect.effect_key = $2
          and effect.status <> 'done'
          and ($3 = 'done' and effect.status <> 'updating'
            or effect.execution_id = $9
              and effect.attempt = $10
              and exists (
                select from task_executions execution
                 where execution.id = $9 and execution.attempt = $10 and execution.status in ('running', 'cancelled')))
       returning effect.bridge_id, effect.order_id
     )
     update task_effects opposite
        set is_closed = true
       from concluded
      where $3 = 'done'
        and opposite.org_id = $1
        and opposite.bridge_id = concluded.bridge_id
        and opposite.order_id = concluded.order_id
        and opposite.task_name = $11
        and not opposite.is_closed`,
    [org_id, key, status, sent, error, content, orderVersion, at, id, attempt, opposite ?? null, shipment],
  );
}

/** Ids that the other side gave to earlier revisions of the same effect. */
export async function listEarlierIds(db: Queryable, { org_id }: ExecutionRow, key: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select earlier.sent ->> 'externalId' as id
       from task_effects effect
       join task_effects earlier
         on earlier.org_id = effect.org_id
        and earlier.order_id = effect.order_id
        and earlier.bridge_id = effect.bridge_id
        and earlier.task_name = effect.task_name
        and earlier.part = effect.part
        and earlier.revision < effect.revision
      where effect.org_id = $1 and effect.effect_key = $2 and earlier.sent ? 'externalId'`,
    [org_id, key],
  );
  return rows.map(({ id }) => id);
}

/** Closes the effects of these tasks on the orders: the next one is a new revision. */
export async function closeEffects(
  tx: Tx,
  orgId: string,
  { bridgeId, taskNames, orderIds }: { bridgeId: string; taskNames: string[]; orderIds: string[] },
): Promise<void> {
  await tx.query(
    `update task_effects
        set is_closed = true
      where org_id = $1
        and bridge_id = $2
        and task_name = any($3::text[])
        and order_id = any($4::uuid[])
        and not is_closed`,
    [orgId, bridgeId, taskNames, orderIds],
  );
}

/**
 * The bridge that each of these orders was last sent to by orders.export, by order id, unless it was recalled or rejected. Found through the index by order (task_effects_by_revision).
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
