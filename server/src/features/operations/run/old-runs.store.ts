import type { Tx } from "../../../db/database.ts";
import { deleteUnusedValuesAcrossOrgs } from "./operation-values.store.ts";

/** A run can have 100,000 results, and as many per retry. */
const oldRunsAtOnce = 5;

/**
 * Deletes a run together with its retries and undos once the last of them is old. A part of the chain could no longer say what is left
 * to retry or undo.
 */
export async function deleteOldRunsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const roots = await lockOldChainsAcrossOrgs(tx, before);
  return roots.length === 0 ? [] : await deleteChainsAcrossOrgs(tx, roots, before);
}

const isOver =
  "not exists (select from operation_runs n where n.root_run_id = r.id and (n.finished_at is null or n.finished_at >= $1))";

/** Locks the first runs of old chains: a concurrent retry or undo waits for this lock, or holds it. */
export async function lockOldChainsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select r.id from operation_runs r
      where r.finished_at < $1 and r.retry_of is null and r.undo_of is null and ${isOver}
      order by r.finished_at limit ${oldRunsAtOnce} for update skip locked`,
    [before],
  );
  return rows.map(({ id }) => id);
}

/** Checks again under the lock: a run may have been added to the chain after the locking statement took its snapshot. */
export async function deleteChainsAcrossOrgs(tx: Tx, roots: string[], before: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string; org_id: string }>(
    `select n.id, n.org_id from operation_runs r join operation_runs n on n.root_run_id = r.id
      where r.id = any($2::uuid[]) and ${isOver}`,
    [before, roots],
  );
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const results = await tx.query<{ order_id: string }>(
    `with gone as (delete from operation_results where run_id = any($1::uuid[]) returning order_id)
     select distinct order_id from gone where order_id is not null`,
    [ids],
  );
  await tx.query("delete from operation_runs where id = any($1::uuid[])", [ids]);
  await deleteUnusedValuesAcrossOrgs(
    tx,
    results.map(({ order_id }) => order_id),
  );
  return rows.map(({ org_id }) => org_id);
}
