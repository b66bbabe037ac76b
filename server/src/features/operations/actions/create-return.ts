import { CalendarDate } from "../../../carriers/rate-card/card.schemas.ts";
import { ShipOptions } from "../../../carriers/seam/ship-options.ts";
import { HubError } from "../../../core/errors.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { localDateOf } from "../../../core/time-zones.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import { isReturnLabel, labelSpecFor, returnsOf } from "../../labels/labels.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { defineAction, refuse } from "../action.ts";
import { buyAtPrice, sellerFor } from "./buy-label-action.ts";
import { LineItems, repeatedLineErrors } from "./order-lines.ts";

const { isReturn: _always, ...returnOptions } = ShipOptions.properties;

export const createReturn = defineAction({
  type: "create_return",
  title: "Create return label",
  group: "fulfillment",
  description:
    "Buys a label for the way back, from the customer to the order's location, for items that have shipped. The order stays as it is, and its " +
    "labels list the return. The request is committed with the run and sent to the carrier afterwards.",
  params: Strict({
    line_items: Type.Optional({
      ...LineItems,
      description: "Items that come back. Default: all that have shipped and have no return label",
    }),
    location_id: Type.Optional({ ...Id, description: "Where they go. Default: the location of the order" }),
    carrier_account_id: Type.Optional({ ...Id, description: "Default: the one set on the order" }),
    service: Type.Optional({ ...shippingParts.service, description: "Default: the one set on the order" }),
    weight: Type.Optional({ ...Weight, description: "Of the parcel. Default: that of the items" }),
    options: Type.Optional(Strict(returnOptions)),
    ship_date: Type.Optional({ ...CalendarDate, description: "The day on which the carrier gets it. Default: today" }),
  }),
  example: {},
  statuses: ["partially_shipped", "shipped", "delivered"],
  scope: "shipments:write",
  irreversible: "The return label was bought. Use void_label with its tracking number before the first scan.",
  asksCarriers: true,
  needsCarrier: "sellsLabels",
  isLastWord: true,
  refers: ({ carrier_account_id: account, location_id: location }) => [
    ...(account ? [{ kind: "carrier_account" as const, id: account, param: "carrier_account_id" }] : []),
    ...(location ? [{ kind: "location" as const, id: location, param: "location_id" }] : []),
  ],
  check: ({ line_items: items }) => repeatedLineErrors(items),
  apply(order, params, { carriers, now, timeZone }) {
    const seller = sellerFor(order, params, carriers);
    if ("refused" in seller) return seller;
    const { account, service } = seller;
    const labels = carriers.labelsOf(order.id);
    const unknown = labels.find(({ label }) => label.status === "failed" && isReturnLabel(label));
    if (unknown) {
      const message = `It is unknown whether the carrier sold the return label ${unknown.label.id}.`;
      return refuse(
        "outcome_unknown",
        message,
        `POST /shipments/labels/${unknown.label.id}/retry asks the carrier again.`,
      );
    }
    const { line_items: items, location_id: location, weight, options, ship_date: shipDate } = params;
    const lines = items?.map(({ id, quantity }) => ({ lineId: id, quantity }));
    const request = {
      service,
      options: { ...options, isReturn: true },
      ...(lines && { lines }),
      ...(weight && { weight }),
      ...(shipDate && { shipDate }),
    };
    const returns = returnsOf(labels);
    try {
      const spec = labelSpecFor(order, request, {
        carrier: account.carrier,
        today: localDateOf(now, timeZone),
        from: carriers.addressOf(location?.toLowerCase() ?? order.locationId),
        others: [],
        returns,
      });
      return buyAtPrice(account, spec, { carriers, timeZone });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const errors = error.details.errors ?? [];
      // The weight of a line that does not exist is unknown as well.
      const first = errors.find(({ pointer }) => pointer.startsWith("/lines")) ?? errors[0];
      // Everything has a return label already.
      if (first?.code === "nothing_to_return" && returns.length > 0) return { patch: {} };
      return first ? refuse(first.code, first.message) : refuse(error.code, error.message);
    }
  },
});
