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

/** Readable names of the statuses. */
export const statusNames: Record<string, string> = {
  pre_transit: "not handed over",
  in_transit: "in transit",
  out_for_delivery: "out for delivery",
  ready_for_pickup: "ready for pickup",
  attempt_failed: "attempt failed",
};

export const riskNames: Record<string, string> = {
  late: "late",
  predicted_late: "will be late",
  stalled: "no news",
  exception: "exception",
  attempt_failed: "attempt failed",
  not_accepted: "never scanned",
};

/** Explanation of each risk reason. */
export const riskMeanings: Record<string, string> = {
  late: "The promised day is over, and it has not arrived.",
  predicted_late: "The carrier expects it after the promised day.",
  stalled: "The carrier has it, and nothing was heard for too long.",
  exception: "The carrier reports a problem.",
  attempt_failed: "The carrier was at the door and could not hand it over.",
  not_accepted: "The label exists, but the carrier never scanned the parcel.",
};

export const sourceNames: Record<string, string> = {
  api: "the API",
  import: "an import",
  run: "a run",
  bridge: "a bridge",
  demo: "the demo data",
  label: "a label bought here",
};

export const promiseNames: Record<string, string> = {
  given: "as it was given",
  order: "from the order",
  carrier: "the carrier’s first estimate",
  service_level: "what the service stands for",
};

export const text = {
  none: "No shipment yet. They come with labels, imports, bridges and the API.",
  nothing: "No shipment matches these filters.",
} as const;
