import { HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { sendAndAnswer, sendAndSettle, nowOf, commitRequest } from "../carrier-accounts/carrier-requests.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import type { ShipmentLabel } from "./label.ts";
import { presentLabel, voidRequested } from "./label.ts";
import { purchase } from "./label-requests.ts";
import { lock, save } from "./save-label.ts";
import { voiding } from "./void-requests.ts";
import type { LabelAnswer } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";
import { voidProblem, withParcels } from "./order-labels.ts";

/** Idempotent. A label whose parcel the carrier already has cannot be voided. */
export async function voidLabel(ctx: Ctx, id: string): Promise<LabelAnswer> {
  const found = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  if (found.status === "voided") return presentLabel(ctx, found);
  await refuseUnvoidable(ctx.db, ctx, found);
  const open = await openCarrier(ctx, found.carrierAccountId!);
  if (!open.carrier.voidLabel) throw notVoidable(`${open.carrier.title} does not support voiding labels.`);
  // The outcome of the purchase must be known before the label can be voided.
  if (found.status === "requested" && !(await isPurchaseSettled(ctx, found, open))) {
    const message = "The carrier has not confirmed the purchase of the label yet. Try again later.";
    throw new HubError("carrier_failed", message, { extra: { labelId: id } });
  }
  const write = async (tx: Tx): Promise<ShipmentLabel> => {
    const current = await lock(tx, ctx, id);
    if (current.status === "voided") return current;
    await refuseUnvoidable(tx, ctx, current);
    return await save(tx, ctx, voidRequested(current, nowOf(ctx)), "void_requested");
  };
  const sent = await commitRequest(ctx, write, (label) => presentLabel(ctx, label));
  // Another request has voided it in the meantime.
  if (sent.status === "voided") return presentLabel(ctx, sent);
  return await sendAndAnswer(ctx, voiding, sent, open, (settled, response) => {
    if (settled.status === "voided") return presentLabel(ctx, settled);
    if ("rejected" in response) {
      const extra = { labelId: id, carrierCode: response.rejected.code };
      const listed = settled.manifestId === null ? "" : ` It is on the manifest ${settled.manifestId}.`;
      const message = `${response.rejected.message} The label stays purchased.${listed}`;
      return new HubError("label_not_voidable", message, { extra });
    }
    const message = "The carrier did not respond to the void request. It is retried in the background.";
    return new HubError("carrier_failed", message, { extra: { labelId: id } });
  });
}

/** A second call beside one that is under way could buy a second label. */
async function isPurchaseSettled(ctx: Ctx, label: ShipmentLabel, open: OpenCarrier): Promise<boolean> {
  if (await store.labelEffects.isRunning(ctx.db, ctx.orgId, label.id)) return false;
  return (await sendAndSettle(ctx, purchase, label, open)).status !== "requested";
}

async function refuseUnvoidable(db: Queryable, ctx: Ctx, label: ShipmentLabel): Promise<void> {
  const [known] = await withParcels(db, ctx, [label]);
  const problem = voidProblem(known!);
  if (problem !== undefined) throw notVoidable(problem);
}

function notVoidable(message: string): HubError {
  return new HubError("label_not_voidable", message);
}
