import { randomUUID } from "node:crypto";
import type pg from "pg";
import { orderColumns } from "../../server/src/features/orders/order-columns.ts";

/** Minimal cost of the same change in this database: read the orders, update them, store the results. */
export async function runFloor(db: pg.Client, orgId: string, ids: string[]): Promise<void> {
  const runId = randomUUID();
  await db.query("begin");
  await db.query(`select ${orderColumns.selected} from orders o where o.org_id = $1 and o.id = any($2::uuid[])`, [
    orgId,
    ids,
  ]);
  const hold = {
    id: runId,
    handle: "operator",
    reason: "operator",
    note: null,
    until: null,
    source: "key",
    placedAt: new Date(),
  };
  const note = { id: runId, text: "measured", visibility: "internal", at: new Date() };
  await db.query(
    `update orders set tags = tags || '{bench}', priority = 2, on_hold = true, holds = holds || $3::jsonb,
       notes = notes || $4::jsonb, custom_fields = custom_fields || '{"bench": 1}', version = version + 1, updated_at = now()
      where org_id = $1 and id = any($2::uuid[])`,
    [orgId, ids, JSON.stringify([hold]), JSON.stringify([note])],
  );
  await db.query(
    `insert into operation_runs (id, org_id, status, actions, on_error, is_atomic, may_override, created_by, root_run_id, attempt,
       order_count, duplicates_removed, created_at, finished_at)
     values ($1, $2, 'succeeded', '[]', 'skip_order', false, false, '{}', $1, 1, $3, 0, now(), now())`,
    [runId, orgId, ids.length],
  );
  await db.query(
    `insert into operation_results (run_id, position, ref, order_id, order_number, status, is_unchanged, todo, steps,
       version_before, version_after, finished_at)
     select $1, n, id::text, id, 'ORD', 'succeeded', false, 0, $3::jsonb, 1, 2, now()
       from unnest($2::uuid[]) with ordinality as u (id, n)`,
    [runId, ids, JSON.stringify(sampleSteps(hold, note))],
  );
  await db.query("commit");
}

/** As large as the result that a run stores per order. */
function sampleSteps(hold: object, note: object): unknown[] {
  const change = (path: string, from: unknown, to: unknown) => [{ path, from, to }];
  return [
    { index: 0, type: "add_tags", status: "applied", changes: change("/tags", [], ["bench"]) },
    { index: 1, type: "set_priority", status: "applied", changes: change("/priority", "normal", "high") },
    { index: 2, type: "hold", status: "applied", changes: change("/holds", [], [hold]) },
    { index: 3, type: "add_note", status: "applied", changes: change("/notes", [], [note]) },
    { index: 4, type: "set_custom_field", status: "applied", changes: change("/customFields", {}, { bench: 1 }) },
  ];
}
