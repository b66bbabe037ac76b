import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { violatedConstraint } from "../../db/database.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { askToSchedule } from "./ask-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { presentPickup } from "./pickup.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";
import { pickupExists } from "./plan-pickup.ts";
import { callOffFormer, settleRequest } from "./settle-pickup.ts";

/** Asks the carrier, outside of any transaction, and writes down what it said. */
export async function book(ctx: Ctx, pickup: Pickup, open: OpenCarrier): Promise<PickupAnswer> {
  const said = await askToSchedule(ctx, open, pickup);
  if ("refused" in said) {
    const settled = await ctx.db.transaction((tx) => settleRequest(tx, ctx, pickup, open, said));
    const rest = settled.status === "scheduled" ? " The pickup stays as it was." : "";
    throw new HubError("carrier_failed", `${said.refused.message}${rest}`, {
      extra: { pickupId: pickup.id, carrierCode: said.refused.code },
    });
  }
  let settled: Pickup | undefined;
  const answer = await change(ctx, async (tx) => {
    settled = await settleRequest(tx, ctx, pickup, open, said);
    return presentPickup(settled, ctx.clock.now().toISOString());
  });
  await callOffFormer(ctx, settled!, open);
  return answer;
}

/** The database lets only one of two pickups at one place on one day pass. */
export async function refuseTwin(ctx: Ctx, pickup: Pickup, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (violatedConstraint(error) !== "pickups_one_a_day") throw error;
    throw pickupExists(await store.findTwin(ctx.db, ctx.orgId, pickup), null);
  }
}
