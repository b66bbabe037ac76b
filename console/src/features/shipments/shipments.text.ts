import type { Tone } from "../../ui/tone.ts";

export const shipmentTones: Record<string, Tone> = {
  pre_transit: "info",
  in_transit: "info",
  picked_up: "info",
  out_for_delivery: "info",
  ready_for_pickup: "warn",
  attempt_failed: "warn",
  delayed: "warn",
  exception: "bad",
  delivered: "ok",
  returned: "warn",
  cancelled: "skip",
  unknown: "skip",
};

/** Readable names of the statuses, of shipments and tracking events. */
export const statusNames: Record<string, string> = {
  pre_transit: "Not handed over",
  in_transit: "In transit",
  picked_up: "Picked up",
  out_for_delivery: "Out for delivery",
  ready_for_pickup: "Ready for pickup",
  attempt_failed: "Attempt failed",
  delayed: "Delayed",
  exception: "Exception",
  delivered: "Delivered",
  returned: "Returned",
  cancelled: "Cancelled",
  unknown: "Unknown",
};

export const riskNames: Record<string, string> = {
  late: "Late",
  predicted_late: "Will be late",
  stalled: "No updates",
  exception: "Exception",
  attempt_failed: "Attempt failed",
  not_accepted: "Not scanned",
};

/** Explanation of each risk reason. */
export const riskMeanings: Record<string, string> = {
  late: "The promised day has passed and the shipment is not delivered.",
  predicted_late: "The carrier expects delivery after the promised day.",
  stalled: "The carrier has the parcel but has not reported an update for too long.",
  exception: "The carrier reports a problem.",
  attempt_failed: "The carrier attempted delivery and could not hand over the parcel.",
  not_accepted: "The label exists, but the carrier has not scanned the parcel.",
};

export const sourceNames: Record<string, string> = {
  api: "API",
  import: "Import",
  run: "Run",
  bridge: "Connection",
  demo: "Demo data",
  label: "Label",
};

export const promiseNames: Record<string, string> = {
  request: "as given",
  order: "from the order",
  contract: "by the contract",
  quote: "by the carrier’s quote",
  carrier: "the carrier’s first estimate",
  service_level: "by the service level",
};

/** Why a shipment is in none of the figures. */
export const leftOutNames: Record<string, string> = {
  no_promise: "No promise",
  cancelled: "Cancelled",
  returned: "Returned",
  undecided: "Not decided yet",
  no_first_scan: "No first scan",
};

/** Statuses of labels. */
export const labelNames: Record<string, string> = {
  requested: "Requested",
  purchased: "Purchased",
  failed: "Failed",
  voided: "Voided",
};

export const text = {
  none: "No shipments yet. Shipments come from labels, imports, connections and the API.",
  nothing: "No shipments match these filters.",
  noLabels: "No labels yet. Buy labels for orders here, in a bulk edit, or through the API.",
  allPrinted: "All purchased labels are printed.",
} as const;
