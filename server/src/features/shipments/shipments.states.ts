import type { Moves } from "../../core/states.ts";

export const shipmentStatuses = [
  "pre_transit",
  "in_transit",
  "out_for_delivery",
  "ready_for_pickup",
  "attempt_failed",
  "exception",
  "delivered",
  "returned",
  "cancelled",
  "unknown",
] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

const onTheMove = ["in_transit", "out_for_delivery", "ready_for_pickup", "attempt_failed", "exception"] as const;

/** The carrier has it, and it has not arrived. */
export const movingStatuses: readonly ShipmentStatus[] = onTheMove;
/** Something more is to be heard of it. */
export const openStatuses: readonly ShipmentStatus[] = ["pre_transit", ...onTheMove, "unknown"];
/** Neither delivered nor meant to be: left out of the figures of the overview. */
export const uncountedStatuses: readonly ShipmentStatus[] = ["cancelled", "returned"];

/**
 * Which status may follow which, in the order in which things happened. An event that no move leads to changes nothing:
 * a label that is announced after the first scan, or a scan after the delivery.
 */
export const shipmentMoves: Moves<ShipmentStatus> = {
  pre_transit: [...onTheMove, "delivered", "returned", "cancelled", "unknown"],
  in_transit: [...onTheMove, "delivered", "returned", "cancelled"],
  out_for_delivery: [...onTheMove, "delivered", "returned", "cancelled"],
  ready_for_pickup: [...onTheMove, "delivered", "returned", "cancelled"],
  attempt_failed: [...onTheMove, "delivered", "returned", "cancelled"],
  exception: [...onTheMove, "delivered", "returned", "cancelled"],
  delivered: ["returned"],
  returned: [],
  // A label that was cancelled at the carrier and is scanned all the same is on its way.
  cancelled: [...onTheMove, "delivered", "returned"],
  unknown: ["pre_transit", ...onTheMove, "delivered", "returned", "cancelled"],
};

type EventMeaning = {
  status: ShipmentStatus;
  /** The carrier has the parcel. */
  isAcceptance: boolean;
  /** The carrier was at the door, or the parcel waits where it can be fetched. */
  isAttempt: boolean;
};

const meaning = (status: ShipmentStatus, more: Partial<EventMeaning> = {}): EventMeaning => ({
  status,
  isAcceptance: false,
  isAttempt: false,
  ...more,
});

/** What an event says, from the first to the last that usually happens: of two at the same moment the later counts. */
export const eventMeanings = {
  unknown: meaning("unknown"),
  pre_transit: meaning("pre_transit"),
  cancelled: meaning("cancelled"),
  picked_up: meaning("in_transit", { isAcceptance: true }),
  in_transit: meaning("in_transit", { isAcceptance: true }),
  delayed: meaning("exception", { isAcceptance: true }),
  exception: meaning("exception", { isAcceptance: true }),
  out_for_delivery: meaning("out_for_delivery", { isAcceptance: true }),
  attempt_failed: meaning("attempt_failed", { isAcceptance: true, isAttempt: true }),
  ready_for_pickup: meaning("ready_for_pickup", { isAcceptance: true, isAttempt: true }),
  delivered: meaning("delivered", { isAttempt: true }),
  returned: meaning("returned"),
} as const satisfies Record<string, EventMeaning>;

export type EventStatus = keyof typeof eventMeanings;
export const eventStatuses = Object.keys(eventMeanings) as EventStatus[];

/** How carriers and tracking services call the same things; compared as letters and digits alone, in lower case. */
const aliases: Record<string, EventStatus> = {
  ...Object.fromEntries(eventStatuses.map((status) => [folded(status), status])),
  ...named("pre_transit", "pending info_received label_created pre_shipment notfound001 shipment_information_received"),
  ...named("picked_up", "accepted acceptance pickup collected origin_scan"),
  ...named("in_transit", "transit arrived departed"),
  ...named("delayed", "delivery_delayed delay on_hold"),
  ...named("exception", "failure error needs_attention undeliverable alert"),
  ...named("out_for_delivery", "with_courier"),
  ...named("attempt_failed", "attempt_fail delivery_failed delivery_attempted attempted failed_attempt undelivered"),
  ...named("ready_for_pickup", "available_for_pickup at_pickup_point"),
  ...named("delivered", "completed"),
  ...named("returned", "return_to_sender returned_to_sender"),
  ...named("cancelled", "canceled voided void"),
  ...named("unknown", "expired no_information"),
  // What UPS answers as the type of a status, and FedEx as its code.
  ...named("pre_transit", "m mp oc"),
  ...named("picked_up", "p pu px"),
  ...named("in_transit", "i it ar dp af ap pf rr"),
  ...named("delayed", "dy cd"),
  ...named("exception", "x de se"),
  ...named("out_for_delivery", "o od"),
  ...named("ready_for_pickup", "hl hp"),
  ...named("delivered", "d dl"),
  ...named("returned", "rs delivered,to_original_sender delivered,to_sender"),
  ...named("cancelled", "mv ca"),
};

function named(status: EventStatus, words: string): Record<string, EventStatus> {
  return Object.fromEntries(words.split(" ").map((word) => [folded(word), status]));
}

/**
 * "InTransit", "IN_TRANSIT" and "in transit" are one status, and so is "Delivered, Front Door" one with a note. Undefined:
 * no carrier is known to say this.
 */
export function toEventStatus(text: string): EventStatus | undefined {
  const word = folded(text);
  if (Object.hasOwn(aliases, word)) return aliases[word];
  const [, beginning = "", note = ""] = /^([^,;:(]{2,})[,;:(](.*)$/.exec(word) ?? [];
  // Handed over to another carrier, or back to the sender, is not delivered.
  if (/agent|sender|shipper/.test(note)) return undefined;
  return Object.hasOwn(aliases, beginning) ? aliases[beginning] : undefined;
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

export const riskReasons = [
  "late",
  "predicted_late",
  "stalled",
  "exception",
  "attempt_failed",
  "not_accepted",
] as const;
export type RiskReason = (typeof riskReasons)[number];

/**
 * `contract`: transit days of the account's rate card; `quote`: the carrier's promise with the label or its quote; `carrier`: its first
 * estimate while tracking; `service_level`: the usual time of the service, if there is no other promise.
 */
export const promiseSources = ["request", "order", "contract", "quote", "carrier", "service_level"] as const;

/** `undecided`: no delivery attempt yet, and the promised day is not over. */
export const leftOutReasons = ["no_promise", "cancelled", "returned", "undecided", "no_first_scan"] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** What a shipment is in the on-time figures: each is one of these. */
export const promiseOutcomes = ["on_time", "late", "no_promise", "cancelled", "returned", "undecided"] as const;
export type PromiseOutcome = (typeof promiseOutcomes)[number];
