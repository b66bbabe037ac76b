import type { Page } from "../../../core/page.ts";
import { mapPage } from "../../../core/page.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { listPage } from "../../../db/list-page.ts";
import type { ResultQuery, RetryRequest, RunResult } from "../run.schemas.ts";
import { packSteps, unpackSteps } from "./operation-values.store.ts";

/** A batch of a run's orders, applied in one transaction. */
export type NewBatch = {
  position: number;
  refs: string[];
  orderIds: (string | null)[];
  todo: number[];
  /** Expected versions of the orders; null: not checked. */
  versions: (number | null)[] | null;
};

/** Orders skipped with these codes are not failures, and a retry leaves them out. */
export const skippedCodes = ["no_longer_matches", "changed_since_preflight"];

/** A locked batch with the current state of its run. */
export type RunBatch = NewBatch & { isCancelled: boolean; hasFailed: boolean };

/** Locks the next open batch, or a given one. After waiting for a batch that another process completed, the next one is returned. */
export async function lockNextBatch(
  tx: Tx,
  runId: string,
  locked: "wait" | "skip",
  position?: number,
): Promise<RunBatch | undefined> {
  const [row] = await tx.query<RunBatch>(
    `select c.position, c.refs, c.order_ids as "orderIds", c.todo, c.versions, r.cancel_requested as "isCancelled", r.failed > 0 as "hasFailed"
       from operation_run_batches c join operation_runs r on r.id = c.run_id
      where c.run_id = $1 and not c.is_done and ($2::integer is null or c.position = $2)
      order by c.position limit 1 for update of c ${locked === "skip" ? "skip locked" : ""}`,
    [runId, position ?? null],
  );
  return row;
}

/** Records the orders of all open batches as cancelled. */
export async function cancelRemaining(tx: Tx, runId: string, at: Date): Promise<void> {
  await tx.query(
    `with left_over as (
       update operation_run_batches set is_done = true where run_id = $1 and not is_done returning position, refs, order_ids, todo)
     insert into operation_results (run_id, position, ref, order_id, status, is_unchanged, todo, steps, finished_at)
     select $1, l.position + r.n - 1, r.ref, r.order_id, 'cancelled', true, r.todo, '[]', $2
       from left_over l, unnest(l.refs, l.order_ids, l.todo) with ordinality as r (ref, order_id, todo, n)`,
    [runId, at],
  );
}

type ResultRow = Omit<RunResult, "resume_from_step"> & { todo: number; error_code: string | null };

export type NewResult = ResultRow & {
  is_unchanged: boolean;
  version_before: number | null;
  version_after: number | null;
};

export function insertResults(tx: Tx, orgId: string, runId: string, results: NewResult[], at: string): void {
  const packed = packSteps(tx, orgId, results);
  tx.queue(
    `insert into operation_results (run_id, position, ref, order_id, order_number, status, is_unchanged, todo, error_code,
       error, steps, version_before, version_after, finished_at)
     select $1, r.position, r.ref, r.order_id, r.order_number, r.status, r.is_unchanged, r.todo, r.error_code,
       r.error, r.steps, r.version_before, r.version_after, $3
       from jsonb_to_recordset($2::jsonb) as r (position integer, ref text, order_id uuid, order_number text, status text,
         is_unchanged boolean, todo integer, error_code text, error jsonb, steps jsonb, version_before integer, version_after integer)`,
    [runId, JSON.stringify(packed), at],
  );
}

/** Index of the first step that failed, in a result or an undo. */
export const failedStepOf = (steps: string): string =>
  `(select (each.step ->> 'index')::integer
      from jsonb_array_elements(${steps}) with ordinality as each (step, nth)
     where each.step ->> 'status' in ('failed', 'undo_failed') order by each.nth limit 1)`;

const resultColumns = "position, ref, order_id, order_number, status, todo, error_code, error, steps";

export async function listResults(
  db: Queryable,
  orgId: string,
  runId: string,
  query: ResultQuery,
): Promise<Page<RunResult>> {
  const page = await listPage<ResultRow>(db, query, {
    select: resultColumns,
    from: "operation_results",
    where: [
      ["run_id = ?", runId],
      ["status = ?", query.status],
      ["error_code = ?", query.code],
      [`${failedStepOf("steps")} = ?`, query.step],
    ],
    orderBy: "position",
  });
  return mapPage({ ...page, data: await unpackSteps(db, orgId, page.data) }, present);
}

/** The results after a position, without a total count. */
export async function readResultsAfter(
  db: Queryable,
  orgId: string,
  runId: string,
  after: number,
  limit: number,
): Promise<RunResult[]> {
  const rows = await db.query<ResultRow>(
    `select ${resultColumns} from operation_results where run_id = $1 and position > $2 order by position limit $3`,
    [runId, after, limit],
  );
  return (await unpackSteps(db, orgId, rows)).map(present);
}

/** With the version of the order after the run. */
export type DoneRow = ResultRow & { version_after: number | null };

export async function readResultsOf(
  db: Queryable,
  orgId: string,
  runId: string,
  orderIds: string[],
): Promise<Map<string, DoneRow>> {
  const rows = await db.query<DoneRow>(
    `select ${resultColumns}, version_after from operation_results where run_id = $1 and order_id = any($2::uuid[])`,
    [runId, orderIds],
  );
  return new Map((await unpackSteps(db, orgId, rows)).map((row) => [row.order_id!, row]));
}

export async function countErrors(db: Queryable, runId: string): Promise<Record<string, number>> {
  const rows = await db.query<{ error_code: string; count: number }>(
    `select error_code, count(*) as count from operation_results
      where run_id = $1 and status <> 'succeeded' and error_code is not null group by 1 order by 2 desc`,
    [runId],
  );
  return Object.fromEntries(rows.map((row) => [row.error_code, row.count]));
}

/** IDs of the orders that failed, were skipped or not processed, by operation_results_failed. */
export async function listUnsuccessful(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db.query<{ order_id: string }>(
    "select order_id from operation_results where run_id = $1 and status <> 'succeeded' and order_id is not null",
    [runId],
  );
  return rows.map(({ order_id }) => order_id);
}

export type Unfinished = { ref: string; order_id: string | null; todo: number };

/** Orders that failed in this run and did not succeed in a later run of the chain (the latest result per order decides). */
export async function listStillFailed(
  db: Queryable,
  runId: string,
  rootRunId: string,
  { codes, step }: RetryRequest,
): Promise<Unfinished[]> {
  return await db.query<Unfinished>(
    `with latest as (
       select distinct on (l.ref) l.ref, l.status, l.todo, l.error_code, case when not $5::boolean then ${failedStepOf("l.steps")} end as failed_step
          from operation_runs n join operation_results l on l.run_id = n.id
        where n.root_run_id = $2 and n.undo_of is null order by l.ref, n.created_at desc, n.id desc)
     select r.ref, r.order_id, latest.todo from operation_results r join latest using (ref)
      where r.run_id = $1 and r.status <> 'succeeded' and latest.status <> 'succeeded'
        and coalesce(latest.error_code, '') <> all($3)
        and ($4::text[] is null or coalesce(latest.error_code, latest.status) = any($4))
        and ($5::boolean or latest.failed_step is not distinct from $6::integer) order by r.position`,
    [runId, rootRunId, skippedCodes, codes ?? null, step === undefined, step ?? null],
  );
}

/** The refs under which runs of the chain list these orders. */
export async function listNamesInChain(
  db: Queryable,
  rootRunId: string,
  orderIds: string[],
): Promise<{ order_id: string; ref: string }[]> {
  if (orderIds.length === 0) return [];
  return await db.query<{ order_id: string; ref: string }>(
    `select distinct r.order_id, r.ref from operation_runs n join operation_results r on r.run_id = n.id
      where n.root_run_id = $1 and r.order_id = any($2::uuid[])`,
    [rootRunId, orderIds],
  );
}

/** The orders this run changed, including those undone since. */
export async function listChanged(db: Queryable, runId: string): Promise<{ ref: string; order_id: string }[]> {
  return await db.query<{ ref: string; order_id: string }>(
    `select ref, order_id from operation_results
      where run_id = $1 and order_id is not null and not is_unchanged and jsonb_path_exists(steps, '$[*] ? (@.status == "applied")')
      order by position`,
    [runId],
  );
}

export type DoneSteps = { run_id: string; undo_of: string | null; ref: string; steps: number };

/** The steps that each run of a chain applied to these orders, or reverted, as bit masks. */
export async function listDoneSteps(db: Queryable, rootRunId: string, orderIds: string[]): Promise<DoneSteps[]> {
  return await db.query<DoneSteps>(
    `select n.id as run_id, n.undo_of, r.ref, d.steps
       from operation_runs n join operation_results r on r.run_id = n.id
      cross join lateral (
        select bit_or(1 << (s ->> 'index')::integer) as steps from jsonb_array_elements(r.steps) as s
         where s -> 'carried_over' is null and (s ->> 'status' = 'applied' or n.undo_of is not null and s ->> 'status' = 'no_change')) d
      where n.root_run_id = $1 and d.steps is not null and r.order_id = any($2::uuid[])`,
    [rootRunId, orderIds],
  );
}

/** A result whose steps change after the run: `steps` as they are stored, with long values packed. */
export type StoredResult = {
  position: number;
  order_id: string;
  status: RunResult["status"];
  todo: number;
  error_code: string | null;
  error: RunResult["error"];
  steps: RunResult["steps"];
};

export async function lockResults(tx: Tx, runId: string, orderIds: string[]): Promise<StoredResult[]> {
  return await tx.query<StoredResult>(
    `select position, order_id, status, todo, error_code, error, steps
       from operation_results
      where run_id = $1 and order_id = any($2::uuid[])
      order by position
        for update`,
    [runId, orderIds],
  );
}

export async function updateResults(tx: Tx, runId: string, changed: StoredResult[]): Promise<void> {
  await tx.query(
    `update operation_results result
        set status = changed.status,
            todo = changed.todo,
            error_code = changed.error_code,
            error = changed.error,
            steps = changed.steps
       from jsonb_to_recordset($2::jsonb) as changed (
              position integer, status text, todo integer, error_code text, error jsonb, steps jsonb)
      where result.run_id = $1 and result.position = changed.position`,
    [runId, JSON.stringify(changed)],
  );
}

/** Whether one of these steps failed for an order of the run. */
export async function hasFailedStep(db: Queryable, runId: string, indexes: number[]): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>(
    `select exists (
       select 1 from operation_results r, jsonb_array_elements(r.steps) as s
        where r.run_id = $1 and r.status = 'failed' and s ->> 'status' = 'failed' and (s ->> 'index')::integer = any($2)) as has`,
    [runId, indexes],
  );
  return row!.has;
}

function present({ todo, error_code: _code, ...row }: ResultRow): RunResult {
  const isDone = row.status === "succeeded" || todo === 0;
  return { ...row, resume_from_step: isDone ? null : firstStep(todo) };
}

/** The lowest step in a bit mask of steps. */
function firstStep(steps: number): number {
  return 31 - Math.clz32(steps & -steps);
}
