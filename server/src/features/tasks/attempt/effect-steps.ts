import { createHash } from "node:crypto";
import type { PushTask } from "../../../connectors/connector.ts";

/** `updating`: the effect has arrived, and is being updated on the other side. */
export type EffectStatus = "intent" | "done" | "failed" | "unknown" | "updating";

/** The latest revision of an effect, as stored. */
export type KnownEffect = {
  status: EffectStatus;
  /** Another live attempt is about to send or update it. */
  isHeld: boolean;
  isClosed: boolean;
  openedBy: string;
  /** Null: not known, from before sites were stored. */
  site: string | null;
  content: string | null;
  orderVersion: number | null;
  concludedAt: Date;
};

/** What an execution wants the other side to have, and how its task sends it. */
export type DesiredEffect = {
  /** The chain of retries that the execution belongs to. */
  root: string;
  isResend: boolean;
  site: string;
  /** Digest of the content. Null: the content cannot be built, so it cannot be compared. */
  content: string | null;
  order: { version: number; updatedAt: string };
  resendPolicy: PushTask["resendPolicy"];
  canUpdate: boolean;
};

/**
 * begin: send a new revision under a key of its own. retry: send a rejected revision again under the same key. look_up: it may have
 * arrived, so ask the other side first. wait: another attempt is sending it. update: it has arrived with older content. done: it has
 * arrived. done_before_change: it has arrived, and the order was changed since. recalled: the order was recalled, or handed over again,
 * after this chain of retries sent it.
 */
export type EffectStep = "begin" | "retry" | "look_up" | "wait" | "update" | "done" | "done_before_change" | "recalled";

/** Each effect is sent once, however many executions want it. The only place that decides what counts as a new revision. */
export function nextStep(known: KnownEffect | undefined, desired: DesiredEffect): EffectStep {
  const isOtherSite = known && known.site !== null && known.site !== desired.site;
  if (!known || isOtherSite) return "begin";
  const isSameChain = known.openedBy === desired.root;
  // Remaining attempts of the same chain would send what the other side has returned.
  if (known.isClosed) return isSameChain ? "recalled" : "begin";
  if (known.isHeld) return "wait";
  if (desired.isResend && !isSameChain) return "begin";
  if (known.status === "intent" || known.status === "unknown") return "look_up";
  if (known.status !== "failed") return stepAfterArrival(known, desired, isSameChain);
  // It did not arrive. Another system may store the rejection under its key, so changed content needs a new key.
  return isSameChain && known.content === desired.content ? "retry" : "begin";
}

function stepAfterArrival(known: KnownEffect, desired: DesiredEffect, isSameChain: boolean): EffectStep {
  if (desired.resendPolicy === "always" && !isSameChain) return "begin";
  // An older version of the order never overwrites a newer one.
  const isOlder = known.orderVersion !== null && desired.order.version < known.orderVersion;
  if (isOlder || desired.content === null) return "done";
  if (known.content === null) {
    const hasChanged = Date.parse(desired.order.updatedAt) > known.concludedAt.getTime();
    return hasChanged && desired.resendPolicy === "on_change" ? "begin" : "done";
  }
  if (known.status === "done" && known.content === desired.content) return "done";
  if (desired.canUpdate) return "update";
  return desired.resendPolicy === "on_change" ? "begin" : "done_before_change";
}

/** The idempotency key that the other side receives. Every process computes the same one. */
export function keyOf(effect: { bridgeId: string; taskName: string; orderId: string; part: string; revision: number }) {
  const { bridgeId, taskName, orderId, part, revision } = effect;
  return digestOf([bridgeId, taskName, orderId, part, revision]);
}

/** Independent of the order of object members. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortMembers)).digest("hex").slice(0, 40);
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
