import type { Queryable } from "../../../db/database.ts";
import type { ExecutionRow } from "../executions.store.ts";

type Of = Pick<ExecutionRow, "id" | "org_id" | "bridge_id" | "task_name">;

/** The first one of an execution stays; of its task, only so many of the newest are kept. */
export async function saveSample(
  db: Queryable,
  { id, org_id, bridge_id, task_name }: Of,
  sealed: string,
  at: Date,
  mostKept: number,
): Promise<void> {
  await db.query(
    `with saved as (
       insert into task_samples (execution_id, org_id, bridge_id, task_name, sealed, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (execution_id) do nothing)
     delete from task_samples where execution_id in (
       select execution_id from task_samples where org_id = $2 and bridge_id = $3 and task_name = $4
        order by created_at desc, execution_id desc offset $7)`,
    // The statement does not see its own insert.
    [id, org_id, bridge_id, task_name, sealed, at, mostKept - 1],
  );
}

type SampleRow = { executionId: string; taskName: string; createdAt: Date; sealed: string };

/** Of executions that have ended, newest first; without a name, of all tasks of the bridge. */
export async function listSamples(
  db: Queryable,
  orgId: string,
  { bridgeId, taskName, limit }: { bridgeId: string; taskName?: string | undefined; limit: number },
): Promise<SampleRow[]> {
  return await db.query<SampleRow>(
    `select s.execution_id as "executionId", s.task_name as "taskName", e.created_at as "createdAt", s.sealed from task_samples s join task_executions e on e.id = s.execution_id
      where s.org_id = $1 and s.bridge_id = $2 and ($3::text is null or s.task_name = $3) and e.finished_at is not null
      order by s.created_at desc, s.execution_id desc limit $4`,
    [orgId, bridgeId, taskName ?? null, limit],
  );
}

export async function deleteSamplesAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from task_samples where created_at < $1", [before]);
}
