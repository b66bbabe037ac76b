import type { Weight } from "../../core/weight.ts";
import type { Queryable } from "../../db/database.ts";

/**
 * `requested`, `bought` and `failed`: labels that the run requested. `voided` and `printed` are among those that were bought, and `costs` are
 * of those that are not voided. `refundsPending`: labels that the run voided.
 */
export type RunLabels = {
  requested: number;
  bought: number;
  failed: number;
  voided: number;
  printed: number;
  refundsPending: number;
  costs: { currency: string; cents: number; labels: number }[];
};

/** The labels of each of these runs as they are now, by shipment_labels_by_purchase_run and shipment_labels_by_void_run. */
export async function countLabelsOfRuns(
  db: Queryable,
  orgId: string,
  runIds: string[],
): Promise<Map<string, RunLabels>> {
  if (runIds.length === 0) return new Map();
  const rows = await db.query<RunLabels & { runId: string }>(
    `select run.id as "runId", purchases.requested, purchases.bought, purchases.failed, purchases.voided, purchases.printed,
            voids.pending as "refundsPending", paid.costs
       from unnest($2::uuid[]) as run (id)
      cross join lateral (
              select count(*) as requested,
                     count(*) filter (where label.status in ('purchased', 'voided')) as bought,
                     count(*) filter (where label.status = 'failed') as failed,
                     count(*) filter (where label.status = 'voided') as voided,
                     count(*) filter (where label.status = 'purchased' and label.printed_at is not null) as printed
                from shipment_labels label
               where label.org_id = $1
                 and label.purchase_run_id = run.id) purchases
      cross join lateral (
              select coalesce(jsonb_agg(jsonb_build_object('currency', of.currency, 'cents', of.cents, 'labels', of.labels)
                                        order by of.labels desc, of.currency), '[]') as costs
                from (select label.currency, sum(label.cost_cents) as cents, count(*) as labels
                        from shipment_labels label
                       where label.org_id = $1
                         and label.purchase_run_id = run.id
                         and label.status = 'purchased'
                         and label.cost_cents is not null
                       group by label.currency) of) paid
      cross join lateral (
              select count(*) as pending
                from shipment_labels label
               where label.org_id = $1
                 and label.void_run_id = run.id
                 and label.status = 'voided'
                 and label.refund ->> 'state' = 'submitted') voids`,
    [orgId, runIds],
  );
  return new Map(rows.map(({ runId, ...counted }) => [runId, counted]));
}

/** The labels of a run with the same service, those that are voided left out. `voidable`: as far as the hub knows. */
export type ServiceLabels = {
  carrierAccountId: string | null;
  carrier: string;
  service: string;
  currency: string | null;
  labels: number;
  cents: number | null;
  voidable: number;
};

export async function sumLabelsByService(db: Queryable, orgId: string, runId: string): Promise<ServiceLabels[]> {
  // By shipment_labels_by_purchase_run; the shipment of each lead parcel by primary key.
  return await db.query<ServiceLabels>(
    `select label.carrier_account_id as "carrierAccountId", label.carrier, label.service, label.currency,
            count(*) as labels,
            sum(label.cost_cents)::bigint as cents,
            count(*) filter (
              where label.void_requested_at is null
                and label.carrier_account_id is not null
                and shipment.accepted_at is null
                and coalesce(shipment.status, '') not in ('delivered', 'returned')) as voidable
       from shipment_labels label
       left join shipments shipment on shipment.id = label.shipment_id
      where label.org_id = $1
        and label.purchase_run_id = $2
        and label.status = 'purchased'
      group by 1, 2, 3, 4
      order by count(*) desc, 3, 4`,
    [orgId, runId],
  );
}

/** A label that a run requested for an order. */
export type OrderRunLabel = {
  id: string;
  orderId: string;
  shipmentId: string | null;
  status: string;
  carrier: string;
  carrierAccountId: string | null;
  service: string;
  trackingNumber: string | null;
  cents: number | null;
  currency: string | null;
  weight: Weight;
  printCount: number;
  isVoidPending: boolean;
};

export async function listLabelsOfRun(
  db: Queryable,
  orgId: string,
  runId: string,
  orderIds: string[],
): Promise<OrderRunLabel[]> {
  if (orderIds.length === 0) return [];
  return await db.query<OrderRunLabel>(
    `select label.id, label.order_id as "orderId", label.shipment_id as "shipmentId", label.status, label.carrier,
            label.carrier_account_id as "carrierAccountId", label.service, label.tracking_number as "trackingNumber",
            label.cost_cents as cents, label.currency, label.weight, label.print_count as "printCount",
            label.void_requested_at is not null as "isVoidPending"
       from shipment_labels label
      where label.org_id = $1
        and label.purchase_run_id = $2
        and label.order_id = any($3::uuid[])
      order by label.created_at, label.id`,
    [orgId, runId, orderIds],
  );
}

/** Of these orders, those for which the run bought a label, and others whose label is pending or may have been bought. */
export async function countOrdersWithLabels(
  db: Queryable,
  orgId: string,
  runId: string,
  orderIds: string[],
): Promise<{ bought: number; unknown: number }> {
  if (orderIds.length === 0) return { bought: 0, unknown: 0 };
  // By shipment_labels_by_purchase_run.
  const [counts] = await db.query<{ bought: number; unknown: number }>(
    `select count(*) filter (where of.bought) as bought,
            count(*) filter (where of.unknown and not of.bought) as unknown
       from (select bool_or(label.status in ('purchased', 'voided')) as bought,
                    bool_or(label.status = 'requested'
                            or label.status = 'failed' and label.failure ->> 'code' = 'outcome_unknown') as unknown
               from shipment_labels label
              where label.org_id = $1
                and label.purchase_run_id = $2
                and label.order_id = any($3::uuid[])
              group by label.order_id) of`,
    [orgId, runId, orderIds],
  );
  return counts!;
}
