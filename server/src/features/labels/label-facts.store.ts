import type { Queryable } from "../../db/database.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";

/** A parcel of a label as it was requested. */
export type LabelFacts = {
  shipmentId: string;
  weight: Weight;
  dimensions: Dimensions | null;
  residential: boolean | null;
};

/** The parcels of these labels, for the audit of invoices. Labels of before labels had several parcels have one. */
export async function listLabelFacts(db: Queryable, orgId: string, labelIds: string[]): Promise<LabelFacts[]> {
  if (labelIds.length === 0) return [];
  return await db.query<LabelFacts>(
    `select coalesce(parcel.value ->> 'shipmentId', label.shipment_id::text) as "shipmentId",
            coalesce(parcel.value -> 'weight', label.weight) as weight,
            case when parcel.value is null then label.dimensions
                 else nullif(parcel.value -> 'dimensions', 'null'::jsonb) end as dimensions,
            (label.options ->> 'residential')::boolean as residential
       from shipment_labels label
       left join lateral jsonb_array_elements(label.parcels) as parcel (value) on true
      where label.org_id = $1 and label.id = any($2::uuid[])`,
    [orgId, labelIds],
  );
}
