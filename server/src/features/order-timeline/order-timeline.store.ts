import type { Actor } from "../../core/actor.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { unpackChanges } from "../operations/operations.ts";
import type { FieldChange } from "../orders/order-changes.ts";
import type { Static } from "typebox";
import type { TimelineAnswer } from "./order-timeline.schemas.ts";

export type TimelineEntry = Omit<Static<typeof TimelineAnswer>, "changes"> & { changes: FieldChange[] };

type TimelineRow = {
  id: string;
  kind: TimelineEntry["kind"];
  at: Date;
  actor: Actor;
  run_id: string | null;
  step: number | null;
  type: string | null;
  is_undo: boolean;
  changes: FieldChange[] | null;
};

/**
 * Changes of an order and the applied steps of runs. Both parts use an index on order_id. Entries of the same time (a frozen
 * preview clock) are sorted by ID, steps in the order of their execution, also those of an undo.
 */
const entries = `
  select c.id::text as id, c.kind, c.occurred_at as at, c.actor, null::uuid as run_id, null::integer as step,
         null::text as type, false as is_undo, c.changes, c.id as made, 0 as nth
    from order_changes c where c.org_id = $1 and c.order_id = $2
  union all
  select r.run_id || '/' || (s.step ->> 'index'), 'run_step', r.finished_at, n.created_by, r.run_id, (s.step ->> 'index')::integer,
         s.step ->> 'type', n.undo_of is not null, s.step -> 'changes', r.run_id, s.nth
    from operation_results r
    join operation_runs n on n.id = r.run_id and n.org_id = $1
   cross join jsonb_array_elements(r.steps) with ordinality as s (step, nth)
   where r.order_id = $2 and s.step ->> 'status' = 'applied' and s.step -> 'carried_over' is null`;

export async function listTimeline(
  db: Queryable,
  orgId: string,
  orderId: string,
  query: PageRequest,
): Promise<Page<TimelineEntry>> {
  const page = await listPage<TimelineRow>(db, query, {
    select: "*",
    from: `(${entries}) e`,
    values: [orgId, orderId],
    where: [],
    orderBy: "at desc, made desc, nth desc",
  });
  return mapPage({ ...page, data: await unpackChanges(db, orgId, orderId, page.data) }, present);
}

type Changed = Omit<TimelineEntry, "id" | "changes">;
type LastChanges = { data: (Changed & { field: string; timelineEntryId: string })[]; origin: Changed | null };

/** The last entry per field. Reports of a bridge that were not applied do not count, nor does packing, which changes no field. */
export async function listLastChanges(db: Queryable, orgId: string, orderId: string): Promise<LastChanges> {
  const [rows, [origin]] = await Promise.all([
    db.query<TimelineRow & { field: string }>(
      `select distinct on (c.change ->> 'path') ltrim(c.change ->> 'path', '/') as field, e.id, e.kind, e.at, e.actor, e.run_id,
              e.step, e.type, e.is_undo
         from (${entries}) e cross join jsonb_array_elements(e.changes) as c (change)
        where e.kind <> 'packed' and jsonb_typeof(e.changes) = 'array' and c.change -> 'keptLocal' is null
        order by c.change ->> 'path', e.at desc, e.made desc, e.nth desc`,
      [orgId, orderId],
    ),
    db.query<TimelineRow>(
      `select e.id, e.kind, e.at, e.actor, e.run_id, e.step, e.type, e.is_undo from (${entries}) e order by e.at, e.made, e.nth limit 1`,
      [orgId, orderId],
    ),
  ]);
  return {
    data: rows.map(({ field, ...row }) => ({ field, timelineEntryId: row.id, ...presentChanged(row) })),
    origin: origin && (origin.kind === "created" || origin.kind === "imported") ? presentChanged(origin) : null,
  };
}

function present(row: TimelineRow): TimelineEntry {
  return { id: row.id, ...presentChanged(row), changes: row.changes ?? [] };
}

function presentChanged(row: Omit<TimelineRow, "changes">): Changed {
  return {
    kind: row.kind,
    at: row.at.toISOString(),
    actor: row.actor,
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.step === null ? {} : { step: row.step }),
    ...(row.type === null ? {} : { type: row.type }),
    ...(row.is_undo ? { isUndo: true } : {}),
  };
}
