import { CalendarDate } from "../../../carriers/rate-card/card.schemas.ts";
import { ShipOptions } from "../../../carriers/seam/ship-options.ts";
import type { FieldError } from "../../../core/errors.ts";
import { HubError } from "../../../core/errors.ts";
import { localDateOf } from "../../../core/time-zones.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import type { LabelSpec } from "../../labels/labels.ts";
import { isReturnLabel, labelSpecFor, parcelsToRate, returnsOf, unlistedOf } from "../../labels/labels.ts";
import type { Order } from "../../orders/order.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { shippableStatuses } from "../../orders/orders.states.ts";
import type { CarrierOffer } from "../../carrier-accounts/carrier-accounts.ts";
import type { ActionEnv, Outcome, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import type { CarrierDirectory, ParcelToRate } from "../carrier-directory.ts";
import { priceNotFetched } from "../carrier-directory.ts";
import { joinWarnings, rateOf, rateWarnings, toStepPrice } from "../compare-rates.ts";

export const buyLabel = defineAction({
  type: "buy_label",
  title: "Buy label",
  group: "fulfillment",
  description:
    "Buys one label for all remaining unlabeled items, in as many parcels as the order has packages. Labels are bought in the background after the run " +
    "is saved. The order is shipped, and the result of the run updated, once its label is bought.",
  params: Strict({
    carrier_account_id: Type.Optional({ ...Id, description: "Default: the one set on the order" }),
    service: Type.Optional({ ...shippingParts.service, description: "Default: the one set on the order" }),
    weight: Type.Optional({
      ...Weight,
      description: "Of one parcel. Default: the packages of the order, else one parcel with all remaining lines",
    }),
    options: Type.Optional(ShipOptions),
    ship_date: Type.Optional({ ...CalendarDate, description: "The day on which the carrier gets it. Default: today" }),
  }),
  example: {},
  statuses: shippableStatuses,
  scope: "shipments:write",
  blockedByHold: true,
  irreversible: "The label was bought. Use void_label before the first scan.",
  asksCarriers: true,
  needsCarrier: "sellsLabels",
  isLastWord: true,
  refers: ({ carrier_account_id: id }) => (id ? [{ kind: "carrier_account", id, param: "carrier_account_id" }] : []),
  apply(order, params, { carriers, now, timeZone }) {
    const chosen = sellerFor(order, params, carriers);
    if ("refused" in chosen) return chosen;
    const { account, service } = chosen;
    const { weight, options, ship_date: shipDate } = params;
    const request = { service, ...(weight && { weight }), ...(options && { options }), ...(shipDate && { shipDate }) };
    const spec = planFor(order, carriers, request, {
      carrier: account.carrier,
      today: localDateOf(now, timeZone),
    });
    if (spec === "nothing_to_ship") return { patch: {} };
    if ("refused" in spec) return spec;
    return buyAtPrice(account, spec, { carriers, timeZone });
  },
});

type Chosen = { carrier_account_id?: string; service?: string };

/** The account and service of the params, or else of the order. */
export function sellerFor(
  order: Order,
  { carrier_account_id: given, service = order.shipping.service }: Chosen,
  { offers }: CarrierDirectory,
): { account: CarrierOffer; service: string } | Refusal {
  const accountId = (given ?? order.shipping.carrierAccountId)?.toLowerCase();
  if (accountId === undefined || service === undefined) return nothingChosen;
  const account = offers.find(({ id }) => id === accountId);
  if (!account) return refuse("carrier_account_not_found", "The carrier account no longer exists.");
  if (!account.isActive) return refuse("carrier_account_inactive", `${account.name} is inactive.`);
  if (!account.sellsLabels)
    return refuse("no_labels", `${account.name} does not sell labels.`, "Choose another account.");
  return { account, service };
}

/** The purchase, with the price if the carrier gives one before. */
export function buyAtPrice(
  account: CarrierOffer,
  spec: LabelSpec,
  { carriers, timeZone }: Pick<ActionEnv, "carriers" | "timeZone">,
): Outcome {
  const { service } = spec;
  const said = account.givesPrices ? carriers.pricesOf(account.id, shipmentOf(spec)) : undefined;
  if (said === undefined) return { patch: {}, buys: { account, spec }, warning: priceUnknown };
  if (said === priceNotFetched) return { patch: {}, buys: { account, spec } };
  const price = said.prices.find((one) => one.service === service);
  if (price) {
    const rate = rateOf(account, price, { ...shipmentOf(spec), timeZone });
    const buys = { account, spec: { ...spec, quote: price.quote } };
    return { patch: {}, buys, price: toStepPrice(rate), ...joinWarnings(rateWarnings(rate)) };
  }
  const why = said.unavailable.find((one) => one.service === service || one.service === "");
  if (why) return refuse(why.code, why.message);
  const names = said.prices.map((one) => one.service).join(", ");
  return refuse("unknown_service", `${account.name} has no service ${service}.`, `It has ${names}.`);
}

function shipmentOf({ from, to, parcels, options, shipDate }: LabelSpec): ParcelToRate {
  return { from, to, parcels: parcelsToRate(parcels), options, shipDate };
}

const nothingChosen = refuse(
  "no_rate_chosen",
  "Neither the step nor the order has a carrier account and service.",
  "Use choose_rate or set_shipping first, or set both params.",
);

const priceUnknown = { code: "price_unknown", message: "The carrier gives no price before purchase." };

type Request = Pick<Parameters<typeof labelSpecFor>[1], "service" | "weight" | "options" | "shipDate">;
type Known = Pick<Parameters<typeof labelSpecFor>[2], "carrier" | "today">;

/** Same rules as for labels bought through POST /shipments/labels. */
function planFor(
  order: Order,
  carriers: CarrierDirectory,
  request: Request,
  known: Known,
): LabelSpec | Refusal | "nothing_to_ship" {
  const labels = carriers.labelsOf(order.id);
  const unknown = labels.find(({ label }) => label.status === "failed" && !isReturnLabel(label));
  if (unknown) {
    const { id } = unknown.label;
    const message = `It is unknown whether the carrier sold label ${id} for this order.`;
    return refuse("outcome_unknown", message, `POST /shipments/labels/${id}/retry asks the carrier again.`);
  }
  try {
    return labelSpecFor(order, request, {
      ...known,
      from: carriers.addressOf(order.locationId),
      others: unlistedOf(order, labels),
      returns: returnsOf(labels),
    });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const [first] = error.details.errors ?? [];
    if (error.code === "label_exists") return "nothing_to_ship";
    return first ? refusalOf(first) : refuse(error.code, error.message);
  }
}

/** A missing value names the step that sets it, with the same codes as choose_rate. */
function refusalOf({ pointer, code, message }: FieldError): Refusal {
  const [, part = ""] = pointer.split("/");
  const missing = code === "required" || code === "weight_required" ? missingParts[part] : undefined;
  return missing ? refuse(missing.code, missing.message ?? message, missing.fix) : refuse(code, message);
}

const noWeight = {
  code: "weight_missing",
  message: "The weight is unknown: the order has no packages with a weight, and not all lines have one.",
  fix: "Set `weight`, or use set_package first.",
};
const missingParts: Record<string, { code: string; message?: string; fix: string }> = {
  from: {
    code: "origin_missing",
    message: "The order has no location with a complete address to ship from.",
    fix: "Use assign_location first.",
  },
  to: { code: "address_missing", fix: "Use update_address first." },
  weight: noWeight,
  parcels: noWeight,
};
