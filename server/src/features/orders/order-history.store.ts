import type { Actor } from "../../core/actor.ts";
import type { Tx } from "../../db/database.ts";
import type { FieldChange } from "./order-changes.ts";

/** The timeline entry of one order, for changes outside of runs. `at` where it is another time than that of the change, as in demo data. */
export type HistoryEntry = { orderId: string; changes: FieldChange[]; version: number; at?: string };

export type ChangeKind =
  | "created"
  | "imported"
  | "updated"
  | "hold_released"
  | "fulfillment"
  | "shipment"
  | "delivered"
  | "packed";

export type ChangeInfo = { kind: ChangeKind; actor: Actor; requestId: string; at: Date; newId(): string };

export function insertChanges(tx: Tx, orgId: string, entries: HistoryEntry[], info: ChangeInfo): void {
  if (entries.length === 0) return;
  const records = entries.map(({ orderId, changes, version, at }) => ({
    id: info.newId(),
    order_id: orderId,
    changes,
    version,
    at,
  }));
  tx.queue(
    `insert into order_changes (id, org_id, order_id, kind, actor, request_id, changes, version, occurred_at)
     select u.id, $1, u.order_id, $3, $4, $5, u.changes, u.version, coalesce(u.at, $6)
       from jsonb_to_recordset($2::jsonb) as u (id uuid, order_id uuid, changes jsonb, version integer, at timestamptz)`,
    [orgId, JSON.stringify(records), info.kind, info.actor, info.requestId, info.at],
  );
}
