import { Address } from "../../../core/address.ts";
import { errorsAt } from "../../../core/errors.ts";
import { maskErrors } from "../../../core/mask-person.ts";
import { Strict } from "../../../core/schema.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import { changeSent, defineAction } from "../action.ts";

export const updateAddress = defineAction({
  type: "update_address",
  title: "Update the address",
  group: "shipping",
  description:
    "Changes fields of the shipping address, which is then unverified. What is left out stays, an empty text removes it.",
  params: Strict({ address: Address }),
  example: { address: { address1: "5 Main Street", city: "Springfield", provinceCode: "IL", zip: "62701" } },
  statuses: beforeShipping,
  check({ address }) {
    if (Object.keys(address).length > 0) return errorsAt("/address", maskErrors(address));
    return [{ pointer: "/address", code: "at_least_one", message: "At least one field of the address is needed." }];
  },
  // That an order has this very name already would be told by `no_change`, and a preflight costs nothing.
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
