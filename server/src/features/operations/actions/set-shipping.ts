import { Type } from "../../../core/type.ts";
import { Nullable, Strict } from "../../../core/schema.ts";
import type { ShippingChoice } from "../../orders/order.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import { changeSent, defineAction } from "../action.ts";
import { needAtLeastOne } from "./param-rules.ts";

const fields = {
  carrier_account_id: "carrierAccountId",
  carrier: "carrier",
  service: "service",
  package_type: "packageType",
  third_party_billing: "thirdPartyBilling",
} as const;

export const setShipping = defineAction({
  type: "set_shipping",
  title: "Set shipping",
  group: "shipping",
  description:
    "Sets carrier account, carrier, service, package type or billing. Omitted fields are unchanged; null clears a " +
    "field.",
  params: Strict({
    carrier_account_id: Type.Optional(Nullable(shippingParts.carrierAccountId)),
    carrier: Type.Optional(Nullable(shippingParts.carrier)),
    service: Type.Optional(Nullable(shippingParts.service)),
    package_type: Type.Optional(Nullable(shippingParts.packageType)),
    third_party_billing: Type.Optional(Nullable(shippingParts.thirdPartyBilling)),
  }),
  example: { carrier: "ups", service: "ground" },
  statuses: beforeShipping,
  refers: ({ carrier_account_id: id }) => (id ? [{ kind: "carrier_account", id, param: "carrier_account_id" }] : []),
  check: (params) => needAtLeastOne(params, Object.keys(fields)),
  apply(order, params) {
    const shipping: Record<string, unknown> = { ...order.shipping };
    for (const [name, field] of Object.entries(fields) as [keyof typeof fields, keyof ShippingChoice][]) {
      const value = params[name];
      if (value === null) delete shipping[field];
      else if (value !== undefined)
        shipping[field] = name === "carrier_account_id" ? params[name]!.toLowerCase() : value;
    }
    return changeSent(order, { shipping });
  },
});
