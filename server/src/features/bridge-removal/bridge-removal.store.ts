import type { Tx } from "../../db/database.ts";

type BridgeUse = {
  type: "schedule" | "transformation" | "pipeline" | "location" | "task_execution";
  id: string;
  name: string;
};
export type BridgeUses = { usedBy: BridgeUse[]; counts: Partial<Record<BridgeUse["type"], number>> };

/** The uses of a bridge: the newest of each kind and their number. Each branch uses an index on org_id. */
export async function listUses(tx: Tx, orgId: string, bridgeId: string, limitPerType: number): Promise<BridgeUses> {
  const rows = await tx.query<BridgeUse & { total: number }>(
    `(select 'schedule' as type, id, coalesce(name, task_name) as name, count(*) over () as total
        from schedules where org_id = $1 and bridge_id = $2 order by created_at desc, id desc limit $3)
     union all
     (select 'transformation', id, name, count(*) over ()
        from transformations where org_id = $1 and bridge_id = $2 order by created_at desc, id desc limit $3)
     union all
     (select 'pipeline', id, name, count(*) over () from operation_pipelines
       where org_id = $1
         and exists (select from jsonb_array_elements(actions) as step where lower(step -> 'params' ->> 'bridge_id') = $4)
       order by created_at desc, id desc limit $3)
     union all
     (select 'location', id, name, count(*) over ()
        from locations where org_id = $1 and bridge_id = $2 and is_active order by created_at desc, id desc limit $3)
     union all
     (select 'task_execution', id, task_name, count(*) over () from task_executions
       where org_id = $1 and bridge_id = $2 and status in ('queued', 'running')
       order by created_at desc, id desc limit $3)`,
    [orgId, bridgeId, limitPerType, bridgeId],
  );
  return {
    usedBy: rows.map(({ type, id, name }) => ({ type, id, name })),
    counts: Object.fromEntries(rows.map(({ type, total }) => [type, total])),
  };
}

export async function listRunning(tx: Tx, orgId: string, bridgeId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    "select id from task_executions where org_id = $1 and bridge_id = $2 and status = 'running' order by id",
    [orgId, bridgeId],
  );
  return rows.map(({ id }) => id);
}
