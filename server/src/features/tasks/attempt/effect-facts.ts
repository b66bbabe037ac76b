import { createHash } from "node:crypto";
import type { PushTask } from "../../../connectors/connector.ts";

/** `updating`: it has arrived, and is being corrected there. */
export type EffectStatus = "intent" | "done" | "failed" | "unknown" | "updating";

/** What is on record about a fact: its last generation. */
export type KnownEffect = {
  status: EffectStatus;
  /** Somebody who is alive is about to send or correct it. */
  isHeld: boolean;
  isClosed: boolean;
  openedBy: string;
  /** Null: not known, from before facts were kept. */
  site: string | null;
  content: string | null;
  orderVersion: number | null;
  concludedAt: Date;
};

/** What an execution would send, and how its task goes about it. */
export type Wish = {
  /** The chain of retries it belongs to. */
  root: string;
  isResend: boolean;
  site: string;
  /** Null: cannot be told, since it cannot be made. */
  content: string | null;
  order: { version: number; updatedAt: string };
  resendPolicy: PushTask["resendPolicy"];
  canUpdate: boolean;
};

/**
 * begin: a new generation, with a key of its own. again: what was refused, under the same key. ask: it may have arrived.
 * wait: somebody else is at it. done: it is there, perhaps as it was before the order was changed. over: it was taken back,
 * or handed over anew, since this chain has sent it.
 */
export type Step = "begin" | "again" | "ask" | "wait" | "update" | "done" | "done_before_change" | "over";

/** A fact is sent once, whichever executions want to: what makes it a new one stands here and nowhere else. */
export function nextStep(known: KnownEffect | undefined, wish: Wish): Step {
  const isElsewhere = known && known.site !== null && known.site !== wish.site;
  if (!known || isElsewhere) return "begin";
  const isOurs = known.openedBy === wish.root;
  // The attempts that are left would send what the other side has given back.
  if (known.isClosed) return isOurs ? "over" : "begin";
  if (known.isHeld) return "wait";
  if (wish.isResend && !isOurs) return "begin";
  if (known.status === "intent" || known.status === "unknown") return "ask";
  if (known.status !== "failed") return afterArrival(known, wish, isOurs);
  // It did not arrive. Whoever has kept the refusal for its key is asked under another one.
  return isOurs && known.content === wish.content ? "again" : "begin";
}

function afterArrival(known: KnownEffect, wish: Wish, isOurs: boolean): Step {
  if (wish.resendPolicy === "always" && !isOurs) return "begin";
  // An older state never overwrites a newer one.
  const isOlder = known.orderVersion !== null && wish.order.version < known.orderVersion;
  if (isOlder || wish.content === null) return "done";
  if (known.content === null) {
    const isTouched = Date.parse(wish.order.updatedAt) > known.concludedAt.getTime();
    return isTouched && wish.resendPolicy === "on_change" ? "begin" : "done";
  }
  if (known.status === "done" && known.content === wish.content) return "done";
  if (wish.canUpdate) return "update";
  return wish.resendPolicy === "on_change" ? "begin" : "done_before_change";
}

/** What the other side knows the effect by. */
export function keyOf(fact: { bridgeId: string; taskName: string; orderId: string; part: string; generation: number }) {
  const { bridgeId, taskName, orderId, part, generation } = fact;
  return digestOf([bridgeId, taskName, orderId, part, generation]);
}

/** The same for the same JSON, in whatever order its members stand. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex").slice(0, 40);
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
