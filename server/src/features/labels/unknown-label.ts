import type { Label } from "../../carriers/seam/labels.ts";
import { centsOf } from "../../carriers/seam/money.ts";
import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { isOutcomeUnknown, nowOf } from "../carrier-accounts/carrier-requests.ts";
import type { Purchase } from "../exceptions/exceptions.schemas.ts";
import { today } from "../organizations/organizations.ts";
import type { ShipmentLabel } from "./label.ts";
import { parcelsOf, presentLabel, touched } from "./label.ts";
import { purchase } from "./label-requests.ts";
import type { LabelAnswer } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";
import { readPromiseTerms } from "./promise-terms.ts";
import { lock, save } from "./save-label.ts";
import { readSold } from "./sold-label.ts";

/** A user found out that the carrier sold a label whose purchase got no response. `onMarked` runs in the same transaction. */
export async function markPurchased(
  ctx: Ctx,
  id: string,
  found: Purchase,
  onMarked: (tx: Tx) => Promise<void>,
): Promise<LabelAnswer> {
  const label = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  requireUnknown(label);
  const { trackingNumber, furtherTrackingNumbers = [], cost, currency = "USD" } = found;
  const numbers = [trackingNumber, ...furtherTrackingNumbers];
  const count = parcelsOf(label).length;
  if (numbers.length !== count) {
    const message = `The label has ${count} parcels: ${count - 1} further tracking numbers are required.`;
    throw badField("/purchase/furtherTrackingNumbers", "parcel_count", message);
  }
  const sale: Label = {
    service: label.service,
    charge: cost === undefined ? null : { cents: centsOf(cost, currency), currency },
    parcels: numbers.map((number) => ({ trackingNumber: number, file: null })),
  };
  // The carrier sold it when it was asked, not now.
  const terms = await readPromiseTerms(ctx, label, label.shipDate ?? (await today(ctx)), label.createdAt);
  const sold = await readSold(ctx, label, terms, sale);
  if ("problem" in sold) {
    const message = `The label cannot be recorded with this ${sold.problem}. Tracking numbers must differ from each other.`;
    throw badField("/purchase", "invalid_purchase", message);
  }
  return await change(ctx, async (tx) => {
    const current = await lock(tx, ctx, id);
    requireUnknown(current);
    await onMarked(tx);
    // The carrier has the file: its absence is no problem of the purchase.
    return presentLabel(ctx, await purchase.done(tx, ctx, { ...current, failure: null }, { ...sold, lack: null }));
  });
}

/** A user found out that the carrier did not sell it: the items of the order can get another label. */
export async function markNotPurchased(
  ctx: Ctx,
  id: string,
  onMarked: (tx: Tx) => Promise<void>,
): Promise<LabelAnswer> {
  return await change(ctx, async (tx) => {
    const current = await lock(tx, ctx, id);
    requireUnknown(current);
    await onMarked(tx);
    const failure = { code: "not_purchased", message: "The carrier did not sell the label, as a user found out." };
    const after = touched({ ...current, failure }, nowOf(ctx));
    return presentLabel(ctx, await save(tx, ctx, after, "not_purchased"));
  });
}

function requireUnknown(label: ShipmentLabel): void {
  if (isOutcomeUnknown(label)) return;
  throw new HubError("invalid_state", `The outcome of the purchase is known: the label is ${label.status}.`);
}
