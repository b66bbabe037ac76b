import { CalendarDate } from "../../../carriers/rate-card/card.schemas.ts";
import { foldService } from "../../../carriers/rate-card/service-level.ts";
import { ShipOptions } from "../../../carriers/seam/ship-options.ts";
import type { FieldError } from "../../../core/errors.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { localDateOf, zoneOfAddress } from "../../../core/time-zones.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import type { CarrierOffer } from "../../carrier-accounts/carrier-accounts.ts";
import { consignmentOf, optionErrors } from "../../labels/labels.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import type { Order } from "../../orders/order.ts";
import { remainingOf } from "../../orders/order.ts";
import type { Refusal } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import type { CarrierDirectory, Price, ParcelToRate } from "../carrier-directory.ts";
import { priceNotFetched } from "../carrier-directory.ts";
import type { Rate } from "../compare-rates.ts";
import { byPreference, joinWarnings, preferences, rateOf, rateWarnings, toStepPrice } from "../compare-rates.ts";

export const chooseRate = defineAction({
  type: "choose_rate",
  title: "Choose rate",
  group: "shipping",
  description:
    "Compares rates across carrier accounts and selects the cheapest, the fastest, or the cheapest that arrives " +
    "within a number of days or by a date. Does not buy a label.",
  params: Strict({
    prefer: Type.Optional(OneOf(preferences, { default: "cheapest" })),
    max_transit_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60,
        description: "Maximum transit time in business days",
      }),
    ),
    deliver_by: Type.Optional({ ...CalendarDate, description: "Limit to services that arrive on this day or earlier" }),
    meet_deliver_by: Type.Optional(
      Type.Boolean({
        description: "Limit to services that arrive by the `deliverBy` of the order. Orders without one have no limit",
      }),
    ),
    carrier_account_ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description:
          "Limit to these accounts. Default: all active accounts with prices that sell labels and are not `comparisonOnly`",
      }),
    ),
    services: Type.Optional(
      Type.Array(shippingParts.service, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: "Limit to these services, by code or name. Default: all",
      }),
    ),
    weight: Type.Optional({
      ...Weight,
      description: "Of one parcel. Default: the packages of the order, else one parcel with all remaining lines",
    }),
    options: Type.Optional({ ...ShipOptions, description: "As for buy_label, since they change the price" }),
    ship_date: Type.Optional({ ...CalendarDate, description: "As for buy_label. Default: today" }),
  }),
  example: { prefer: "cheapest", max_transit_days: 3 },
  statuses: beforeShipping,
  scope: "carrier_accounts:read",
  asksCarriers: true,
  needsCarrier: "givesPrices",
  refers: ({ carrier_account_ids: ids = [] }) =>
    ids.map((id, index) => ({ kind: "carrier_account", id, param: `carrier_account_ids/${index}` })),
  check({ ship_date: shipDate, deliver_by: deliverBy }, { now, timeZone }) {
    const today = localDateOf(now, timeZone);
    return [
      ...notBefore("/ship_date", shipDate, today, "today"),
      ...notBefore("/deliver_by", deliverBy, shipDate ?? today, shipDate === undefined ? "today" : "`ship_date`"),
    ];
  },
  apply(order, params, { carriers, now, timeZone }) {
    const today = localDateOf(now, timeZone);
    const { ship_date: shipDate = today } = params;
    // The run was started, or is retried, after that day.
    if (shipDate < today) return refuse("in_the_past", `The ship date must be ${today} or later.`);
    const shipment = shipmentToRate(order, carriers, params, shipDate);
    if ("refused" in shipment) return shipment;
    const { offers, isExcluded } = offersFor(carriers, params.carrier_account_ids);
    const found: Rate[] = [];
    const missing: string[] = [];
    for (const offer of offers) {
      const [wrong] = offer.sellsLabels ? optionErrors(offer.carrier, shipment.options) : [];
      const said = wrong ? { prices: [], unavailable: [wrong] } : carriers.pricesOf(offer.id, shipment);
      if (said === priceNotFetched) continue;
      const wanted = said.prices.filter((price) => isWanted(price, params.services, params.max_transit_days));
      found.push(...wanted.map((price) => rateOf(offer, price, { to: shipment.to, shipDate, timeZone })));
      missing.push(...said.unavailable.map(({ message }) => message));
    }
    const deadline = deadlineOf(order, params, timeZone);
    const inTime = found.filter(({ arrivesOn }) => deadline === undefined || (arrivesOn ?? "~") <= deadline);
    const [best] = inTime.toSorted(byPreference(params.prefer ?? "cheapest"));
    if (!best && found.length > 0) return refuse("no_rate", tooLate(found, deadline));
    if (!best) return noRate(offers.length, isExcluded, missing);
    const { offer, price } = best;
    if (inTime.some((one) => one.price.currency !== price.currency)) {
      const message = "The prices are in different currencies and cannot be compared.";
      return refuse("multiple_currencies", message, "Limit `carrier_account_ids` to accounts with one currency.");
    }
    const { id: carrierAccountId, carrierName: carrier } = offer;
    const outcome = changeSent(order, {
      shipping: { ...order.shipping, carrierAccountId, carrier, service: price.service },
    });
    if ("refused" in outcome) return outcome;
    const warnings = [...rateWarnings(best), ...(outcome.warning ? [outcome.warning] : [])];
    return { ...outcome, price: toStepPrice(best), ...joinWarnings(warnings) };
  },
});

type Params = {
  weight?: Weight;
  options?: ShipOptions;
  deliver_by?: string;
  meet_deliver_by?: boolean;
};

/** All remaining items, in the parcels that a label for them would have. */
function shipmentToRate(
  order: Order,
  carriers: CarrierDirectory,
  { weight, options }: Params,
  shipDate: string,
): ParcelToRate | Refusal {
  const from = carriers.addressOf(order.locationId);
  if (!from?.zip) {
    const message = "The order has no location with a postal code to ship from.";
    return refuse("origin_missing", message, "Use assign_location first.");
  }
  const left = order.lines.flatMap((line) => {
    const quantity = remainingOf(line);
    return quantity > 0 ? [{ lineId: line.id, quantity }] : [];
  });
  const consignment = consignmentOf(order, { ...(weight && { weight }), ...(options && { options }) }, left);
  const { to, parcels } = consignment;
  if (!to?.zip)
    return refuse("address_missing", "The shipping address has no postal code.", "Use update_address first.");
  const [wrong] = consignment.errors;
  if (wrong?.pointer.startsWith("/weight")) {
    const message = "The weight is unknown: the order has no single package with a weight, and not all lines have one.";
    return refuse("weight_missing", message, "Set `weight`, or use set_package first.");
  }
  if (wrong) return refuse(wrong.code === "required" ? "weight_missing" : wrong.code, wrong.message);
  return { from, to, parcels, options: consignment.options, shipDate };
}

/** `isExcluded`: there are further accounts, which are used only where they are named. */
function offersFor(
  { offers }: CarrierDirectory,
  ids: string[] | undefined,
): { offers: CarrierOffer[]; isExcluded: boolean } {
  const rating = offers.filter(({ isActive, givesPrices }) => isActive && givesPrices);
  const named = ids?.map((id) => id.toLowerCase());
  if (named) return { offers: rating.filter(({ id }) => named.includes(id)), isExcluded: false };
  const usable = rating.filter(({ sellsLabels, comparisonOnly }) => sellsLabels && !comparisonOnly);
  return { offers: usable, isExcluded: usable.length < rating.length };
}

function isWanted(price: Price, services: string[] | undefined, maxTransitDays: number | undefined): boolean {
  const isOnTime = maxTransitDays === undefined || (price.transitDays !== null && price.transitDays <= maxTransitDays);
  if (!isOnTime || services === undefined) return isOnTime;
  const names = new Set(services.map(foldService));
  return names.has(foldService(price.service)) || names.has(foldService(price.serviceName));
}

/** The last day on which the shipment may arrive, at its destination. */
function deadlineOf(order: Order, { deliver_by: day, meet_deliver_by: isMet }: Params, timeZone: string) {
  const { deliverBy, shippingAddress } = order;
  const zone = (shippingAddress && zoneOfAddress(shippingAddress)) ?? timeZone;
  const promised = isMet && deliverBy !== null ? localDateOf(deliverBy, zone) : undefined;
  if (day === undefined || promised === undefined) return day ?? promised;
  return day < promised ? day : promised;
}

function notBefore(pointer: string, day: string | undefined, first: string, what: string): FieldError[] {
  if (day === undefined || day >= first) return [];
  return [{ pointer, code: "date_in_past", message: `\`${pointer.slice(1)}\` must be ${what} (${first}) or later.` }];
}

function tooLate(found: Rate[], deadline: string | undefined): string {
  const [earliest] = found.toSorted(byPreference("fastest"));
  const when = earliest?.arrivesOn ? `the earliest arrives on ${earliest.arrivesOn}` : "no arrival is known";
  return `No service arrives by ${deadline}; ${when}.`;
}

function noRate(asked: number, isExcluded: boolean, missing: string[]): Refusal {
  if (asked === 0 && isExcluded) {
    const message = "No active carrier account with prices sells labels; accounts for comparison are not chosen.";
    return refuse("no_rate", message, "Name accounts in `carrier_account_ids`, or add one that sells labels.");
  }
  if (asked === 0) return refuse("no_rate", "No active carrier account has prices.", "Add a carrier account.");
  const reason = missing[0] === undefined ? "No service matches the params." : missing[0];
  return refuse("no_rate", `No carrier account has a price for this parcel: ${reason}`);
}
