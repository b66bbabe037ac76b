import type { Page } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type { Automation, AutomationQuery, Invocation, InvocationQuery } from "./automations.schemas.ts";

/** Without the computed `blocked_reason`; with the state its worker needs. */
export type StoredAutomation = Omit<Automation, "blocked_reason"> & {
  /** Event types of the trigger; null for a cron trigger. */
  event_types: string[] | null;
  pipeline_digest: string;
  /** Sequence of the last processed event. */
  cursor: number;
  counted_since: string;
  due_at: string | null;
};

/** Counters are only read here; the worker updates them. */
export const automationColumns = defineColumns<StoredAutomation>("t", {
  name: "text",
  description: "text",
  trigger: "jsonb",
  event_types: "text[]",
  when: { type: "jsonb", name: "condition" },
  pipeline_id: "uuid",
  pipeline_digest: "text",
  mode: "text",
  max_orders_per_hour: "integer",
  owner: "jsonb",
  is_active: "boolean",
  paused_at: moment,
  paused_by: "jsonb",
  pause_reason: "jsonb",
  cursor: "bigint",
  next_run_at: moment,
  counted_since: moment,
  due_at: moment,
  last_invoked_at: { ...moment, selected: "t.last_invoked_at" },
  counters: {
    type: "json",
    selected: `json_build_object('evaluated', t.evaluated_count, 'matched', t.matched_count, 'runs', t.run_count,
      'preflights', t.preflight_count)`,
  },
  created_at: moment,
  updated_at: moment,
  version: "integer",
});
const automations = recordsIn("automations", "automation", automationColumns);
export const {
  get: getAutomation,
  lock: lockAutomation,
  insert: insertAutomation,
  update: updateAutomation,
  remove: deleteAutomation,
} = automations;

export async function listAutomations(
  db: Queryable,
  orgId: string,
  query: AutomationQuery,
): Promise<Page<StoredAutomation>> {
  return await automations.list(db, orgId, query, [
    ["t.mode = ?", query.mode],
    ["t.is_active = ?", query.is_active],
    ["t.pipeline_id = ?", query.pipeline_id],
  ]);
}

/** The lock makes concurrent creations count each other. */
export async function countAutomations(tx: Tx, orgId: string): Promise<number> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`automations:${orgId}`]);
  const [row] = await tx.query<{ count: number }>("select count(*) as count from automations where org_id = $1", [
    orgId,
  ]);
  return row!.count;
}

/** Newest first. A run deleted by retention has no status. */
export async function listInvocations(
  db: Queryable,
  orgId: string,
  automationId: string,
  query: InvocationQuery,
): Promise<Page<Invocation>> {
  const page = await listPage<Invocation & { invoked_at: Date | string }>(db, query, {
    select: `f.id, f.kind, f.invoked_at, f.cause, f.order_count, f.preflight_summary, f.errors_by_code,
      case when f.run_id is not null then json_build_object('id', f.run_id, 'status', r.status, 'summary',
        case when r.id is not null then json_build_object('total', r.order_count, 'succeeded', r.succeeded,
          'failed', r.failed, 'skipped', r.skipped, 'no_change', r.no_change, 'partially_undone', r.partially_undone, 'cancelled',
          case r.status when 'cancelled' then r.order_count - r.succeeded - r.failed - r.skipped else 0 end) end) end as run`,
    from: "automation_invocations f left join operation_runs r on r.org_id = f.org_id and r.id = f.run_id",
    where: [
      ["f.org_id = ?", orgId],
      ["f.automation_id = ?", automationId],
      ["f.kind = ?", query.kind],
    ],
    orderBy: "f.invoked_at desc, f.id desc",
  });
  return { ...page, data: page.data.map((row) => ({ ...row, invoked_at: new Date(row.invoked_at).toISOString() })) };
}
