import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { WeighedParcel } from "../shipments/shipments.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
import { listUnweighed } from "./rate-items.store.ts";

/** By position: what the organization's own shipments say about items that came without a weight. */
export type OwnParcels = ReadonlyMap<number, WeighedParcel>;

export async function readOwnParcels(
  db: Queryable,
  ctx: Pick<Ctx, "orgId">,
  comparisonId: string,
  from: number,
  count: number,
): Promise<OwnParcels> {
  const items = await listUnweighed(db, comparisonId, from, count);
  const parcels = await findWeighedParcels(
    ctx,
    db,
    items.map((item) => item.tracking_number),
  );
  return new Map(
    items.flatMap((item) => {
      const parcel = parcels.get(item.tracking_number);
      return parcel ? [[item.position, parcel] as const] : [];
    }),
  );
}
