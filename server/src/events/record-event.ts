import type { Actor } from "../core/actor.ts";
import type { Cause } from "../core/cause.ts";
import type { Tx } from "../db/database.ts";
import type { NewEvent } from "./event-catalogue.ts";
import { eventCatalogue } from "./event-catalogue.ts";
import type { Sealer } from "./sealer.ts";

/** The parts of a Ctx that recording an event needs. */
export type Recorder = {
  orgId: string;
  actor: Actor;
  requestId: string;
  /** The automation that caused the change. */
  cause?: Cause | undefined;
  clock: { now(): Date };
  sealer: Pick<Sealer, "nudge">;
  newId(): string;
};

/**
 * Call in the transaction of the change, after the object was locked or written: both are committed together, and events of
 * one object are recorded in the order of its changes.
 */
export function recordEvent(tx: Tx, by: Recorder, event: NewEvent): void {
  recordEvents(tx, by, [event]);
}

/** Several events of one transaction in one statement. */
export function recordEvents(tx: Tx, by: Recorder, events: NewEvent[]): void {
  const { orgId, actor, requestId, cause } = by;
  const signed = events.map((event) => ({ ...event, orgId, actor, requestId, cause }));
  recordEventsAcrossOrgs(tx, by, signed);
}

/** A webhook request has at most 64 KiB, and an event contains more than its items. */
const maxItems = 200;
const maxItemBytes = 48 * 1024;
const maxSampleIds = 100;

/** Splits objects into batches, one event each: an event per object would flood the log. */
export function batchesOf<Item extends { id: string }>(items: readonly Item[]) {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    const batch = batches.at(-1);
    if (batch && batch.length < maxItems && bytes + size <= maxItemBytes) {
      batch.push(item);
      bytes += size;
    } else {
      batches.push([item]);
      bytes = size;
    }
  }
  return batches.map((some) => {
    return { count: some.length, items: some, sampleIds: some.slice(0, maxSampleIds).map(({ id }) => id) };
  });
}

/** An event with its own organization and actor. */
export type ForeignEvent = NewEvent & Pick<Recorder, "orgId" | "actor" | "requestId" | "cause">;

export function recordEventsAcrossOrgs(
  tx: Tx,
  by: Pick<Recorder, "clock" | "sealer" | "newId">,
  events: ForeignEvent[],
): void {
  if (events.length === 0) return;
  tx.queue({ name: "events_insert_many", text: eventsInsert("$1", "$2") }, [eventRecords(by, events), by.clock.now()]);
  tx.afterCommit(() => by.sealer.nudge());
}

/**
 * For stores that save a round trip by recording events in a statement of their own, with `eventRecords` and the time as
 * values. `condition` may refer to `u.object_id`. Call `sealer.nudge` afterwards.
 */
export function eventsInsert(records: string, at: string, condition = "true"): string {
  return `insert into unsealed_events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at)
    select u.id, u.org_id, u.type, u.object_type, u.object_id, u.actor, u.request_id, u.data, ${at}
      from jsonb_to_recordset(${records}::jsonb) as u (id uuid, org_id uuid, type text, object_type text, object_id uuid,
        actor jsonb, request_id text, data jsonb) where ${condition}`;
}

export function eventRecords(by: Pick<Recorder, "newId">, events: ForeignEvent[]): string {
  return JSON.stringify(
    events.map(({ orgId, type, objectId, actor, requestId, cause, data = {} }) => ({
      id: by.newId(),
      org_id: orgId,
      type,
      object_type: eventCatalogue[type].objectType,
      object_id: objectId,
      actor,
      request_id: requestId,
      // Part of the data, so that the hash chain covers it.
      data: cause === undefined ? data : { ...data, cause },
    })),
  );
}
