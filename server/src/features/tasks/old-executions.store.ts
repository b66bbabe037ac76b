import type { Tx } from "../../db/database.ts";

const oldExecutionsAtOnce = 500;
const isNotNeeded = `not exists (select from task_effects effect where effect.execution_id = e.id)
  and not exists (select from task_executions retry where retry.retry_of = e.id)`;

/**
 * Deletes old executions with their logs and samples. Executions with effects stay, since the hub needs them to know what not to send
 * again, and a retried execution stays until its retry is deleted.
 */
export async function deleteOldExecutionsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select e.id from task_executions e where e.finished_at < $1 and ${isNotNeeded}
      order by e.finished_at limit ${oldExecutionsAtOnce} for update skip locked`,
    [before],
  );
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? [] : await deleteUnneededAcrossOrgs(tx, ids);
}

/** Checks again after locking: a retry may have been queued after the statement that locked them had begun. */
export async function deleteUnneededAcrossOrgs(tx: Tx, ids: string[]): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    `delete from task_executions e where e.id = any($1::uuid[]) and ${isNotNeeded} returning e.org_id`,
    [ids],
  );
  return rows.map(({ org_id }) => org_id);
}
