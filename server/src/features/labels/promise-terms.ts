import type { Label } from "../../carriers/seam/labels.ts";
import { countryOfAddress, isDay, zoneOfAddress } from "../../core/time-zones.ts";
import type { Handover } from "../../core/transit-promise.ts";
import { carrierDateRule, handoverDay, promiseAfter } from "../../core/transit-promise.ts";
import type { Ctx } from "../../context.ts";
import type { ContractTransit } from "../carrier-accounts/contract-transit.ts";
import { findContractTransit } from "../carrier-accounts/contract-transit.ts";
import { findLocation } from "../locations/locations.ts";
import { readOrders } from "../orders/orders.ts";
import { findWorkingCalendar } from "../organizations/organizations.ts";
import type { PromisedDelivery } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { isReturnLabel } from "./label.ts";

/** What a promise depends on besides the carrier's response. Read before the purchase: a failure must not cost a paid label. */
export type PromiseTerms = { handover: Handover; contract: ContractTransit | undefined };

export async function readPromiseTerms(
  ctx: Ctx,
  label: ShipmentLabel,
  shipDate: string,
  boughtAt: string,
): Promise<PromiseTerms> {
  const { carrierAccountId, service, from, to, weight } = label;
  const [calendar, location, contract] = await Promise.all([
    findWorkingCalendar(ctx, ctx.orgId),
    findOrigin(ctx, label),
    carrierAccountId === null
      ? undefined
      : findContractTransit(ctx, carrierAccountId, { service, from, to, weight, shipDate }),
  ]);
  return {
    contract,
    handover: {
      boughtAt,
      shipDate,
      timeZone: location?.timezone ?? zoneOfAddress(from) ?? calendar.timezone,
      // A customer sends a return when it suits.
      cutoffTime: isReturnLabel(label) ? null : (location?.cutoff_time ?? calendar.cutoffTime),
    },
  };
}

/** The order's location, if the parcel is sent from there. */
async function findOrigin(ctx: Ctx, label: ShipmentLabel): Promise<Awaited<ReturnType<typeof findLocation>>> {
  if (label.orderId === null || isReturnLabel(label)) return undefined;
  const [order] = await readOrders(ctx.db, ctx.orgId, [label.orderId]);
  const location = order?.locationId ? await findLocation(ctx, order.locationId) : undefined;
  return location?.address.zip === label.from.zip ? location : undefined;
}

/**
 * The day by the contract, else as the carrier promised with the label or its quote; null if neither says one. An implausible day of the
 * carrier counts for nothing.
 */
export function promiseOf(
  { carrier, from, to, options }: ShipmentLabel,
  { deliverBy, transitDays, service }: Label,
  { handover, contract }: PromiseTerms,
): PromisedDelivery | null {
  const { shipDate, timeZone, cutoffTime } = handover;
  const sent = {
    carrier,
    service,
    isAbroad: countryOfAddress(from) !== countryOfAddress(to),
    isSaturdayDelivery: options.saturdayDelivery === true,
  };
  const after = (days: number) => ({ transitDays: days, timeZone, cutoffTime, ...handoverDay(handover, sent) });
  if (contract && contract.transitDays !== null) {
    const { transitDays: days, rateCardId } = contract;
    const counted = promiseAfter(sent, { basis: "contract", rateCardId, ...after(days) });
    return { ...counted, promisedAt: null, promiseSource: "contract" };
  }
  if (deliverBy !== undefined) {
    const latest = new Date(Date.parse(shipDate) + 366 * 86_400_000).toISOString();
    if (deliverBy < shipDate || deliverBy > latest) return null;
    const day = isDay(deliverBy)
      ? { promisedAt: null, promisedDate: deliverBy }
      : { promisedAt: new Date(deliverBy).toISOString(), promisedDate: null };
    return { ...day, promiseSource: "quote", promiseRule: carrierDateRule };
  }
  if (transitDays === undefined || transitDays > 200) return null;
  const counted = promiseAfter(sent, { basis: "carrier_days", ...after(transitDays) });
  return { ...counted, promisedAt: null, promiseSource: "quote" };
}
