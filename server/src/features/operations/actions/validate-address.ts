import { Type } from "../../../core/type.ts";
import type { Address } from "../../../core/address.ts";
import { addressProblems } from "../../../core/address.ts";
import { cleanAddress, zipStateProblem } from "../../../core/clean-address.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import type { Hold, Order } from "../../orders/order.ts";
import { holdLimitProblem, newHold, withHold } from "../../orders/order-rules.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { checkNotFetched } from "../address-checks.ts";

const handle = "address_validation";

export const validateAddress = defineAction({
  type: "validate_address",
  title: "Validate address",
  group: "shipping",
  description:
    "Checks the shipping address, including ZIP against state. Optionally normalizes it as imports do: country and state codes, " +
    "complete ZIPs. With `carrier_account_id` the carrier is asked as well, and the order is marked as residential or not. Releases an " +
    "address hold once the address is valid.",
  params: Strict({
    mode: Type.Optional(OneOf(["validate_only", "validate_and_normalize"], { default: "validate_only" })),
    on_failure: Type.Optional(OneOf(["hold", "warn", "fail"], { default: "fail" })),
    carrier_account_id: Type.Optional({
      ...Id,
      description: "A carrier account whose carrier is asked about the address; one call for each distinct address",
    }),
    apply_correction: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Writes the address as the carrier has it into the order. Requires `carrier_account_id`",
      }),
    ),
  }),
  example: { mode: "validate_and_normalize", on_failure: "hold" },
  statuses: openStatuses,
  asksCarriersWith: ({ carrier_account_id: accountId }) => accountId !== undefined,
  refers: ({ carrier_account_id: id }) =>
    id === undefined ? [] : [{ kind: "carrier_account", id, param: "carrier_account_id" }],
  check({ carrier_account_id: accountId, apply_correction: isApplied }) {
    if (!isApplied || accountId !== undefined) return [];
    const message = "`apply_correction` requires `carrier_account_id`: the carrier has the correction.";
    return [{ pointer: "/carrier_account_id", code: "field_required", message }];
  },
  apply(
    order,
    { mode, on_failure: onFailure = "fail", carrier_account_id: accountId, apply_correction: isApplied },
    env,
  ) {
    const given = order.shippingAddress;
    const address = given && mode === "validate_and_normalize" ? cleanAddress(given) : given;
    const problems = problemsOf(address);
    if (problems.length > 0 || !address) return invalid(order, problems, onFailure, env);
    if (accountId === undefined) return valid(order, address);
    const check = env.carriers.checkOf(accountId, address);
    // Evaluated again once the carrier has answered.
    if (check === checkNotFetched) return { patch: {} };
    if ("code" in check)
      return refuse("carrier_failed", check.message, "Test the carrier account, or try again later.");
    const known = check.residential === null ? address : { ...address, residential: check.residential };
    if (check.verdict === "invalid") {
      const reasons = check.messages.length > 0 ? check.messages : ["the carrier does not deliver there"];
      return invalid(order, reasons, onFailure, env);
    }
    if (check.verdict === "unknown") {
      const message = ["The carrier could not decide about the address.", ...check.messages].join(" ");
      const patch = { addressStatus: "unverified" as const, shippingAddress: known };
      return { patch, warning: { code: "address_unverified", message } };
    }
    if (!check.address) return valid(order, known);
    if (isApplied) return valid(order, corrected(known, check.address));
    const message = "The carrier has this address in another form. Set `apply_correction` to use it.";
    return { ...valid(order, known), warning: { code: "address_correction", message } };
  },
});

function valid({ holds }: Order, address: Address) {
  const isOwnHold = (hold: Hold): boolean => hold.handle === handle && hold.source === "system";
  return {
    patch: {
      addressStatus: "valid" as const,
      shippingAddress: address,
      holds: holds.filter((hold) => !isOwnHold(hold)),
    },
  };
}

function invalid(order: Order, problems: string[], onFailure: "hold" | "warn" | "fail", env: ActionEnv): Outcome {
  const sentence = problems.join("; ").replace(/\.$/, "");
  const message = `The address is not valid: ${sentence}.`;
  if (onFailure === "fail") return refuse("address_invalid", message, "Correct it with update_address.");
  const warning = { code: "address_invalid", message };
  if (onFailure === "warn") return { patch: { addressStatus: "invalid" }, warning };
  if (order.holds.some((hold) => hold.handle === handle)) return { patch: { addressStatus: "invalid" }, warning };
  const placed = newHold(env, { handle, reason: "incorrect_address", source: "system", note: message });
  const full = refuseFor(holdLimitProblem(order, placed));
  return full ?? { patch: { addressStatus: "invalid", holds: withHold(order, placed) }, warning };
}

/** Name, phone and the like stay; a second line that the carrier has moved into the first goes. */
function corrected(address: Address, by: Address): Address {
  const { address2: _address2, province, ...kept } = address;
  const { address1, address2, city, provinceCode, zip } = by;
  const isSameState = provinceCode === undefined || provinceCode === address.provinceCode;
  const members = { address1, address2, city, provinceCode, zip };
  const given = Object.fromEntries(Object.entries(members).filter(([, text]) => text !== undefined && text !== ""));
  return { ...kept, ...(isSameState && province !== undefined ? { province } : {}), ...given };
}

function problemsOf(address: Address | null): string[] {
  const mismatch = address && zipStateProblem(address);
  return [...addressProblems(address), ...(mismatch ? [mismatch] : [])];
}
