import type { CarrierNews, ChargeAdjustment } from "../../carriers/seam/carrier.ts";
import { amountOf } from "../../carriers/seam/money.ts";
import { cutText } from "../../core/cut-text.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { isStorableLine, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { correctParcelCost, findLabelIds, trackingKeyOf } from "../shipments/shipments.ts";
import { settleRefund } from "./carrier-voids.ts";
import type { LabelAdjustment } from "./label-adjustments.store.ts";
import { saveAdjustment } from "./label-adjustments.store.ts";
import type { ShipmentLabel } from "./label.ts";
import { finalCentsOf, parcelsOf } from "./label.ts";
import * as store from "./labels.store.ts";
import { eventDataOf, lock } from "./save-label.ts";

type LabelNews = Pick<CarrierNews, "voids" | "adjustments">;

/**
 * Applies what a carrier reports about labels of this account after their purchase: refunds and corrected prices. Locks labels before
 * orders and shipments, as purchases do. Returns the tracking numbers that no label of the account has.
 */
export async function applyLabelNews(tx: Tx, ctx: Ctx, accountId: string, news: LabelNews): Promise<string[]> {
  const numbers = [...news.voids, ...news.adjustments].map(({ trackingNumber }) => trackingNumber);
  const labelIds = await findLabels(tx, ctx, accountId, numbers);
  const idOf = (trackingNumber: string): string | undefined => labelIds.get(trackingKeyOf(trackingNumber));
  for (const { trackingNumber, answer } of news.voids) {
    const id = idOf(trackingNumber);
    if (id !== undefined) await settleRefund(tx, ctx, await lock(tx, ctx, id), answer);
  }
  for (const adjustment of news.adjustments) {
    const id = idOf(adjustment.trackingNumber);
    if (id !== undefined) await adjust(tx, ctx, accountId, id, adjustment);
  }
  return numbers.filter((number) => idOf(number) === undefined);
}

/** By tracking key. Carriers use numbers again: the label that was bought last counts. */
async function findLabels(tx: Tx, ctx: Ctx, accountId: string, numbers: string[]): Promise<Map<string, string>> {
  const parcels = await findLabelIds(tx, ctx.orgId, numbers);
  const ids = parcels.flatMap(({ labelId }) => labelId ?? []);
  const shipmentIds = parcels.map(({ shipmentId }) => shipmentId);
  const labels = await store.listSoldBy(tx, ctx.orgId, accountId, { ids, shipmentIds });
  const keysOf = (label: ShipmentLabel): string[] =>
    parcelsOf(label).flatMap(({ trackingNumber }) => (trackingNumber === null ? [] : [trackingKeyOf(trackingNumber)]));
  return new Map(labels.flatMap((label) => keysOf(label).map((key): [string, string] => [key, label.id])));
}

async function adjust(tx: Tx, ctx: Ctx, accountId: string, labelId: string, given: ChargeAdjustment): Promise<void> {
  const at = nowOf(ctx);
  const adjustment = readAdjustment(given, at);
  if (!adjustment) {
    ctx.log.warn({ labelId }, "a carrier reported a price correction that cannot be stored");
    return;
  }
  const before = await lock(tx, ctx, labelId);
  const row = { rowId: ctx.newId(), labelId, accountId };
  if (!(await saveAdjustment(tx, ctx.orgId, row, adjustment))) return;
  await store.touchLabel(tx, ctx.orgId, labelId, at);
  const after = await lock(tx, ctx, labelId);
  const { id, cents, currency } = adjustment;
  recordEvent(tx, ctx, {
    type: "label.charge_adjusted",
    objectId: labelId,
    data: {
      ...eventDataOf(after),
      adjustment: { id, amount: amountOf(cents, currency), currency },
      finalCost: finalCostOf(after),
    },
  });
  await correctCost(tx, ctx, before, after);
}

/** The cost of a shipment is what was spent on it. */
async function correctCost(tx: Tx, ctx: Ctx, before: ShipmentLabel, after: ShipmentLabel): Promise<void> {
  const [from, to] = [finalCostOf(before), finalCostOf(after)];
  const { shipmentId, currency } = after;
  if (shipmentId === null || currency === null || from === null || to === null) return;
  await correctParcelCost(tx, ctx, shipmentId, { from, to: Math.max(to, 0), currency });
}

function finalCostOf(label: ShipmentLabel): number | null {
  const cents = finalCentsOf(label);
  return cents === null ? null : amountOf(cents, label.currency ?? "USD");
}

/** Carriers' reports are untrusted input. */
function readAdjustment(given: ChargeAdjustment, receivedAt: string): LabelAdjustment | undefined {
  const { id, trackingNumber, charge, reason, weight } = given;
  const { cents, currency } = charge;
  const isSound = isStorableLine(id) && id !== "" && Number.isSafeInteger(cents) && /^[A-Z]{3}$/.test(currency);
  if (!isSound) return undefined;
  const isWeight = weight !== undefined && Number.isFinite(weight.value) && weight.value > 0;
  return {
    id,
    trackingNumber,
    cents,
    currency,
    reason: cutText(cleanText(reason), 300),
    weight: isWeight ? weight : null,
    receivedAt,
  };
}
