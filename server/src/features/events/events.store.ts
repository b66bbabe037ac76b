import type { Queryable } from "../../db/database.ts";
import type { Position, SealedEvent } from "../../events/event-envelope.ts";
import type { EventType } from "../../events/event-catalogue.ts";

/** `types`: only types that the reader may see. */
export type EventFilter = { types: readonly EventType[]; objectId?: string; since?: Date };

export type LogEntry = Position & { occurredAt: Date };

const columns = `e.org_id as "orgId", e.sequence, e.hash, e.id, e.type, e.object_type as "objectType",
  e.object_id as "objectId", e.actor, e.request_id as "requestId", e.data, e.occurred_at as "occurredAt"`;

/** The entry with this number, and the next one. */
export async function findEntries(db: Queryable, orgId: string, sequence: number): Promise<LogEntry[]> {
  return await db.query<LogEntry>(
    {
      name: "events_entries",
      text: `select sequence, hash, occurred_at as "occurredAt" from events
              where org_id = $1 and sequence between $2 and $2::bigint + 1 order by sequence`,
    },
    [orgId, sequence],
  );
}

/** Entries examined at a time: a search for rare types must not scan the whole log. */
const window = 10_000;

type Reading = { after: number; last: Position; limit: number };
type Matching = { events: SealedEvent[]; reached: Position };

/** The next matching events, oldest first, and the position reached in the log. */
export async function readMatching(db: Queryable, orgId: string, filter: EventFilter, at: Reading): Promise<Matching> {
  const { after, last, limit } = at;
  // Events of one object are found by an index, so no window is needed.
  const until = filter.objectId === undefined ? Math.min(last.sequence, after + window) : last.sequence;
  if (until <= after) return { events: [], reached: last };
  const values: unknown[] = [orgId, after, until, filter.types, limit];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const since = filter.since === undefined ? "" : `and e.occurred_at >= ${bind(filter.since)}`;
  const wanted = `e.org_id = $1 and e.sequence > $2 and e.sequence <= $3 and e.type = any($4) ${since}`;
  const text =
    filter.objectId === undefined
      ? `select ${columns} from events e where ${wanted} order by e.sequence limit $5`
      : ofObject(bind(filter.objectId), wanted);
  const events = await db.query<SealedEvent>(text, values);
  const end = events.at(-1);
  if (end && events.length === limit) return { events, reached: end };
  if (until === last.sequence) return { events, reached: last };
  const [entry] = await findEntries(db, orgId, until);
  return { events, reached: entry ?? last };
}

/** Events about this object and events that name it in `items`: both read in order by an index, up to the limit. */
function ofObject(objectId: string, wanted: string): string {
  return `(select ${columns} from events e where ${wanted} and e.object_id = ${objectId} order by e.sequence limit $5)
    union all
    (select ${columns} from event_items i join events e using (org_id, sequence)
      where i.org_id = $1 and i.object_id = ${objectId} and i.sequence > $2 and i.sequence <= $3
        and ${wanted} and e.object_id <> ${objectId} order by i.sequence limit $5)
    order by sequence limit $5`;
}

/** All behind this number, for those who look at them as they come. */
export async function readNext(db: Queryable, orgId: string, after: number, limit: number): Promise<SealedEvent[]> {
  return await db.query<SealedEvent>(
    {
      name: "events_next",
      text: `select ${columns} from events e where e.org_id = $1 and e.sequence > $2 order by e.sequence limit $3`,
    },
    [orgId, after, limit],
  );
}

/**
 * Behind which number the entries of this moment and later begin. Entries are numbered nearly in the order of their times,
 * and without gaps: halving finds it with some twenty of them, and no index has to be kept for it.
 *
 * `lateral ... limit 1`: under row-level security PostgreSQL does not push a join condition with arithmetic into an index scan,
 * because division may raise an error that shows a row of another organization. As a join it read the whole log for each step.
 */
export async function findBegin(db: Queryable, orgId: string, moment: Date, last: number): Promise<number> {
  const [row] = await db.query<{ low: number }>(
    `with recursive halves (low, high) as (
       select 0::bigint, $3::bigint + 1
       union all
       select case when e.occurred_at < $2 then m.middle else m.low end,
              case when e.occurred_at < $2 then m.high else m.middle end
         from (select low, high, (low + high) / 2 as middle from halves where high - low > 1) m
        cross join lateral (select occurred_at from events
                              where org_id = $1 and sequence = m.middle limit 1) e)
     select low from halves order by high - low limit 1`,
    [orgId, moment, last],
  );
  return row!.low;
}
