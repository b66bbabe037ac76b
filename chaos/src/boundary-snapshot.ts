import type { Client } from "pg";

/** The resulting state without IDs and times. */
export async function snapshot(db: Client, token: string, orderIds: string[]): Promise<string> {
  const { rows: runs } = await db.query<{ id: string }>(
    `select id, status, order_count, succeeded, failed, skipped, no_change, attempt, undo_of is not null as is_undo, lease_owner
       from operation_runs where note = $1 order by created_at`,
    [token],
  );
  const { rows: results } = await db.query(
    `select n.undo_of is not null as is_undo, n.attempt, r.position, r.status, r.is_unchanged, r.todo, r.error_code,
            r.version_before, r.version_after, jsonb_path_query_array(r.steps, '$[*].type') as types,
            jsonb_path_query_array(r.steps, '$[*].status') as statuses,
            jsonb_path_query_array(r.steps, '$[*].created_order_ids.size()') as made
       from operation_results r join operation_runs n on n.id = r.run_id where n.note = $1 order by 1, 2, 3`,
    [token],
  );
  const contents =
    "jsonb_path_query_array(o.lines, '$[*].sku') as skus, jsonb_path_query_array(o.lines, '$[*].quantity') as units";
  const { rows: orders } = await db.query(
    `select o.version, o.status, o.tags, o.custom_fields, jsonb_path_query_array(o.notes, '$[*].text') as notes, ${contents},
            o.child_count, array_position($1::uuid[], o.merged_into_id) as merged_into
       from orders o where o.id = any($1::uuid[]) order by array_position($1::uuid[], o.id)`,
    [orderIds],
  );
  const { rows: children } = await db.query(
    `select array_position($1::uuid[], o.parent_order_id) as parent, substring(o.number from '-\\d+$') as nth, o.version, o.status,
            ${contents}
       from orders o where o.parent_order_id = any($1::uuid[]) order by 1, 2`,
    [orderIds],
  );
  const { rows: events } = await db.query(
    "select type, count(*)::int as times from recorded_events where object_id = any($1::uuid[]) group by type order by type",
    [runs.map(({ id }) => id)],
  );
  const { rows: chunks } = await db.query(
    "select position, is_done from operation_run_batches c join operation_runs n on n.id = c.run_id where n.note = $1 order by 1, 2",
    [token],
  );
  const state = { runs: runs.map((run) => ({ ...run, id: "" })), results, orders, children, events, chunks };
  // Notes of merged orders contain order numbers.
  return JSON.stringify(state)
    .replaceAll(token, "TOKEN")
    .replaceAll(/Merged into [\w-]+/g, "Merged into ONE");
}

/**
 * The progress of a cancelled run depends on timing, so results differ. Always true: it has ended, each order has one result, and
 * its note exactly if the result says so.
 */
export async function cancelledState(db: Client, token: string, orderIds: string[]): Promise<string> {
  const { rows: runs } = await db.query(
    `select status in ('cancelled', 'succeeded') as has_ended, order_count,
            (select count(*)::int from operation_run_batches c where c.run_id = n.id and not c.is_done) as open_portions
       from operation_runs n where note = $1`,
    [token],
  );
  const { rows: orders } = await db.query(
    `select count(*)::int as results, count(distinct r.order_id)::int as orders,
            count(*) filter (where (r.status = 'succeeded') <> (jsonb_array_length(o.notes) = 1))::int as otherwise
       from operation_results r join operation_runs n on n.id = r.run_id join orders o on o.id = r.order_id
      where n.note = $1 and r.order_id = any($2::uuid[])`,
    [token, orderIds],
  );
  const { rows: events } = await db.query(
    `select count(*) filter (where e.type = 'operation_run.created')::int as created,
            count(*) filter (where e.type = 'operation_run.cancel_requested') <= 1 as is_cancelled_once,
            count(*) filter (where e.type not like '%.created' and e.type not like '%.cancel_requested')::int as ended
       from recorded_events e join operation_runs n on n.id = e.object_id where n.note = $1`,
    [token],
  );
  return JSON.stringify({ runs, orders, events });
}
