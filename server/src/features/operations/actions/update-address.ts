import { Address } from "../../../core/address.ts";
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
    "string clears a field.",
  params: Strict({ address: Address }),
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
    const before: Address = order.shippingAddress ?? {};
    const changed = Object.entries(address).filter(([field, text]) => text !== (before[field as keyof Address] ?? ""));
    if (changed.length === 0) return { patch: {} };
    const merged = Object.entries({ ...before, ...Object.fromEntries(changed) }).filter(([, text]) => text !== "");
    return changeSent(order, { shippingAddress: Object.fromEntries(merged), addressStatus: "unverified" });
  },
});
