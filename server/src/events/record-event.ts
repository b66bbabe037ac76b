import type { Actor } from "../core/actor.ts";
import type { Tx } from "../db/database.ts";
import type { Sealer } from "./sealer.ts";

/** What changed. `data` holds the new values, never a secret: it is readable by everybody with audit:read. */
export type NewEvent = { type: string; objectType: string; objectId: string; data?: Record<string, unknown> };

/** The part of a Ctx that an event needs. */
export type Recorder = {
  orgId: string;
  actor: Actor;
  requestId: string;
  clock: { now(): Date };
  sealer: Sealer;
  newId(): string;
};

/** Call it in the transaction of the change: the two are committed together. */
export async function recordEvent(tx: Tx, by: Recorder, event: NewEvent): Promise<void> {
  await tx.query(
    `insert into events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      by.newId(),
      by.orgId,
      event.type,
      event.objectType,
      event.objectId,
      by.actor,
      by.requestId,
      event.data ?? {},
      by.clock.now(),
    ],
  );
  tx.afterCommit(() => by.sealer.nudge());
}

/** Many changes of one transaction in one statement. */
export async function recordEvents(tx: Tx, by: Recorder, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const records = events.map(({ type, objectType, objectId, data = {} }) => ({
    id: by.newId(),
    type,
    object_type: objectType,
    object_id: objectId,
    data,
  }));
  await tx.query(
    `insert into events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at)
     select u.id, $1, u.type, u.object_type, u.object_id, $3, $4, u.data, $5
       from jsonb_to_recordset($2::jsonb) as u (id uuid, type text, object_type text, object_id uuid, data jsonb)`,
    [by.orgId, JSON.stringify(records), by.actor, by.requestId, by.clock.now()],
  );
  tx.afterCommit(() => by.sealer.nudge());
}
