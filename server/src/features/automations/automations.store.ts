import type { Page } from "../../core/page.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Condition } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type {
  Automation,
  AutomationQuery,
  Invocation,
  InvocationQuery,
  WaitingOrder,
  WaitingQuery,
} from "./automations.schemas.ts";

/** Without the computed `blocked_reason`; with the state its worker needs. */
export type StoredAutomation = Omit<Automation, "blocked_reason"> & {
  /** Event types of the trigger; null for a cron trigger. */
  event_types: string[] | null;
  pipeline_digest: string;
  /** Sequence of the last processed event. */
  cursor: number;
  /** Sequence of the last event about orders that was compared with the waiting orders. */
  wait_cursor: number;
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
  branches: "jsonb",
  otherwise: "uuid",
  task: "jsonb",
  wait: "jsonb",
  stop_further_rules: "boolean",
  max_per_object: "integer",
  position: "integer",
  pipeline_digest: "text",
  mode: "text",
  max_orders_per_hour: "integer",
  owner: "jsonb",
  is_active: "boolean",
  paused_at: moment,
  paused_by: "jsonb",
  pause_reason: "jsonb",
  cursor: "bigint",
  wait_cursor: { type: "bigint", selected: "t.wait_cursor" },
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

/** In the order in which they run. */
export async function listAutomations(
  db: Queryable,
  orgId: string,
  query: AutomationQuery,
): Promise<Page<StoredAutomation>> {
  const filters: Condition[] = [
    ["t.mode = ?", query.mode],
    ["t.is_active = ?", query.is_active],
    [
      "(t.pipeline_id = ? or exists (select from automation_pipelines p where p.automation_id = t.id and p.pipeline_id = ?))",
      query.pipeline_id,
    ],
  ];
  return await automations.list(db, orgId, query, filters, "t.position, t.id");
}

/** Serializes creations and changes of the order, which see each other's positions. */
export async function lockPositions(tx: Tx, orgId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`automations:${orgId}`]);
}

export type Positioned = Pick<StoredAutomation, "id" | "name" | "mode" | "pipeline_id" | "position" | "version">;

/** All automations of the organization, the first to run first. Call after `lockPositions`. */
export async function listPositions(tx: Tx, orgId: string): Promise<Positioned[]> {
  return await tx.query<Positioned>(
    "select id, name, mode, pipeline_id, position, version from automations where org_id = $1 order by position",
    [orgId],
  );
}

export async function savePositions(tx: Tx, orgId: string, ids: string[], positions: number[]): Promise<void> {
  await tx.query(
    `update automations t set position = u.position
       from unnest($2::uuid[], $3::integer[]) as u (id, position) where t.org_id = $1 and t.id = u.id`,
    [orgId, ids, positions],
  );
}

/** The pipelines of the branches, which keep them from being deleted. */
export async function savePipelines(tx: Tx, orgId: string, id: string, pipelineIds: string[]): Promise<void> {
  await tx.query("delete from automation_pipelines where org_id = $1 and automation_id = $2", [orgId, id]);
  await tx.query(
    `insert into automation_pipelines (automation_id, pipeline_id, org_id)
     select distinct $2::uuid, pipeline_id, $1::uuid from unnest($3::uuid[]) as pipeline_id`,
    [orgId, id, pipelineIds],
  );
}

/** Newest first. A run deleted by retention has no status. */
export async function listInvocations(
  db: Queryable,
  orgId: string,
  automationId: string,
  query: InvocationQuery,
): Promise<Page<Invocation>> {
  const page = await listPage<Invocation & { invoked_at: Date | string }>(db, query, {
    select: `f.id, f.kind, f.invoked_at, f.cause, f.order_count, f.branch, coalesce(f.execution_ids, '{}') as execution_ids,
      f.preflight_summary, f.errors_by_code,
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

/** The next to be checked first. */
export async function listWaiting(
  db: Queryable,
  orgId: string,
  automationId: string,
  query: WaitingQuery,
): Promise<Page<WaitingOrder>> {
  type Row = Pick<WaitingOrder, "order_id" | "order_number"> & { since: Date; ends_at: Date; due_at: Date };
  const page = await listPage<Row>(db, query, {
    select: `wait.order_id, o.number as order_number, wait.since, wait.ends_at, wait.due_at`,
    from: "automation_waits wait left join orders o on o.org_id = wait.org_id and o.id = wait.order_id",
    where: [
      ["wait.org_id = ?", orgId],
      ["wait.automation_id = ?", automationId],
    ],
    orderBy: "wait.due_at, wait.id",
  });
  const data = page.data.map(({ due_at, since, ends_at, ...row }) => ({
    ...row,
    since: since.toISOString(),
    ends_at: ends_at.toISOString(),
    next_check_at: due_at.toISOString(),
  }));
  return { ...page, data };
}
