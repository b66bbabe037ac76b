import type { Weight } from "../../core/weight.ts";
import type { Tx } from "../../db/database.ts";

/** A later correction of a label's price. */
export type LabelAdjustment = {
  /** The ID at the carrier. */
  id: string;
  trackingNumber: string;
  cents: number;
  currency: string;
  reason: string;
  weight: Weight | null;
  receivedAt: string;
};

/** The adjustments of a label with the alias `t`, as JSON. */
export const selectedAdjustments = `(
  select coalesce(
           json_agg(
             json_build_object(
               'id', adjustment.external_id,
               'trackingNumber', adjustment.tracking_number,
               'cents', adjustment.cents,
               'currency', adjustment.currency,
               'reason', adjustment.reason,
               'weight', adjustment.weight,
               'receivedAt', adjustment.received_at)
             order by adjustment.received_at, adjustment.id),
           '[]')
    from shipment_label_adjustments adjustment
   where adjustment.label_id = t.id)`;

/** Times inside of JSON are texts of PostgreSQL. */
export function readAdjustments(stored: unknown): LabelAdjustment[] {
  return (stored as LabelAdjustment[]).map((one) => ({ ...one, receivedAt: new Date(one.receivedAt).toISOString() }));
}

/** False: nothing new. The same ID with another amount is a correction by the carrier, which replaces it. */
export async function saveAdjustment(
  tx: Tx,
  orgId: string,
  { rowId, labelId, accountId }: { rowId: string; labelId: string; accountId: string },
  adjustment: LabelAdjustment,
): Promise<boolean> {
  const { id, trackingNumber, cents, currency, reason, weight, receivedAt } = adjustment;
  const rows = await tx.query(
    `insert into shipment_label_adjustments as known
       (id, org_id, label_id, carrier_account_id, external_id, tracking_number, cents, currency, reason, weight, received_at)
     values ($2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (carrier_account_id, external_id) do update
       set cents = excluded.cents, currency = excluded.currency, reason = excluded.reason, weight = excluded.weight,
           received_at = excluded.received_at
     where known.label_id = excluded.label_id
       and (known.cents, known.currency) is distinct from (excluded.cents, excluded.currency)
     returning 1`,
    [
      orgId,
      rowId,
      labelId,
      accountId,
      id,
      trackingNumber,
      cents,
      currency,
      reason,
      weight && JSON.stringify(weight),
      receivedAt,
    ],
  );
  return rows.length === 1;
}
