import { ShippingAddress } from "../../../core/address.ts";
import { errorsAt } from "../../../core/errors.ts";
import { maskErrors } from "../../../core/mask-person.ts";
import { Strict } from "../../../core/schema.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import { changeSent, defineAction } from "../action.ts";

export const updateAddress = defineAction({
  type: "update_address",
  title: "Update address",
  group: "shipping",
  description:
    "Updates fields of the shipping address and marks it unverified. Omitted fields are unchanged; an empty " +
    "string, or null for `residential`, clears a field.",
  params: Strict({ address: ShippingAddress }),
  example: { address: { address1: "5 Main Street", city: "Springfield", provinceCode: "IL", zip: "62701" } },
  statuses: beforeShipping,
  check({ address }) {
    if (Object.keys(address).length > 0) return errorsAt("/address", maskErrors(address));
    return [{ pointer: "/address", code: "field_required", message: "At least one address field is required." }];
  },
  // `no_change` would reveal that an order has this very name; a free preflight could be used to guess it.
  asksAbout: ({ address }) =>
    Object.keys(address).map((member) => ({ path: `shippingAddress.${member}`, pointer: `/address/${member}` })),
  apply(order, { address }) {
    const before: ShippingAddress = order.shippingAddress ?? {};
    const changed = Object.entries(address).filter(
      ([field, value]) => orNull(value) !== orNull(before[field as keyof ShippingAddress]),
    );
    if (changed.length === 0) return { patch: {} };
    const merged = Object.entries({ ...before, ...Object.fromEntries(changed) }).filter(
      ([, value]) => orNull(value) !== null,
    );
    return changeSent(order, { shippingAddress: Object.fromEntries(merged), addressStatus: "unverified" });
  },
});

/** What clears a field is equal to a field that is not there. */
function orNull<Value>(value: Value): Value | null {
  return value === "" || value === undefined ? null : value;
}
