import type { Hold, Order, OrderEnv } from "./order.ts";
import { newHold } from "./order-rules.ts";
import type { OrderStatus } from "./orders.states.ts";

/** What the source of an order, such as its shop, can say about it after it was imported. */
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
/** What an order may not follow. A total changes nothing about what is to be shipped, so that there is no rule for it. */
export type DisputedFact = SourceFact | "total_changed";

/**
 * apply: the order follows. recall: it follows once the fulfilment partner has given it back, and is held until then.
 * conflict: it stays as it is, on hold until somebody has decided. keep: it stays as it is, and the timeline says so.
 */
export type SourceVerdict = "apply" | "recall" | "conflict" | "keep";

type Stage = "here" | "sent" | "partly" | "gone" | "cancelled";

/** How far the goods are, which is what decides: as long as all of it is here, its source is followed. */
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

/** The whole of what a source may do. What it says about money is taken over besides, whatever stands here. */
const rules: Record<SourceFact, Record<Stage, SourceVerdict>> = {
  paid: { ...always, cancelled: "keep" },
  refunded: { here: "conflict", sent: "conflict", partly: "conflict", gone: "apply", cancelled: "apply" },
  cancelled: { here: "apply", sent: "recall", partly: "conflict", gone: "keep", cancelled: "apply" },
  deleted: { here: "apply", sent: "recall", partly: "conflict", gone: "keep", cancelled: "apply" },
  // Takes back that it was cancelled, which is followed as far as that was.
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

/** The handle of the hold that an order has because it is on hold at its source. */
export const sourceHold = "source_hold";

/** Also the code of the exception that tells of it. */
export function conflictHandle(fact: DisputedFact): string {
  return `source_${fact}`;
}

/** Placed because of what the source said: no longer of any use once the goods have left or the order is called off. */
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

/** What the source says, and how far the order is. */
export function describeDispute(order: Pick<Order, "status">, fact: DisputedFact): string {
  return [news[fact], whereabouts[order.status]].filter(Boolean).join(" ");
}

/** What the source said was not done: somebody has to decide. */
export function conflictHold(env: OrderEnv, order: Order, fact: SourceFact, more = "Nobody was told."): Hold {
  const note = `${describeDispute(order, fact)} ${more}`;
  return newHold(env, { handle: conflictHandle(fact), reason: "source_conflict", source: "bridge", note });
}

const callingOff: readonly string[] = [conflictHandle("cancelled"), conflictHandle("deleted")];

/** The order is held until somebody has stopped the partner: then it is called off. */
export function isCallingOff(hold: Hold): boolean {
  return isOfSource(hold) && callingOff.includes(hold.handle);
}
