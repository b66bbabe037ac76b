import type { Page } from "../../../core/page.ts";
import { mapPage } from "../../../core/page.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { listPage } from "../../../db/list-page.ts";
import type { OrderGroup, ResultQuery, RunResult } from "../operations.schemas.ts";
import { maxReasons, summedUp } from "../order-groups.ts";
import { packSteps, unpackSteps } from "./operation-values.store.ts";

/** A portion of a run's orders, worked on in one transaction. */
export type NewPortion = {
  position: number;
  refs: string[];
  orderIds: (string | null)[];
  todo: number[];
  /** Those that the orders must still have. */
  versions: (number | null)[] | null;
};

/** Skipped on purpose: no failure of the run, and nothing that a retry would do. */
export const leftAlone = ["no_longer_matches", "changed_since_preflight"];

/** With what is known of the run at this moment. */
export type Portion = NewPortion & { isCancelled: boolean; hasFailed: boolean };

/** The next portion that is to be done, or a certain one; locked. Who waits for somebody else's finds it done, and gets another. */
export async function lockNextPortion(
  tx: Tx,
  runId: string,
  locked: "wait" | "skip",
  position?: number,
): Promise<Portion | undefined> {
  const [row] = await tx.query<Portion>(
    `select c.position, c.refs, c.order_ids as "orderIds", c.todo, c.versions, r.cancel_requested as "isCancelled", r.failed > 0 as "hasFailed"
       from operation_run_batches c join operation_runs r on r.id = c.run_id
      where c.run_id = $1 and not c.is_done and ($2::integer is null or c.position = $2)
      order by c.position limit 1 for update of c ${locked === "skip" ? "skip locked" : ""}`,
    [runId, position ?? null],
  );
  return row;
}

/** The orders that were not reached, as cancelled; in one statement. */
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
  tx.send(
    `insert into operation_results (run_id, position, ref, order_id, order_number, status, is_unchanged, todo, error_code,
       error, steps, version_before, version_after, finished_at)
     select $1, r.position, r.ref, r.order_id, r.order_number, r.status, r.is_unchanged, r.todo, r.error_code,
       r.error, r.steps, r.version_before, r.version_after, $3
       from jsonb_to_recordset($2::jsonb) as r (position integer, ref text, order_id uuid, order_number text, status text,
         is_unchanged boolean, todo integer, error_code text, error jsonb, steps jsonb, version_before integer, version_after integer)`,
    [runId, JSON.stringify(packed), at],
  );
}

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
    ],
    orderBy: "position",
  });
  return mapPage({ ...page, data: await unpackSteps(db, orgId, page.data) }, present);
}

/** For exports: the results after a position, without counting. */
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

/** With the version that each order had when the run was done with it. */
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

type RunGroup = OrderGroup & { status: RunResult["status"] };
type ReasonRow = Pick<RunGroup, "status" | "code" | "step" | "type"> & {
  message: string;
  fix: string | null;
  count: number;
  total: number;
  sample: (OrderGroup["sample"][number] & { position: number })[];
};

/**
 * What became of the orders that did not succeed: by status, step and code, the most frequent first. Of orders that an undo took back
 * in part, each step that it could not take back.
 */
export async function listGroups(db: Queryable, runId: string): Promise<RunGroup[]> {
  const rows = await db.query<ReasonRow>(
    `with said as (
       select r.position, r.status, f.step, f.type,
              case when r.status = 'succeeded' then f.error ->> 'code' else coalesce(r.error_code, r.status) end as code,
              case when r.status = 'succeeded' then f.error else r.error end as error
         from operation_results r left join lateral (
           select (s ->> 'index')::integer as step, s ->> 'type' as type, s -> 'error' as error, row_number() over () as nth
             from jsonb_array_elements(r.steps) as s
            where s ->> 'status' in ('failed', 'undo_failed')) f on f.nth = 1 or r.status = 'succeeded'
        where r.run_id = $1 and (r.status <> 'succeeded' or r.error_code is not null)),
     reasons as (
       select status, code, step, type, coalesce(error ->> 'message', '') as message, error ->> 'fix' as fix,
              count(*)::integer as count, (array_agg(position order by position))[1:5] as positions
         from said group by 1, 2, 3, 4, 5, 6),
     ranked as (
       select *, sum(count) over grp ::integer as total, row_number() over (grp order by count desc, positions[1]) as nth
         from reasons window grp as (partition by status, code, step, type))
     select status, code, step, type, message, fix, count, total,
            array(select jsonb_build_object('position', o.position, 'ref', o.ref, 'order_id', o.order_id, 'order_number', o.order_number)
                    from operation_results o where o.run_id = $1 and o.position = any(positions) order by o.position) as sample
       from ranked where nth <= $2 order by total desc, positions[1]`,
    [runId, maxReasons],
  );
  const groups = Map.groupBy(rows, ({ status, code, step, type }) => JSON.stringify([status, code, step, type]));
  return [...groups.values()].map((reasons) => {
    const { status, code, step, type, total } = reasons[0]!;
    const first = reasons.flatMap(({ sample }) => sample).toSorted((a, b) => a.position - b.position);
    const told = reasons.map(({ message, fix, count }) => ({ message, ...(fix ? { fix } : {}), count }));
    const sample = first.slice(0, 5).map(({ ref, order_id, order_number }) => ({ ref, order_id, order_number }));
    return { status, code, step, type, ...summedUp(told), count: total, sample };
  });
}

export type Unfinished = { ref: string; order_id: string | null; todo: number };

/** The orders that failed in this run and have not succeeded in a later run of the same chain. */
export async function listStillFailed(
  db: Queryable,
  runId: string,
  rootRunId: string,
  codes?: string[],
): Promise<Unfinished[]> {
  return await db.query<Unfinished>(
    `with latest as (
       select distinct on (l.ref) l.ref, l.status, l.todo, l.error_code from operation_runs n join operation_results l on l.run_id = n.id
        where n.root_run_id = $2 and n.undo_of is null order by l.ref, n.created_at desc, n.id desc)
     select r.ref, r.order_id, latest.todo from operation_results r join latest using (ref)
      where r.run_id = $1 and r.status <> 'succeeded' and latest.status <> 'succeeded'
        and coalesce(latest.error_code, '') <> all($3)
        and ($4::text[] is null or coalesce(latest.error_code, latest.status) = any($4)) order by r.position`,
    [runId, rootRunId, leftAlone, codes ?? null],
  );
}

/** By which names the runs of a chain know these orders. */
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

/** The orders that this run changed, whatever was undone since. */
export async function listChanged(db: Queryable, runId: string): Promise<{ ref: string; order_id: string }[]> {
  return await db.query<{ ref: string; order_id: string }>(
    `select ref, order_id from operation_results
      where run_id = $1 and order_id is not null and not is_unchanged and jsonb_path_exists(steps, '$[*] ? (@.status == "applied")')
      order by position`,
    [runId],
  );
}

export type DoneSteps = { run_id: string; undo_of: string | null; ref: string; steps: number };

/** Which steps each run of a chain did to each order, or took back, as bits; of these orders. */
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

/** How a step ended that had to wait for somebody outside. */
export type StepEnd = {
  orderId: string;
  step: number;
  error: NonNullable<RunResult["error"]> | null;
  warning: { code: string; message: string } | null;
};

/** Answers the orders that had succeeded until then and have failed now. */
export async function endSteps(tx: Tx, runId: string, ends: StepEnd[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with ends as (
       select e.*, r.status as former from jsonb_to_recordset($2::jsonb)
           as e ("orderId" uuid, step integer, error jsonb, warning jsonb)
         join operation_results r on r.run_id = $1 and r.order_id = e."orderId"),
     told as (
       update operation_results r set
         steps = (select jsonb_agg(case when (s.step ->> 'index')::integer <> e.step then s.step else s.step - 'warning'
                      || case when e.warning is null then '{}' else jsonb_build_object('warning', e.warning) end
                      || case when e.error is null then '{}' else jsonb_build_object('error', e.error, 'status', 'failed') end
                    end order by s.n)
                    from jsonb_array_elements(r.steps) with ordinality as s (step, n)),
         status = case when e.error is null then r.status else 'failed' end,
         todo = case when e.error is null then r.todo else r.todo | (1 << e.step) end,
         error_code = coalesce(r.error_code, e.error ->> 'code'),
         error = coalesce(r.error, e.error)
         from ends e where r.run_id = $1 and r.order_id = e."orderId")
     select "orderId" as id from ends where error is not null and former = 'succeeded'`,
    [runId, JSON.stringify(ends)],
  );
  return rows.map(({ id }) => id);
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
  return { ...row, resume_from_step: isDone ? null : 31 - Math.clz32(todo & -todo) };
}
