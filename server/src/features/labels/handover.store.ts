import type { Stored } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { ShipmentLabel } from "./label.ts";
import { labelColumns, toLabel } from "./labels.store.ts";

/** What takes the parcels of several labels: the column that has its ID. */
export type Handover = { pickupId: string } | { manifestId: string };

function columnOf(handover: Handover): { column: "pickup_id" | "manifest_id"; id: string } {
  return "pickupId" in handover
    ? { column: "pickup_id", id: handover.pickupId }
    : { column: "manifest_id", id: handover.manifestId };
}

/** Purchased labels of an account with a ship date in this range. */
export async function listLabelsOfDays(
  db: Queryable,
  orgId: string,
  { carrierAccountId, firstDay, lastDay }: { carrierAccountId: string; firstDay: string; lastDay: string },
): Promise<ShipmentLabel[]> {
  const rows = await db.query<Stored<ShipmentLabel>>(
    `select ${labelColumns} from shipment_labels t
      where t.org_id = $1 and t.carrier_account_id = $2 and t.ship_date between $3 and $4
        and t.status = 'purchased' and t.void_requested_at is null
      order by t.id`,
    [orgId, carrierAccountId, firstDay, lastDay],
  );
  return rows.map(toLabel);
}

export async function listLabelsOfHandover(db: Queryable, orgId: string, handover: Handover): Promise<ShipmentLabel[]> {
  const { column, id } = columnOf(handover);
  const rows = await db.query<Stored<ShipmentLabel>>(
    `select ${labelColumns} from shipment_labels t where t.org_id = $1 and t.${column} = $2 order by t.id`,
    [orgId, id],
  );
  return rows.map(toLabel);
}

export async function assign(tx: Tx, orgId: string, labelIds: string[], handover: Handover): Promise<void> {
  const { column, id } = columnOf(handover);
  await tx.query(`update shipment_labels set ${column} = $3 where org_id = $1 and id = any($2::uuid[])`, [
    orgId,
    labelIds,
    id,
  ]);
}

export async function release(tx: Tx, orgId: string, handover: Handover): Promise<void> {
  const { column, id } = columnOf(handover);
  await tx.query(`update shipment_labels set ${column} = null where org_id = $1 and ${column} = $2`, [orgId, id]);
}

/** Labels that were voided since they were assigned. */
export async function releaseVoided(tx: Tx, orgId: string, handover: Handover): Promise<void> {
  const { column, id } = columnOf(handover);
  await tx.query(
    `update shipment_labels set ${column} = null
      where org_id = $1 and ${column} = $2 and (status <> 'purchased' or void_requested_at is not null)`,
    [orgId, id],
  );
}
