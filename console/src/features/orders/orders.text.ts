import type { Tone } from "../../ui/tone.ts";

export const statusTones: Record<string, Tone> = {
  draft: "skip",
  new: "info",
  review_required: "warn",
  awaiting_payment: "warn",
  ready: "info",
  sent: "ok",
  partially_shipped: "ok",
  shipped: "ok",
  delivered: "ok",
  cancelled: "skip",
};

export const holdNames: Record<string, string> = {
  high_risk_of_fraud: "fraud hold",
  incorrect_address: "address hold",
  inventory_out_of_stock: "stock hold",
  awaiting_payment: "payment hold",
  customer_request: "customer hold",
};

export const text = {
  title: "Orders",
  search: "Number, customer, SKU, city",
  nothing: "No order matches these filters.",
  none: "There are no orders yet. They come from a bridge, an import, or the API.",
  dropFilters: "Drop all filters",
  personal: "Names, addresses and contacts are masked: they need the scope pii:read.",
} as const;
