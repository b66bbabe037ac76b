import { createHash } from "node:crypto";
import { canMove } from "../../../core/states.ts";
import type { EventStatus, ShipmentStatus } from "../shipments.states.ts";
import { eventMeanings, eventStatuses, shipmentMoves } from "../shipments.states.ts";

/** Something that was seen to happen to a parcel. `key` names it: what has the same key happened once. */
export type TrackingEvent = {
  key: string;
  at: string;
  status: EventStatus;
  description: string | null;
  location: string | null;
  /** What the carrier itself calls it, where that is another word. */
  carrierStatus: string | null;
  /** When somebody took it back: it did not happen. It is kept so that the same report again does not bring it back. */
  retractedAt?: string;
};

/** What a set of events says about a parcel. */
export type Tracking = {
  status: ShipmentStatus;
  /** Since when it has this status; null without any event. */
  statusAt: string | null;
  acceptedAt: string | null;
  firstAttemptAt: string | null;
  deliveredAt: string | null;
  lastEventAt: string | null;
};

const rankOf = new Map(eventStatuses.map((status, rank) => [status, rank]));

/** A total order, so that the same events always stand in the same line. */
function compareEvents(a: TrackingEvent, b: TrackingEvent): number {
  const byTime = Date.parse(a.at) - Date.parse(b.at);
  if (byTime !== 0) return byTime;
  const byRank = rankOf.get(a.status)! - rankOf.get(b.status)!;
  if (byRank !== 0) return byRank;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** What a report says of an event: a new one, another word about a known one, or the same again. */
export type ReportOutcome = "added" | "corrected" | "duplicate";

/**
 * The known events and the new ones, each once, in the order in which they happened. A report under a known key that says
 * something else corrects the event: what was told last counts. One that says the same is the same event, also one that
 * was taken back.
 */
export function mergeEvents(
  known: readonly TrackingEvent[],
  given: readonly TrackingEvent[],
): { events: TrackingEvent[]; outcomes: Map<TrackingEvent, ReportOutcome>; isChanged: boolean } {
  const events = new Map(known.map((event) => [event.key, event]));
  const outcomes = new Map<TrackingEvent, ReportOutcome>();
  let isChanged = false;
  for (const event of given) {
    const twin = events.get(event.key);
    // What is named by its content is the same event, whatever word another teller has for it.
    const isSame = twin !== undefined && (isKeyOfContent(event.key) || textOf(twin) === textOf(event));
    if (!outcomes.has(event)) outcomes.set(event, isSame ? "duplicate" : twin === undefined ? "added" : "corrected");
    if (isSame) continue;
    events.set(event.key, event);
    isChanged = true;
  }
  return { events: isChanged ? [...events.values()].toSorted(compareEvents) : [...known], outcomes, isChanged };
}

function textOf({ at, status, description, location, carrierStatus }: TrackingEvent): string {
  return JSON.stringify([at, status, description, location, carrierStatus]);
}

/** A function of the set of events alone: in which order, or how often, they arrived makes no difference. */
export function track(events: readonly TrackingEvent[]): Tracking {
  const result: Tracking = {
    status: "pre_transit",
    statusAt: null,
    acceptedAt: null,
    firstAttemptAt: null,
    deliveredAt: null,
    lastEventAt: null,
  };
  const happened = events.filter(({ retractedAt }) => retractedAt === undefined);
  for (const { at, status: said } of happened.toSorted(compareEvents)) {
    const { status, isAcceptance, isAttempt } = eventMeanings[said];
    result.lastEventAt = at;
    // A scan after the delivery is somebody clearing up, not the carrier getting it.
    if (isAcceptance && result.deliveredAt === null) result.acceptedAt ??= at;
    if (isAttempt) result.firstAttemptAt ??= at;
    if (status !== result.status && canMove(shipmentMoves, result.status, status)) {
      result.status = status;
      result.statusAt = at;
      if (status === "delivered") result.deliveredAt = at;
    } else if (status === result.status) result.statusAt ??= at;
  }
  // What came back to its sender was not delivered in the end.
  if (result.status !== "delivered") result.deliveredAt = null;
  return result;
}

const contentKey = "h:";

export function isKeyOfContent(key: string): boolean {
  return key.startsWith(contentKey);
}

/** For events whose sender has no name for them: the same report again has the same key. */
export function keyOfEvent(event: Omit<TrackingEvent, "key">): string {
  const { at, status, description, location } = event;
  const text = JSON.stringify([new Date(at).toISOString(), status, description, location]);
  return `${contentKey}${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
}
