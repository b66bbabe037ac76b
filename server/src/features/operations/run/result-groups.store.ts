import type { Queryable } from "../../../db/database.ts";
import type { OrderGroup } from "../operations.schemas.ts";
import { maxReasons, summedUp } from "../order-groups.ts";
import type { RunResult } from "../run.schemas.ts";

type RunGroup = OrderGroup & { status: RunResult["status"] };
type ReasonRow = Pick<RunGroup, "status" | "code" | "step" | "type"> & {
  message: string;
  fix: string | null;
  count: number;
  total: number;
  sample: (OrderGroup["sample"][number] & { position: number })[];
};

/**
 * Unsuccessful results by status, step and code, the largest group first; for partially undone orders, each step that could not be
 * undone. Reads the failed results of the run by operation_results_failed, and its samples by primary key.
 */
export async function listGroups(db: Queryable, runId: string): Promise<RunGroup[]> {
  const rows = await db.query<ReasonRow>(
    `with findings as (
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
         from findings group by 1, 2, 3, 4, 5, 6),
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
    const listed = reasons.map(({ message, fix, count }) => ({ message, ...(fix ? { fix } : {}), count }));
    const sample = first.slice(0, 5).map(({ ref, order_id, order_number }) => ({ ref, order_id, order_number }));
    return { status, code, step, type, ...summedUp(listed), count: total, sample };
  });
}
