import type { Hold, Order, OrderEnv, OrderPatch } from "../order.ts";
import { withHold } from "../order-rules.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import { openStatuses } from "../orders.states.ts";
import type { DisputedFact, SourceFact } from "../source-rules.ts";
import { conflictHold, isOfSource } from "../source-rules.ts";
import type { SourceSnapshot } from "./source-snapshot.ts";

export type Followed = {
  patch: OrderPatch;
  snapshot: SourceSnapshot;
  /** Fields that differ from the source and are kept. */
  kept: string[];
  /** The kept fields that have just changed at the source, with its new value. */
  leftOut: Map<keyof Order, { to: unknown; fact: DisputedFact }>;
  /** Facts that agree again, or were reverted at the source. */
  agreed: SourceFact[];
  /** Fields changed locally and later at the source. */
  overwritten: string[];
  /** Facts that were not applied: the order is on hold until a user decides. */
  conflicts: SourceFact[];
  /** The fulfillment partner must be asked to return the order. */
  isRecalled: boolean;
  takesLines: boolean;
};

export type Work = {
  order: Order;
  incoming: ImportedOrder;
  before: SourceSnapshot | undefined;
  env: OrderEnv;
  /** Whether the fulfillment partner can be asked to return the order. */
  canRecall: boolean;
  followed: Followed;
};

export function placeConflict({ order, env, followed }: Work, fact: SourceFact, more?: string): void {
  const { patch, conflicts } = followed;
  // Shipped or cancelled: there is nothing to hold.
  if (!openStatuses.includes(patch.status ?? order.status)) return;
  conflicts.push(fact);
  patch.holds = withHold({ holds: patch.holds ?? order.holds }, conflictHold(env, order, fact, more));
}

/** The source reverted the reason of the hold. */
export function settle(work: Work, ...handles: string[]): void {
  drop(work, (hold) => isOfSource(hold) && handles.includes(hold.handle));
}

export function drop({ order, followed: { patch } }: Work, isOver: (hold: Hold) => boolean): void {
  const holds = patch.holds ?? order.holds;
  if (holds.some(isOver)) patch.holds = holds.filter((hold) => !isOver(hold));
}
