import type { Queryable } from "../../../db/database.ts";
import type { ExecutionRow } from "../executions.store.ts";

type Of = Pick<ExecutionRow, "id" | "org_id" | "bridge_id" | "task_name">;

/** Stores one sample per execution and deletes all but the newest `mostKept` of the task. */
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

/** Samples of finished executions, newest first; without `taskName` of all tasks of the bridge. */
export async function listSamples(
  db: Queryable,
  orgId: string,
  { bridgeId, taskName, limit }: { bridgeId: string; taskName?: string | undefined; limit: number },
): Promise<SampleRow[]> {
  return await db.query<SampleRow>(
    `select sample.execution_id as "executionId", sample.task_name as "taskName", execution.created_at as "createdAt", sample.sealed
       from task_samples sample
       join task_executions execution on execution.id = sample.execution_id
      where sample.org_id = $1
        and sample.bridge_id = $2
        and ($3::text is null or sample.task_name = $3)
        and execution.finished_at is not null
      order by sample.created_at desc, sample.execution_id desc
      limit $4`,
    [orgId, bridgeId, taskName ?? null, limit],
  );
}

export async function deleteSamplesAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from task_samples where created_at < $1", [before]);
}
