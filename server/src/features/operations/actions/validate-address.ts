import { Type } from "../../../core/type.ts";
import type { Address } from "../../../core/address.ts";
import { addressProblems } from "../../../core/address.ts";
import { cleanAddress, zipStateProblem } from "../../../core/clean-address.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { Hold } from "../../orders/order.ts";
import { holdLimitProblem, newHold, withHold } from "../../orders/order-rules.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";

const handle = "address_validation";

export const validateAddress = defineAction({
  type: "validate_address",
  title: "Validate address",
  group: "shipping",
  description:
    "Checks the shipping address without contacting a carrier, including ZIP against state. Optionally normalizes " +
    "it as imports do: country and state codes, complete ZIPs. Releases an address hold once the address is " +
    "valid.",
  params: Strict({
    mode: Type.Optional(OneOf(["validate_only", "validate_and_normalize"], { default: "validate_only" })),
    on_failure: Type.Optional(OneOf(["hold", "warn", "fail"], { default: "fail" })),
  }),
  example: { mode: "validate_and_normalize", on_failure: "hold" },
  statuses: openStatuses,
  apply(order, { mode, on_failure: onFailure = "fail" }, env) {
    const given = order.shippingAddress;
    const address = given && mode === "validate_and_normalize" ? cleanAddress(given) : given;
    const problems = problemsOf(address);
    const isOwnHold = (hold: Hold): boolean => hold.handle === handle && hold.source === "system";
    if (problems.length === 0) {
      const holds = order.holds.filter((hold) => !isOwnHold(hold));
      return { patch: { addressStatus: "valid", shippingAddress: address, holds } };
    }
    const message = `The address is not valid: ${problems.join("; ")}.`;
    if (onFailure === "fail") return refuse("address_invalid", message, "Correct it with update_address.");
    const warning = { code: "address_invalid", message };
    if (onFailure === "warn") return { patch: { addressStatus: "invalid" }, warning };
    if (order.holds.some((hold) => hold.handle === handle)) return { patch: { addressStatus: "invalid" }, warning };
    const placed = newHold(env, { handle, reason: "incorrect_address", source: "system", note: message });
    const full = refuseFor(holdLimitProblem(order, placed));
    return full ?? { patch: { addressStatus: "invalid", holds: withHold(order, placed) }, warning };
  },
});

function problemsOf(address: Address | null): string[] {
  const mismatch = address && zipStateProblem(address);
  return [...addressProblems(address), ...(mismatch ? [mismatch] : [])];
}
