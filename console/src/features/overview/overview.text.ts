import type { OverviewFigures } from "./overview.queries.ts";

/** Definitions of the KPIs, as in the API reference. */
export const definitions = {
  onTime:
    "Of the shipments with a promised day whose first delivery attempt was in these days, and of those whose promised day ended in them without any: the share that was tried on the promised day or before.",
  delivered: "Delivered in these days. Cancelled and returned shipments are left out.",
  transit: "From the carrier’s first scan to the delivery, of those delivered in these days.",
  inTransit: "Now: scanned by the carrier, and not delivered.",
  atRisk: "Now: open shipments with at least one reason to look at them.",
};

type Reason = keyof OverviewFigures["at_risk_by_reason"];

export const riskReasons: Array<[reason: Reason, name: string, meaning: string]> = [
  ["late", "Late", "the promised day is over"],
  ["predicted_late", "Predicted late", "expected after the promised day"],
  ["stalled", "Stalled", "no scan for 48 hours of working days, 96 between countries"],
  ["exception", "Exception", "the carrier reports a problem or a delay"],
  ["attempt_failed", "Attempt failed", "the carrier could not hand it over"],
  ["not_accepted", "Not accepted", "no scan 24 hours after the ship date, days off not counted"],
];

/** Statuses between pickup by the carrier and delivery, as in the API. */
export const movingStatuses = ["in_transit", "out_for_delivery", "ready_for_pickup", "attempt_failed", "exception"];

export const text = {
  empty: "There are no shipments yet. They come with labels, from a bridge, the API, or a CSV file.",
  stale: "Newer figures could not be read; these are the last ones.",
};
