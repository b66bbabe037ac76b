import type { Hold, Order, OrderEnv } from "./order.ts";
import { newHold } from "./order-rules.ts";
import type { OrderStatus } from "./orders.states.ts";

/** What the source of an order, such as its shop, can report after the import. */
export const sourceFacts = [
  "paid",
  "refunded",
  "cancelled",
  "deleted",
  "reopened",
  "address_changed",
  "quantity_changed",
  "on_hold",
  "released",
  "partly_fulfilled",
  "fulfilled",
  "delivered",
] as const;
export type SourceFact = (typeof sourceFacts)[number];
/** Facts with rules. A changed total does not affect shipping, so it has none. */
export type DisputedFact = SourceFact | "total_changed";

/**
 * apply: the order is updated. recall: it is updated once the fulfillment partner has returned it, and is on hold until then.
 * conflict: it is unchanged and on hold until a user decides. keep: it is unchanged, which the timeline records.
 */
export type SourceVerdict = "apply" | "recall" | "conflict" | "keep";

type Stage = "here" | "sent" | "partly" | "gone" | "cancelled";

/** The stage of the goods, which decides: before shipping, the source is followed. */
const stageOf: Record<OrderStatus, Stage> = {
  draft: "here",
  new: "here",
  review_required: "here",
  awaiting_payment: "here",
  ready: "here",
  sent: "sent",
  partially_shipped: "partly",
  shipped: "gone",
  delivered: "gone",
  cancelled: "cancelled",
};

const always: Record<Stage, SourceVerdict> = {
  here: "apply",
  sent: "apply",
  partly: "apply",
  gone: "apply",
  cancelled: "apply",
};

/** All rules for sources. Payment changes are always applied. */
const rules: Record<SourceFact, Record<Stage, SourceVerdict>> = {
  paid: { ...always, cancelled: "keep" },
  refunded: { here: "conflict", sent: "conflict", partly: "conflict", gone: "apply", cancelled: "apply" },
  cancelled: { here: "apply", sent: "recall", partly: "conflict", gone: "keep", cancelled: "apply" },
  deleted: { here: "apply", sent: "recall", partly: "conflict", gone: "keep", cancelled: "apply" },
  // Reverts a cancellation, as far as the cancellation was applied.
  reopened: always,
  address_changed: { here: "apply", sent: "conflict", partly: "conflict", gone: "keep", cancelled: "apply" },
  quantity_changed: { here: "apply", sent: "conflict", partly: "conflict", gone: "keep", cancelled: "apply" },
  on_hold: { here: "apply", sent: "conflict", partly: "apply", gone: "keep", cancelled: "keep" },
  released: always,
  partly_fulfilled: { ...always, cancelled: "keep" },
  fulfilled: { ...always, cancelled: "keep" },
  delivered: { ...always, cancelled: "keep" },
};

export function sourceVerdict(status: OrderStatus, fact: SourceFact): SourceVerdict {
  return rules[fact][stageOf[status]];
}

/** The handle of the hold for orders on hold at their source. */
export const sourceHold = "source_hold";

/** Also the code of the exception. */
export function conflictHandle(fact: DisputedFact): string {
  return `source_${fact}`;
}

/** Holds caused by the source; obsolete once the order is shipped or cancelled. */
export function isOfSource(hold: Hold): boolean {
  return hold.source === "bridge" && (hold.handle === sourceHold || hold.reason === "source_conflict");
}

const news: Record<DisputedFact, string> = {
  paid: "Its source says that the order is paid.",
  reopened: "Its source has taken back that the order is cancelled.",
  released: "Its source has released the order.",
  partly_fulfilled: "Its source has shipped some of the order.",
  fulfilled: "Its source has shipped the order.",
  delivered: "Its source says that the order has arrived.",
  total_changed: "Its source has changed what the order costs.",
  refunded: "Its source has refunded the order.",
  cancelled: "Its source has cancelled the order.",
  deleted: "Its source has deleted the order.",
  address_changed: "Its source has changed the shipping address.",
  quantity_changed: "Its source has changed what is in the order.",
  on_hold: "Its source has put the order on hold.",
};

const whereabouts: Partial<Record<OrderStatus, string>> = {
  sent: "It is with the fulfilment partner.",
  partially_shipped: "Some of it has been shipped.",
  shipped: "It has been shipped.",
  delivered: "It has been delivered.",
  cancelled: "It is cancelled here.",
};

/** Describes the report of the source and the stage of the order. */
export function describeDispute(order: Pick<Order, "status">, fact: DisputedFact): string {
  return [news[fact], whereabouts[order.status]].filter(Boolean).join(" ");
}

/** The report was not applied: a user must decide. */
export function conflictHold(
  env: OrderEnv,
  order: Order,
  fact: SourceFact,
  more = "No other system was notified.",
): Hold {
  const note = `${describeDispute(order, fact)} ${more}`;
  return newHold(env, { handle: conflictHandle(fact), reason: "source_conflict", source: "bridge", note });
}

const callingOff: readonly string[] = [conflictHandle("cancelled"), conflictHandle("deleted")];

/** The order is on hold until the partner has been stopped; then it is cancelled. */
export function isCallingOff(hold: Hold): boolean {
  return isOfSource(hold) && callingOff.includes(hold.handle);
}
