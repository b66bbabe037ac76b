import type { HoldAction } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

export const statusTones: Record<string, Tone> = {
  draft: "skip",
  new: "skip",
  review_required: "warn",
  awaiting_payment: "warn",
  ready: "info",
  sent: "info",
  partially_shipped: "info",
  shipped: "ok",
  delivered: "ok",
  cancelled: "skip",
};

export const holdNames: Record<string, string> = {
  high_risk_of_fraud: "Hold: fraud",
  incorrect_address: "Hold: address",
  inventory_out_of_stock: "Hold: stock",
  awaiting_payment: "Hold: payment",
  customer_request: "Hold: customer",
  source_conflict: "Hold: shop differs",
  awaiting_return_items: "Hold: return",
  unknown_delivery_date: "Hold: date",
  shipping_method: "Hold: service",
  upsell_window: "Hold: upsell",
  operator: "On hold",
  other: "Hold: other",
};

/** Names of the statuses in one or two words. */
export const statusNames: Record<string, string> = {
  review_required: "To review",
};

const addressStatusNames: Record<string, string> = {
  valid: "Verified",
  invalid: "Not deliverable",
  unverified: "Not checked",
};
export const addressStatusName = (status: string): string => addressStatusNames[status] ?? sentence(status);

type HoldReason = NonNullable<NonNullable<HoldAction["params"]>["reason"]>;

/** Reasons that a person chooses from. */
export const holdReasons: Array<{ value: HoldReason; label: string }> = [
  { value: "other", label: "Other" },
  { value: "high_risk_of_fraud", label: "Risk of fraud" },
  { value: "incorrect_address", label: "Address is wrong" },
  { value: "inventory_out_of_stock", label: "Out of stock" },
  { value: "awaiting_payment", label: "Awaiting payment" },
  { value: "customer_request", label: "Customer asked for it" },
  { value: "awaiting_return_items", label: "Awaiting returned items" },
  { value: "unknown_delivery_date", label: "Delivery date unknown" },
  { value: "shipping_method", label: "Shipping method" },
];

export const text = {
  title: "Orders",
  search: "Number, customer, SKU, city",
  nothing: "No orders match these filters.",
  noWords: "Search for letters or digits.",
  none: "No orders yet. Connect a shop, import a file, or use the API.",
  dropFilters: "Clear all filters",
  personal: "Names, addresses and contacts are hidden: your account may not see personal data.",
} as const;
