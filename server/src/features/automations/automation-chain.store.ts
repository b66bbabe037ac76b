import type { Queryable, Tx } from "../../db/database.ts";

/**
 * The last event that all earlier automations are done with, an expression over an automation: they have read it, and the runs that it
 * led to have processed their orders. Only automations that share a type of event count. Runs that wait for carriers do not hold up
 * others, nor do retries and undos, which keep the cause of their run. Unfinished runs are few and found by operation_runs_due.
 */
export const frontierOf = (automation: string): string => `coalesce(least(
  (select min(unread.sequence) - 1
     from automations earlier, lateral (
       select e.sequence
         from unnest(earlier.event_types) as shared (type), lateral (
           select e.sequence from events e
            where e.org_id = earlier.org_id and e.type = shared.type and e.sequence > earlier.cursor
            order by e.sequence limit 1) e
        where shared.type = any(${automation}.event_types)
        order by e.sequence limit 1) unread
    where earlier.org_id = ${automation}.org_id
      and earlier.position < ${automation}.position
      and earlier.due_at is not null
      and earlier.event_types && ${automation}.event_types),
  (select min((run.cause ->> 'from_sequence')::bigint) - 1
     from operation_runs run
     join automations earlier on earlier.id = (run.cause ->> 'automation_id')::uuid
    where run.org_id = ${automation}.org_id
      and run.due_at is not null
      and run.finished_at is null
      and run.succeeded + run.failed + run.skipped < run.order_count
      and run.retry_of is null
      and run.undo_of is null
      and earlier.org_id = run.org_id
      and earlier.position < ${automation}.position
      and earlier.event_types && ${automation}.event_types)),
  9223372036854775807)`;

/** Up to which event an automation may read, and the last event of the log. One statement: both are of the same moment. */
export async function findFrontier(db: Queryable, orgId: string, id: string): Promise<{ upTo: number; head: number }> {
  const [row] = await db.query<{ upTo: number; head: number }>(
    `select head.sequence as head, least(head.sequence, ${frontierOf("t")}) as "upTo"
       from automations t, lateral (
         select coalesce(max(e.sequence), 0) as sequence from events e where e.org_id = t.org_id) head
      where t.org_id = $1 and t.id = $2`,
    [orgId, id],
  );
  return row ?? { upTo: 0, head: 0 };
}

/** An order of an event. */
export type Pair = { sequence: number; orderId: string };

const arraysOf = (pairs: readonly Pair[]): [number[], string[]] => [
  pairs.map(({ sequence }) => sequence),
  pairs.map(({ orderId }) => orderId),
];

/** Those of the pairs that an automation before this position has stopped. */
export async function listStopped(db: Queryable, orgId: string, position: number, pairs: Pair[]): Promise<Pair[]> {
  return await db.query<Pair>(
    `select distinct stop.sequence, stop.order_id as "orderId"
       from unnest($3::bigint[], $4::uuid[]) as asked (sequence, order_id)
       join automation_stops stop
         on stop.org_id = $1 and stop.sequence = asked.sequence and stop.order_id = asked.order_id
       join automations earlier on earlier.id = stop.automation_id and earlier.position < $2`,
    [orgId, position, ...arraysOf(pairs)],
  );
}

export async function insertStops(tx: Tx, orgId: string, id: string, pairs: Pair[], at: Date): Promise<void> {
  await tx.query(
    `insert into automation_stops (org_id, automation_id, stopped_at, sequence, order_id)
     select distinct $1::uuid, $2::uuid, $3::timestamptz, stop.sequence, stop.order_id
       from unnest($4::bigint[], $5::uuid[]) as stop (sequence, order_id)
     on conflict do nothing`,
    [orgId, id, at, ...arraysOf(pairs)],
  );
}

/** Objects that the automation has processed at least `max` times. The lock on the automation makes counts and changes one step. */
export async function listExhausted(tx: Tx, orgId: string, id: string, keys: string[], max: number): Promise<string[]> {
  const rows = await tx.query<{ object_key: string }>(
    `select object_key from automation_object_counts
      where org_id = $1 and automation_id = $2 and object_key = any($3::text[]) and count >= $4`,
    [orgId, id, keys, max],
  );
  return rows.map(({ object_key }) => object_key);
}

export async function countObjects(tx: Tx, orgId: string, id: string, keys: string[], at: Date): Promise<void> {
  await tx.query(
    `insert into automation_object_counts as counted (org_id, automation_id, last_at, object_key, count)
     select $1::uuid, $2::uuid, $3::timestamptz, object_key, count(*) from unnest($4::text[]) as object_key group by object_key
     on conflict (automation_id, object_key)
     do update set count = counted.count + excluded.count, last_at = excluded.last_at`,
    [orgId, id, at, keys],
  );
}

/** Kept as long as invocations: an automation can be resumed at a position of long ago. */
export async function deleteOldChainsAcrossOrgs(tx: Tx, before: Date, atOnce: number): Promise<void> {
  for (const [table, time] of [
    ["automation_stops", "stopped_at"],
    ["automation_object_counts", "last_at"],
  ]) {
    await tx.query(
      `delete from ${table} where ctid in (select ctid from ${table} where ${time} < $1 limit ${atOnce} for update skip locked)`,
      [before],
    );
  }
}
