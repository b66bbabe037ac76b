import type { Queryable } from "../../db/database.ts";

/** An object of an event and an order that it is about. */
export type OrderOf = { objectId: string; orderId: string };

export async function listOrdersOfShipments(db: Queryable, orgId: string, ids: string[]): Promise<OrderOf[]> {
  return await db.query<OrderOf>(
    `select shipment.id as "objectId", shipment.order_id as "orderId"
       from shipments shipment
      where shipment.org_id = $1 and shipment.id = any($2::uuid[]) and shipment.order_id is not null`,
    [orgId, ids],
  );
}

/** The orders of the labels that a pickup or a manifest takes. */
export async function listOrdersOfLabels(
  db: Queryable,
  orgId: string,
  handover: "pickup_id" | "manifest_id",
  ids: string[],
): Promise<OrderOf[]> {
  return await db.query<OrderOf>(
    `select distinct label.${handover} as "objectId", label.order_id as "orderId"
       from shipment_labels label
      where label.org_id = $1 and label.${handover} = any($2::uuid[]) and label.order_id is not null`,
    [orgId, ids],
  );
}

export async function listOrdersOfRuns(
  db: Queryable,
  orgId: string,
  ids: string[],
  areFailed: boolean,
): Promise<OrderOf[]> {
  return await db.query<OrderOf>(
    `select result.run_id as "objectId", result.order_id as "orderId"
       from operation_runs run
       join operation_results result on result.run_id = run.id
      where run.org_id = $1
        and run.id = any($2::uuid[])
        and result.order_id is not null
        and (not $3 or result.status = 'failed')
      order by result.run_id, result.position`,
    [orgId, ids, areFailed],
  );
}

const uuid = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/**
 * The orders that an execution was to send. A result lists each order with its outcome; an execution that failed before it sent any
 * has only the orders of its input, which all count as failed.
 */
export async function listOrdersOfExecutions(
  db: Queryable,
  orgId: string,
  ids: string[],
  areFailed: boolean,
): Promise<OrderOf[]> {
  return await db.query<OrderOf>(
    `select distinct execution.id as "objectId", named.order_id::uuid as "orderId"
       from task_executions execution,
            lateral (
              select result ->> 'orderId' as order_id,
                     result ->> 'status' in ('failed', 'outcome_unknown', 'in_progress') as is_failed
                from jsonb_path_query(execution.result, '$.results[*]') result
              union all
              select lower(input #>> '{}'), true
                from jsonb_path_query(execution.input, '$.orderIds[*]') input
               where not coalesce(execution.result ? 'results', false)) named
      where execution.org_id = $1
        and execution.id = any($2::uuid[])
        and named.order_id ~ '${uuid}'
        and (not $3 or named.is_failed)`,
    [orgId, ids, areFailed],
  );
}
