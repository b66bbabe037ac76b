import { foldService } from "../../../carriers/rate-card/service-level.ts";
import { fromCents } from "../../../core/money.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import { parcelOf } from "../../labels/labels.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import type { Order } from "../../orders/order.ts";
import type { Outcome, Refusal, StepPrice } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import type { CarrierDirectory, ParcelToRate, Price } from "../carrier-directory.ts";
import { priceNotFetched } from "../carrier-directory.ts";
import { remainingOf } from "./order-lines.ts";

const preferences = ["cheapest", "fastest"] as const;
type Preference = (typeof preferences)[number];

export const chooseRate = defineAction({
  type: "choose_rate",
  title: "Choose rate",
  group: "shipping",
  description:
    "Compares rates across carrier accounts and selects the cheapest, the fastest, or the cheapest within a " +
    "number of days. Does not buy a label.",
  params: Strict({
    prefer: Type.Optional(OneOf(preferences, { default: "cheapest" })),
    max_transit_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60,
        description: "Maximum transit time in business days",
      }),
    ),
    carrier_account_ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description: "Limit to these accounts. Default: all active accounts with prices",
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
      description: "Default: the weight of the order's only package, else of all remaining lines",
    }),
  }),
  example: { prefer: "cheapest", max_transit_days: 3 },
  statuses: beforeShipping,
  scope: "carrier_accounts:read",
  asksCarriers: true,
  needsCarrier: "givesPrices",
  refers: ({ carrier_account_ids: ids = [] }) =>
    ids.map((id, index) => ({ kind: "carrier_account", id, param: `carrier_account_ids/${index}` })),
  apply(order, params, { carriers }) {
    const parcel = parcelToRate(order, carriers, params.weight);
    if ("refused" in parcel) return parcel;
    const named = params.carrier_account_ids?.map((id) => id.toLowerCase());
    const offers = carriers.offers.filter(
      ({ id, isActive, givesPrices }) => isActive && givesPrices && (named?.includes(id) ?? true),
    );
    const found: StepPrice[] = [];
    const missing: string[] = [];
    for (const { id, name } of offers) {
      const said = carriers.pricesOf(id, parcel);
      if (said === priceNotFetched) continue;
      const wanted = said.prices.filter((price) => isWanted(price, params.services, params.max_transit_days));
      found.push(...wanted.map((price) => toStepPrice(id, name, price)));
      missing.push(...said.unavailable.map(({ message }) => message));
    }
    const [best] = found.toSorted(byPreference(params.prefer ?? "cheapest"));
    if (!best) return noRate(offers.length, missing);
    if (found.some(({ currency }) => currency !== best.currency)) {
      const message = "The prices are in different currencies and cannot be compared.";
      return refuse("multiple_currencies", message, "Limit `carrier_account_ids` to accounts with one currency.");
    }
    const { carrierName } = offers.find(({ id }) => id === best.carrier_account_id)!;
    const { carrier_account_id: carrierAccountId, service } = best;
    const shipping = { ...order.shipping, carrierAccountId, carrier: carrierName, service };
    return withPrice(changeSent(order, { shipping }), best);
  },
});

export function withPrice(outcome: Outcome, price: StepPrice): Outcome {
  return "refused" in outcome ? outcome : { ...outcome, price };
}

export function toStepPrice(accountId: string, account: string, price: Price): StepPrice {
  return {
    carrier_account_id: accountId,
    carrier_account: account,
    service: price.service,
    service_name: price.serviceName,
    total: fromCents(price.totalCents),
    currency: price.currency,
    transit_days: price.transitDays,
  };
}

/** All remaining items in one parcel. */
function parcelToRate(order: Order, carriers: CarrierDirectory, given: Weight | undefined): ParcelToRate | Refusal {
  const from = carriers.addressOf(order.locationId);
  if (!from?.zip) {
    const message = "The order has no location with a postal code to ship from.";
    return refuse("origin_missing", message, "Use assign_location first.");
  }
  const left = order.lines.flatMap((line) => {
    const quantity = remainingOf(line);
    return quantity > 0 ? [{ lineId: line.id, quantity }] : [];
  });
  const { to, weight, dimensions } = parcelOf(order, given ? { weight: given } : {}, left);
  if (!to?.zip)
    return refuse("address_missing", "The shipping address has no postal code.", "Use update_address first.");
  if (!weight || weight.value <= 0) {
    const message = "The weight is unknown: the order has no single package with a weight, and not all lines have one.";
    return refuse("weight_missing", message, "Set `weight`, or use set_package first.");
  }
  return { from, to, weight, dimensions };
}

function isWanted(price: Price, services: string[] | undefined, maxTransitDays: number | undefined): boolean {
  const isOnTime = maxTransitDays === undefined || (price.transitDays !== null && price.transitDays <= maxTransitDays);
  if (!isOnTime || services === undefined) return isOnTime;
  const names = new Set(services.map(foldService));
  return names.has(foldService(price.service)) || names.has(foldService(price.serviceName));
}

/** Ties are broken by the other criterion, then by name, so the choice is deterministic. */
function byPreference(prefer: Preference): (a: StepPrice, b: StepPrice) => number {
  const days = ({ transit_days: known }: StepPrice): number => known ?? Infinity;
  const cost = ({ total }: StepPrice): number => total;
  const [first, second] = prefer === "cheapest" ? [cost, days] : [days, cost];
  const nameOf = (price: StepPrice): string => `${price.carrier_account} ${price.service}`;
  return (a, b) => compare(first(a), first(b)) || compare(second(a), second(b)) || (nameOf(a) < nameOf(b) ? -1 : 1);
}

/** Two unknown values (Infinity) are equal; their difference would be NaN. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function noRate(asked: number, missing: string[]): Refusal {
  if (asked === 0) return refuse("no_rate", "No active carrier account has prices.", "Add a carrier account.");
  const reason = missing[0] === undefined ? "No service matches the params." : missing[0];
  return refuse("no_rate", `No carrier account has a price for this parcel: ${reason}`);
}
