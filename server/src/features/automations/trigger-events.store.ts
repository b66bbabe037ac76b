import type { Queryable } from "../../db/database.ts";
import type { TriggerEvent } from "./event-items.ts";

/** Sealed events keep the name `through` that the path had when they were recorded. */
const causeOf = (event: string): string =>
  `${event}.data -> 'cause' || jsonb_build_object('automationPath',
     coalesce(${event}.data -> 'cause' -> 'automationPath', ${event}.data -> 'cause' -> 'through'))`;

/** Events about many orders are long; most automations need no more than the IDs. */
const idsOf = (event: string): string =>
  `case when ${event}.data ? 'items' then jsonb_build_object('items', array(
     select jsonb_build_object('id', item -> 'id') from jsonb_array_elements(${event}.data -> 'items') item)) else '{}' end`;

type Wanted = {
  types: readonly string[];
  after: number;
  /** Default: all events. */
  upTo?: number;
  limit: number;
  newestFirst?: boolean;
  /** False: `data` has only the IDs of the items. */
  needsData: boolean;
};

/** The next events of these types after a sequence. One index scan per type (events_by_type): rare types do not scan the log. */
export async function listTriggerEvents(
  db: Queryable,
  orgId: string,
  { types, after, upTo, limit, newestFirst = false, needsData }: Wanted,
): Promise<TriggerEvent[]> {
  const order = `order by sequence${newestFirst ? " desc" : ""} limit $4`;
  return await db.query<TriggerEvent>(
    `select n.sequence, n.type, n.object_id as "objectId", ${causeOf("n")} as cause,
            ${needsData ? "n.data" : idsOf("n")} as data
       from (select e.* from unnest($2::text[]) as wanted (type), lateral (
               select e.sequence, e.type, e.data, e.object_id from events e
                where e.org_id = $1 and e.type = wanted.type and e.sequence > $3
                  and ($5::bigint is null or e.sequence <= $5) ${order}) e ${order}) n
      order by n.sequence${newestFirst ? " desc" : ""}`,
    [orgId, types, after, limit, upTo ?? null],
  );
}
