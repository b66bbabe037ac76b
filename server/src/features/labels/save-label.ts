import { amountOf } from "../../carriers/seam/money.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening, NewEvent } from "../../events/event-catalogue.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { CarrierRequest } from "../carrier-accounts/carrier-requests.ts";
import { nowOf } from "../carrier-accounts/carrier-requests.ts";
import { updateLabelExceptions } from "./label-exceptions.ts";
import type { ShipmentLabel } from "./label.ts";
import { isAwaiting, touched } from "./label.ts";
import * as store from "./labels.store.ts";

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<ShipmentLabel> {
  return orNotFound("label", await store.lockLabel(tx, ctx.orgId, id));
}

/** A corrected price has an event of its own. */
export type LabelHappening = Exclude<Happening<"label">, "charge_adjusted">;

/** Saves a changed label, records the event and updates its exceptions. */
export async function save(
  tx: Tx,
  ctx: Ctx,
  label: ShipmentLabel,
  what: LabelHappening,
  about: { reason?: "voided_at_carrier" } = {},
): Promise<ShipmentLabel> {
  await store.updateLabel(tx, ctx.orgId, label);
  record(tx, ctx, [label], what, about);
  await updateLabelExceptions(tx, ctx, label, what);
  if (label.runId !== null && !isAwaiting(label)) await ctx.signals.publish(tx, "label_ended", label.id);
  return label;
}

export function record(
  tx: Tx,
  ctx: Ctx,
  labels: ShipmentLabel[],
  what: LabelHappening,
  about: { reason?: "voided_at_carrier" } = {},
): void {
  recordEvents(
    tx,
    ctx,
    labels.map((label): NewEvent => ({
      type: `label.${what}`,
      objectId: label.id,
      data: { ...eventDataOf(label), ...about },
    })),
  );
}

export function eventDataOf(label: ShipmentLabel) {
  const { status, carrier, service, orderId, shipmentId, trackingNumber, costCents, currency, version } = label;
  const cost = costCents === null ? null : amountOf(costCents, currency ?? "USD");
  return { status, carrier, service, orderId, shipmentId, trackingNumber, cost, version };
}

/** The same for every request about a label. */
export const common: Pick<CarrierRequest<ShipmentLabel, never>, "effects" | "lock" | "noResponse"> = {
  effects: store.labelEffects,
  lock,
  noResponse: (tx, ctx, current, { retryAfterMs }) =>
    save(tx, ctx, touched(current, nowOf(ctx), retryAfterMs), "response_missing"),
};
