import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { askForLabel, askToVoid } from "./ask-seller.ts";
import type { ShipmentLabel } from "./label.ts";
import * as store from "./labels.store.ts";
import { settlePurchase, settleVoid } from "./settle-label.ts";

const most = 20;
/** Longer than a carrier is waited for. */
const leaseMs = 60_000;

/**
 * Asks again what a carrier left unanswered, or what a process that died could not write down: under the same key, so that
 * the carrier answers the label it has sold already. Returns how many there were.
 */
export async function tendLabels(world: World, stopping?: AbortSignal): Promise<number> {
  for (let count = 0; count < most; count++) {
    if (stopping?.aborted) return count;
    const now = world.clock.now();
    // One at a time: the lease of the last of many would run out while the first are waited for.
    const due = await store.claimDueAcrossOrgs(world.db, now, new Date(now.getTime() + leaseMs));
    if (!due) return count;
    const { orgId, label } = due;
    await tend(systemContext(world, orgId, "labels"), label).catch((error: unknown) =>
      world.log.error({ err: error, labelId: label.id }, "a label could not be looked after; it will be tried again"),
    );
  }
  return most;
}

const gone = { refused: { code: "carrier_account_not_found", message: "The carrier account was deleted." } };

async function tend(ctx: Ctx, label: ShipmentLabel): Promise<void> {
  const { id, carrierAccountId, status } = label;
  const open = carrierAccountId === null ? undefined : await openCarrier(ctx, carrierAccountId);
  if (status === "requested") {
    const said = open ? await askForLabel(ctx, open, label) : gone;
    await ctx.db.transaction((tx) => settlePurchase(tx, ctx, id, said));
  } else {
    const said = open ? await askToVoid(ctx, open, label) : gone;
    await ctx.db.transaction((tx) => settleVoid(tx, ctx, id, said));
  }
}
