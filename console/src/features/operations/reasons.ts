import { plural, sentence, words } from "../../ui/format.ts";

/** One way to remove a cause: a step before the failed one, a page, or another attempt. */
export type Fix = { label: string } & ({ step: string } | { page: "carriers" | "locations" } | { retry: true });

type Reason = { title: string; fix?: Fix; text?: string };

const chooseRate: Fix = { label: "Choose rate", step: "choose_rate" };
const again: Fix = { label: "Retry", retry: true };
const sameKey = "A retry uses the same request key, so that a label that was already bought is not bought again.";

/** Causes with a known remedy. Others show their code as words, and can be retried. */
const reasons: Record<string, Reason> = {
  no_rate_chosen: {
    title: "No rate chosen",
    text: "Neither the order nor the step has a carrier account and a service.",
    fix: chooseRate,
  },
  unknown_service: { title: "Service not available", fix: chooseRate },
  carrier_account_not_found: { title: "Carrier account deleted", fix: chooseRate },
  carrier_account_inactive: { title: "Carrier account inactive", fix: chooseRate },
  no_labels: { title: "Account sells no labels", fix: chooseRate },
  no_rate: { title: "No rate found", fix: { label: "Open carrier accounts", page: "carriers" } },
  origin_missing: {
    title: "No ship-from address",
    text: "The order has no location with a complete address.",
    fix: { label: "Assign location", step: "assign_location" },
  },
  address_missing: { title: "Address incomplete", fix: { label: "Correct address", step: "update_address" } },
  bad_address: { title: "Address not found", fix: { label: "Check addresses", step: "validate_address" } },
  invalid_zip: { title: "Postal code not valid", fix: { label: "Correct address", step: "update_address" } },
  address_invalid: { title: "Address not valid", fix: { label: "Check addresses", step: "validate_address" } },
  weight_missing: {
    title: "Weight missing",
    text: "The order has no package with a weight, and not all items have one.",
    fix: { label: "Set package", step: "set_package" },
  },
  on_hold: { title: "On hold", fix: { label: "Release hold", step: "release_hold" } },
  invalid_state: { title: "Not possible in this status" },
  requires_recall: {
    title: "Already sent to fulfillment",
    fix: { label: "Recall from fulfillment", step: "recall_fulfillment" },
  },
  outcome_unknown: {
    title: "Outcome unknown",
    text: `The carrier did not confirm whether it sold the label. ${sameKey}`,
    fix: again,
  },
  carrier_down: { title: "Carrier did not respond", text: sameKey, fix: again },
  carrier_failed: { title: "Carrier did not respond", text: sameKey, fix: again },
  cancelled: { title: "Not processed", text: "The run was stopped before these orders.", fix: again },
  order_not_found: { title: "Order not found" },
  previous_step_failed: { title: "Earlier step failed" },
  condition_not_met: { title: "Condition not met" },
  assertion_failed: { title: "Check failed" },
  changed_after_run: { title: "Changed since the run" },
  changed_since_preflight: { title: "Changed since the preview" },
  no_longer_matches: { title: "No longer matches the filter" },
  irreversible: { title: "Cannot be undone" },
  price_unknown: { title: "Price not known" },
  internal_error: { title: "Internal error", fix: again },
};

export const reasonTitle = (code: string): string => reasons[code]?.title ?? sentence(code);

export const fixOf = (code: string): Fix | undefined => reasons[code]?.fix;

/** The message in the words of the screen: names of actions, fields and permissions instead of those of the API. */
export function plainMessage(text: string, titleOf: (type: string) => string | undefined): string {
  return text
    .replaceAll(/`([\w.]+)`/g, (_, name: string) => `"${titleOf(name) ?? sentence(name)}"`)
    .replaceAll(/\b([a-z_]+):([a-z]+)\b/g, (_, area: string, what: string) => `the permission ${words(area)} (${what})`)
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
      const title = titleOf(name);
      return title === undefined ? words(name) : `"${title}"`;
    });
}

type Cause = { code: string; message: string; fix?: string | null | undefined };

/** One or two sentences about the cause. */
export function reasonText({ code, message, fix }: Cause, titleOf: (type: string) => string | undefined): string {
  const known = reasons[code]?.text;
  if (known) return known;
  const shown = plainMessage(message, titleOf);
  // A button says what to do.
  return fix && !fixOf(code) && !/^(GET|POST|PATCH|DELETE) /.test(fix)
    ? `${shown} ${plainMessage(fix, titleOf)}`
    : shown;
}

/**
 * Of a run that buys labels: what its failed orders cost. A label can be bought although a later step of its order failed.
 * `bought` and `unknown` count orders.
 */
export function failedLabels(
  failed: number,
  { bought, unknown }: { bought: number; unknown: number },
): { title: string; charged: string } {
  const free = failed - bought - unknown;
  const title =
    bought === 0 && unknown === 0
      ? `${plural(failed, "order has", "orders have")} no label`
      : `${plural(failed, "order")} did not complete`;
  const parts = [
    bought > 0 && `labels were bought for ${bought}`,
    free > 0 && (bought + unknown === 0 ? "nothing was charged for them" : `${free} not charged`),
    unknown > 0 && `${unknown} unknown until the carrier answers or a retry`,
  ];
  return { title, charged: parts.filter(Boolean).join(", ") };
}
