import type { Ctx } from "../../context.ts";
import { nowOf } from "../carrier-accounts/carrier-requests.ts";
import { assignLabels } from "../labels/labels.ts";
import { dueOf, newPickup } from "./pickup.ts";
import { book, record } from "./pickup-requests.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";
import type { Planned } from "./plan-pickup.ts";
import { refuseViolations } from "./plan-pickup.ts";

/** Books a planned pickup under this ID, unless it violates a rule or duplicates another one. */
export async function bookPlanned(ctx: Ctx, planned: Planned, id: string): Promise<PickupAnswer> {
  refuseViolations(planned);
  const { open, booking, load } = planned;
  const now = nowOf(ctx);
  const about = { id, carrierAccountId: open.account.id, carrier: open.account.carrier };
  const pickup = newPickup(booking, about, now);
  return await book(ctx, open, pickup, async (tx) => {
    await store.insertPickups(tx, ctx.orgId, [{ ...pickup, dueAt: dueOf(pickup, now) }]);
    if (load.labels.length > 0) await assignLabels(tx, ctx, load.labels, { pickupId: id });
    record(tx, ctx, pickup, "requested");
    return pickup;
  });
}
