import type { Address } from "../../core/address.ts";
import { fromCents } from "../../core/money.ts";
import { isDay, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";
import { promiseFrom } from "../../core/transit-promise.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import type { StepPrice } from "./action.ts";
import type { Price } from "./carrier-directory.ts";

export const preferences = ["cheapest", "fastest"] as const;
export type Preference = (typeof preferences)[number];

/** A price of an account, with the day on which the shipment arrives; null if it is unknown. */
export type Rate = { offer: CarrierOffer; price: Price; arrivesOn: string | null };

/** Where a shipment goes and when, for its day of arrival. */
export type Journey = { to: Address; shipDate: string; timeZone: string };

/** By the carrier's promise for this shipment, else its transit days after the ship date. */
export function rateOf(offer: CarrierOffer, price: Price, { to, shipDate, timeZone }: Journey): Rate {
  const { service, transitDays, quote } = price;
  const promised = quote.deliverBy;
  if (promised !== null) {
    const arrivesOn = isDay(promised)
      ? promised
      : localDateOf(new Date(promised).toISOString(), zoneOfAddress(to) ?? timeZone);
    return { offer, price, arrivesOn };
  }
  if (transitDays === null) return { offer, price, arrivesOn: null };
  const { promisedDate } = promiseFrom({ carrier: offer.carrier, service }, { shipDate, transitDays });
  return { offer, price, arrivesOn: promisedDate };
}

/**
 * The best first. A price of zero is most likely a mistake in a contract, so it comes last. Ties are broken by the other criterion,
 * then by name, so that the choice is deterministic.
 */
export function byPreference(prefer: Preference): (a: Rate, b: Rate) => number {
  const isZero = ({ price }: Rate): number => (price.totalCents === 0 ? 1 : 0);
  const byCost = (a: Rate, b: Rate): number => a.price.totalCents - b.price.totalCents;
  // Unknown days come after all others.
  const byArrival = (a: Rate, b: Rate): number => compareTexts(a.arrivesOn ?? "~", b.arrivesOn ?? "~");
  const nameOf = ({ offer, price }: Rate): string => `${offer.name} ${price.service}`;
  const [first, second] = prefer === "cheapest" ? [byCost, byArrival] : [byArrival, byCost];
  return (a, b) => isZero(a) - isZero(b) || first(a, b) || second(a, b) || compareTexts(nameOf(a), nameOf(b));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function toStepPrice({ offer, price, arrivesOn }: Rate): StepPrice {
  return {
    carrier_account_id: offer.id,
    carrier_account: offer.name,
    service: price.service,
    service_name: price.serviceName,
    total: fromCents(price.totalCents),
    currency: price.currency,
    transit_days: price.transitDays,
    estimated_delivery_date: arrivesOn,
  };
}

type Warning = { code: string; message: string };

/** What a user should know before this price is used. */
export function rateWarnings({ offer, price }: Rate): Warning[] {
  const warnings: Warning[] = [];
  if (price.totalCents === 0) {
    const message = `${offer.name} has a price of 0.00 ${price.currency} for ${price.service}. Check its prices.`;
    warnings.push({ code: "price_zero", message });
  }
  if (!offer.sellsLabels) {
    warnings.push({ code: "no_labels", message: `${offer.name} does not sell labels: buy_label would be refused.` });
  } else if (offer.comparisonOnly) {
    warnings.push({ code: "comparison_only", message: `${offer.name} is marked as for comparison only.` });
  }
  return warnings;
}

/** A step has one warning: the first code, and what all of them say. */
export function joinWarnings(warnings: Warning[]): { warning?: Warning } {
  const [first] = warnings;
  if (!first) return {};
  return { warning: { code: first.code, message: warnings.map(({ message }) => message).join(" ") } };
}
